import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/model/json/json.ts';
import { formatFile } from '../../../src/schema/fmt/fmt.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { plugins } from '../../../src/schema/plugins/index.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { templateText } from '../../support/template-text.ts';
import { parseYaml } from '../../../src/schema/yaml/parse.ts';
import { json } from '../../support/arbitraries.ts';
import { yamlFiles } from '../../support/corpus.ts';
import { dedent } from '../../support/expect-problems.ts';
import { state } from '../../support/generate.ts';
import { resource } from '../../support/kinds.ts';
import { orAll } from '../../support/soak.ts';

describe('keys', () => {
  it('come in the order of the form, unknown ones last and as they were', () => {
    expect(
      fmt(`
        zzz: 1
        spec:
          physicalCluster: main
          own: 1
          physicalName: orders-v1
          another: 2
        metadata:
          vCluster: prod
          name: orders
        kind: AliasTopic
        apiVersion: gateway/v2
      `),
    ).toBe(
      dedent(`
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata:
          name: orders
          vCluster: prod
        spec:
          physicalName: orders-v1
          physicalCluster: main
          own: 1
          another: 2
        zzz: 1
      `),
    );
  });

  it('of a config come in the order of its plugin class, in lists too', () => {
    expect(
      spec(`
        config:
          policies:
            - rule:
                numberOfChars: 4
                type: MASK_LAST_N
              name: cards
          topic: cards
        priority: 1
        pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
      `),
    ).toBe(
      dedent(`
        pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
        priority: 1
        config:
          topic: cards
          policies:
            - name: cards
              rule:
                type: MASK_LAST_N
                numberOfChars: 4
      `),
    );
  });

  it('of a config that nobody knows stay as they are', () => {
    const text = `
      pluginClass: com.example.OwnPlugin
      priority: 1
      config:
        b: 1
        a: { d: 1, c: 2 }
    `;
    expect(spec(text)).toBe(dedent(text));
  });

  it('on one line change places within it', () => {
    expect(spec('{priority: 1,pluginClass: P , "comment": "a, b",  config: { b: 1, a: [ { } ] }}')).toBe(
      '{"comment": "a, b",pluginClass: P , priority: 1,  config: { b: 1, a: [ { } ] }}',
    );
  });

  it('in braces on several lines do so too, unless comments stand between them', () => {
    expect(spec('{\n  priority: 1,\n  comment: x,\n}')).toBe('{\n  comment: x,\n  priority: 1,\n}');
    const text = '{\n  priority: 1, # first\n  comment: x,\n}';
    expect(spec(text)).toBe(text);
  });

  it('take the comments above, behind and deeper below along; empty lines stay', () => {
    expect(
      fmt(`
        # about all of it

        apiVersion: gateway/v2
        kind: AliasTopic
        metadata:
          # about the cluster,
          # on two lines
          vCluster: prod # behind the cluster
            # deeper than the cluster

          # about the name
          name: orders
          # at the end
        spec: { physicalName: a }
      `),
    ).toBe(
      dedent(`
        # about all of it

        apiVersion: gateway/v2
        kind: AliasTopic
        metadata:
          # about the name
          name: orders

          # about the cluster,
          # on two lines
          vCluster: prod # behind the cluster
            # deeper than the cluster
          # at the end
        spec: { physicalName: a }
      `),
    );
  });

  it('keep a comment above the first of a document there, but for one that silences a problem', () => {
    expect(
      fmt(`
        # about the topic
        # gwconf-ignore omitted-scope: it is meant
        metadata: { name: a }
        spec: {}
        kind: Interceptor
        apiVersion: gateway/v2
      `),
    ).toBe(
      dedent(`
        # about the topic
        apiVersion: gateway/v2
        kind: Interceptor
        # gwconf-ignore omitted-scope: it is meant
        metadata: { name: a }
        spec: {}
      `),
    );
  });

  it('of an item of a list bring their comments behind the dash', () => {
    expect(
      group(`
        - vCluster: prod
          # the name
          name: one
        -   vCluster: prod
            name: two
      `),
    ).toBe(
      dedent(`
        - # the name
          name: one
          vCluster: prod
        -   name: two
            vCluster: prod
      `),
    );
  });

  it('have their values as written', () => {
    const values = `
      comment: >-
        # no comment

        folded "text"
      pluginClass: 'it''s'
      priority: 0x1F
      config:
        a: "\\u00e9 \${NOT:-set}"
        b: |2
            indented
          text
        c: ~
        d: 1e3
        e: "yes"
        f: !!str 12
        ? explicit
        : value
        "g h": plain
          on two lines
    `;
    expect(spec(values)).toBe(dedent(values));
    const [comment = '', rest = ''] = dedent(values).split(/(?=pluginClass)/);
    expect(spec(rest + comment)).toBe(dedent(values));
  });

  it('come behind the anchors that they need', () => {
    expect(
      spec(`
        comment: *text
        priority: 1
        pluginClass: &text P
        config: {}
      `),
    ).toBeUndefined(); // not YAML: the anchor is below
    expect(
      spec(`
        config: {}
        priority: 1
        pluginClass: &text P
        comment: *text
      `),
    ).toBe(
      dedent(`
        pluginClass: &text P
        comment: *text
        priority: 1
        config: {}
      `),
    );
  });

  it('come behind merge keys, unless those need them', () => {
    expect(fmt('kind: VirtualCluster\n<<: &more { own: 1 }\napiVersion: gateway/v2\n')).toBe(
      '<<: &more { own: 1 }\napiVersion: gateway/v2\nkind: VirtualCluster\n',
    );
    expect(
      spec(`
        pluginClass: P
        config:
          base: &base { x: 1 }
        priority: 1
        <<: *base
      `),
    ).toBe(
      dedent(`
        pluginClass: P
        priority: 1
        config:
          base: &base { x: 1 }
        <<: *base
      `),
    );
  });

  it.each([
    ['a text keeps its empty lines', 'priority: 1\nconfig: {}\npluginClass: P\ncomment: |+\n  x\n\n\n'],
    ['a key is explicit', 'priority: 1\n? pluginClass\n: P\n'],
    ['a key has an anchor', '&a priority: 1\n&b pluginClass: P\n'],
    ['a key has a tag', '!!str priority: 1\n!!str pluginClass: P\n'],
  ])('stay where %s', (_, text) => {
    expect(spec(text)).toBe(text);
  });
});

describe('resources', () => {
  const topic = (name: string, more = ''): string =>
    `${more}apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: ${name} }\nspec: { physicalName: p }\n`;
  const cluster =
    '# the cluster\napiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: prod }\nspec: {}\n';

  it('come in the order of the catalog and of their addresses, with their comments', () => {
    const text = [topic('b', '# about b\n'), topic('a'), `${cluster}# behind the cluster\n`].join('---\n');
    expect(fmt(text)).toBe(
      [`${cluster}# behind the cluster\n`, topic('a'), topic('b', '# about b\n')].join('---\n'),
    );
  });

  it('leave at the top what is about the file', () => {
    const modeline = '# yaml-language-server: $schema=x\n';
    expect(fmt(modeline + [topic('b', '# about b\n'), topic('a')].join('---\n'))).toBe(
      modeline + [topic('a'), topic('b', '# about b\n')].join('---\n'),
    );
    const licence = '# Copyright\n# of somebody\n\n';
    expect(fmt(licence + [topic('b'), topic('a')].join('---\n'))).toBe(
      licence + [topic('a'), topic('b')].join('---\n'),
    );
    expect(fmt(`# source\n---\n${[topic('b'), topic('a')].join('---\n')}`)).toBe(
      `# source\n---\n${[topic('a'), topic('b')].join('---\n')}`,
    );
  });

  it('keep the empty lines between them where they are, and an end without a line break', () => {
    expect(fmt(`${topic('b')}\n---\n\n${topic('a').trimEnd()}`)).toBe(
      `${topic('a')}\n---\n\n${topic('b').trimEnd()}`,
    );
  });

  it('take along a document of comments above them', () => {
    expect(fmt([topic('b'), '# commented out\n', topic('a'), '# the end\n'].join('---\n'))).toBe(
      ['# commented out\n', topic('a'), '# the end\n', topic('b')].join('---\n'),
    );
  });

  it('of the same address keep their order', () => {
    const text = [topic('a', '# one\n'), topic('a', '# two\n')].join('---\n');
    expect(fmt(text)).toBe(text);
  });

  it.each([
    ['something else is among them', `${topic('b')}---\n${topic('a')}---\napiVersion: v1\nkind: Pod\n`],
    ['one begins on the line of its three dashes', `${topic('b')}--- # a\n${topic('a')}`],
    ['one is ended', `${topic('b')}...\n---\n${topic('a')}`],
    ['one has a directive', `%YAML 1.2\n---\n${topic('b')}---\n${topic('a')}`],
    ['one ends in a text that keeps its empty lines', `${topic('b')}own: |+\n  x\n\n---\n${topic('a')}`],
  ])('stay where %s', (_, text) => {
    expect(fmt(text)).toBe(text);
  });
});

describe('files', () => {
  const shuffled = 'kind: VirtualCluster\napiVersion: gateway/v2\nmetadata: { name: a }\nspec: {}\n';

  it('keep CRLF and a byte order mark', () => {
    const text = `\uFEFF${shuffled}---\n# a comment\n${shuffled.replace('name: a', 'name: B')}`;
    expect(fmt(text.replaceAll('\n', '\r\n'))).toBe(
      `\uFEFF# a comment\n${ordered('B')}---\n${ordered('a')}`.replaceAll('\n', '\r\n'),
    );
  });

  it.each([
    ['JSON', { path: 'a.json', text: '{"kind": "AliasTopic", "apiVersion": "gateway/v2"}' }],
    ['the resources of others', { path: 'a.yaml', text: 'kind: ConfigMap\napiVersion: v1\n' }],
    [
      'a kind of ours in a group of others',
      { path: 'a.yaml', text: 'kind: VirtualCluster\napiVersion: x/v1\n' },
    ],
    ['nothing', { path: 'a.yaml', text: '' }],
    ['what is in no way ours and not YAML', { path: 'found.yaml', text: 'a: [', named: false }],
  ])('with %s are left alone', (_, file) => {
    expect(formatFile({ named: true, ...file }, catalog)).toEqual({ value: undefined, problems: [] });
  });

  it.each([
    ['an error of syntax', 'kind: [\napiVersion: gateway/v2\n'],
    ['a key that is there twice', `${shuffled}spec: {}\n`],
    ['an alias of nothing', `${shuffled}own: *nothing\n`],
    [
      'aliases that multiply',
      `${shuffled}own:\n  - &l0 x\n${Array.from({ length: 8 }, (_, at) => `  - &l${at + 1} [${Array(12).fill(`*l${at}`).join(', ')}]\n`).join('')}`,
    ],
  ])('with %s are left alone, with a problem', (_, text) => {
    const { value, problems } = formatFile({ path: 'a.yaml', text, named: true }, catalog);
    expect(value).toBeUndefined();
    expect(problems.map(({ code }) => code)).toContain('invalid-yaml');
  });

  it('are left alone where another order would mean something else', () => {
    const text =
      'own: &a b\nmetadata: { name: *a }\nkind: VirtualCluster\napiVersion: &a gateway/v2\nspec: {}\n';
    const { value, problems } = formatFile({ path: 'a.yaml', text, named: true }, catalog);
    expect(value).toBeUndefined();
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([['not-formatted', 'warning']]);
  });

  it('need no variable', () => {
    expect(fmt(shuffled.replace('name: a', 'name: "${NOT_SET}"'))).toContain('kind: VirtualCluster\nmeta');
  });

  function ordered(name: string): string {
    return `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: ${name} }\nspec: {}\n`;
  }
});

describe('of every file', () => {
  it.each(yamlFiles)(
    '$name keeps its meaning, its comments and its lines, and is then in order',
    ({ text }) => {
      holdsFor(text);
    },
  );

  it.each([...catalog.kinds.keys(), ...catalog.ownKinds.keys(), ...plugins.map(({ title }) => title)])(
    'the template of %s is in order',
    (name) => {
      const text = templateText(name);
      if (text !== undefined) expect(fmt(text)).toBe(text);
    },
  );

  it('made up, with comments anywhere, keeps its meaning and comments, and is then in order', () => {
    fc.assert(
      fc.property(documents, style, (values, choices) => {
        holdsFor(values.map((value) => write(value, choices)).join('---\n'));
      }),
      { numRuns: orAll(30, 300) },
    );
  });

  it('made up, is the same whatever the order was', () => {
    fc.assert(
      fc.property(state, fc.infiniteStream(fc.nat(5)), (resources, random) => {
        const plain = { ...PLAIN, next: () => 0 };
        // What nobody knows the order of keeps its own.
        const known = resources.filter(({ spec }) => spec['pluginClass'] !== 'com.example.OwnPlugin');
        const text = known.map((value) => write(value as Json, plain)).join('---\n');
        const keys = { ...PLAIN, next: () => Number(random.next().value) };
        const other = [...known]
          .reverse()
          .map((value) => write(shuffle(value as Json, keys), plain))
          .join('---\n');
        expect(fmt(other)).toBe(fmt(text));
      }),
      { numRuns: orAll(30, 300) },
    );
  });
});

/** Free configs with any keys and values, and resources of all kinds. */
const documents: fc.Arbitrary<readonly Json[]> = fc
  .tuple(state, fc.array(json, { maxLength: 3 }))
  .map(([resources, configs]) => [
    ...(resources as readonly Json[]),
    ...configs.map(
      (config, at) =>
        resource(
          'Interceptor',
          { scope: {}, name: `free-${at}` },
          { config, priority: 1, pluginClass: 'com.example.Own' },
        ) as Json,
    ),
  ]);

type Style = { readonly next: () => number; readonly comments: boolean; readonly mixed: boolean };
const PLAIN = { comments: false, mixed: false };
const style: fc.Arbitrary<Style> = fc.infiniteStream(fc.nat(9)).map((stream) => ({
  next: () => Number(stream.next().value),
  comments: true,
  mixed: true,
}));

/** YAML with keys in any order, some values on one line, and comments and empty lines in between. */
function write(value: Json, choices: Style): string {
  const noise = (indent: string): string => {
    if (!choices.comments) return '';
    const choice = choices.next();
    return choice === 0 ? `${indent}# c${choices.next()}${choices.next()}\n` : choice === 1 ? '\n' : '';
  };
  const onLine = (item: Json): boolean =>
    !isObject(item) || Object.keys(item).length === 0 || (choices.mixed && choices.next() < 2);
  const map = (item: JsonObject, indent: string, first = indent): string =>
    Object.entries(choices.mixed ? (shuffle(item, choices) as JsonObject) : item)
      .map(([key, child], at) => {
        const lead = at === 0 ? first : indent;
        const behind = choices.comments && choices.next() === 0 ? ' # behind' : '';
        const above = at === 0 && first !== indent ? '' : noise(indent);
        return `${above}${lead}${JSON.stringify(key)}:${node(child, indent, behind)}`;
      })
      .join('');
  const node = (child: Json, indent: string, behind: string): string => {
    if (Array.isArray(child) && child.length > 0 && !(choices.mixed && choices.next() < 3)) {
      const items = (child as readonly Json[]).map((item) =>
        onLine(item)
          ? `${indent}  - ${JSON.stringify(item)}\n`
          : map(item as JsonObject, `${indent}    `, `${indent}  - `),
      );
      return `${behind}\n${items.join('')}`;
    }
    if (choices.mixed && typeof child === 'string' && choices.next() < 5) return text(child, indent, behind);
    if (onLine(child)) return ` ${JSON.stringify(child)}${behind}\n`;
    return `${behind}\n${map(child as JsonObject, `${indent}  `)}`;
  };
  const text = (child: string, indent: string, behind: string): string => {
    const lines = [child.replace(/[^\w.-]/g, '_') || 'x', ...(choices.next() < 5 ? ['', '# none'] : [])];
    const header = ['|', '|-', '>', '>-', '|+'][choices.next()] ?? '|';
    return ` ${header}${behind}\n${lines.map((line) => (line === '' ? '\n' : `${indent}    ${line}\n`)).join('')}`;
  };
  return isObject(value) ? map(value, '') : `${JSON.stringify(value)}\n`;
}

function shuffle(value: Json, choices: Style): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => shuffle(item, choices));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => ({ key, item, rank: choices.next() }));
  entries.sort((one, other) => one.rank - other.rank);
  return Object.fromEntries(entries.map(({ key, item }) => [key, shuffle(item, choices)]));
}

function holdsFor(text: string): void {
  const file = { path: 'a.yaml', text, named: true };
  const { value = text, problems } = formatFile(file, catalog);
  const { value: again, problems: more } = formatFile({ ...file, text: value }, catalog);
  expect(again).toBeUndefined();
  expect([...problems, ...more]).toEqual([]);
  expect(meaningOf(value)).toEqual(meaningOf(text));
  expect(commentsOf(value)).toEqual(commentsOf(text));
  expect(value.split('\n').length).toBe(text.split('\n').length);

  const crlf = formatFile({ ...file, text: text.replaceAll(/\r?\n/g, '\r\n') }, catalog);
  if (value !== text) expect(crlf.value).toBe(value.replaceAll(/\r?\n/g, '\r\n'));
}

function meaningOf(text: string): readonly string[] {
  const documents = parseYaml(
    { path: '', text },
    variablesFrom((name) => `<${name}>`),
  );
  return documents.map(({ value }) => JSON.stringify(sorted(value))).sort();
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted(value[key] ?? null)]);
}

function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/# .*$/gm)].map(([comment]) => comment.replace(/[\]},"].*$/, '')).sort();
}

/** A file in order; the text itself where nothing changes, undefined where it cannot be read. */
function fmt(text: string): string | undefined {
  const file = { path: 'a.yaml', text: dedent(text), named: true };
  const { value, problems } = formatFile(file, catalog);
  return problems.length > 0 ? undefined : (value ?? file.text);
}

/** The spec of an interceptor, in order. */
function spec(text: string): string | undefined {
  return within('apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: a }\nspec:', text);
}

/** The members of a group, in order. */
function group(text: string): string | undefined {
  return within('apiVersion: gateway/v2\nkind: GatewayGroup\nmetadata: { name: a }\nspec:\n  members:', text);
}

function within(head: string, text: string): string | undefined {
  const body = dedent(text);
  const depth = ' '.repeat((/ *(?=\S*$)/.exec(head)?.[0].length ?? 0) + 2);
  const inFlow = body.startsWith('{');
  const below = inFlow ? ` ${body}\n` : `\n${body.replaceAll(/^(?=.)/gm, depth)}`;
  const formatted = fmt(`${head}${below}`);
  if (formatted === undefined) return undefined;
  expect(formatted.startsWith(head)).toBe(true);
  const found = formatted.slice(head.length);
  return inFlow ? found.slice(1, -1) : found.slice(1).replaceAll(new RegExp(`^${depth}`, 'gm'), '');
}
