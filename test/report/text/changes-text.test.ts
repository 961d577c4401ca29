import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { identify } from '../../../src/model/identity.ts';
import type { Resource } from '../../../src/model/resource.ts';
import type { Removal } from '../../../src/model/rules.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { NO_PAINT, type TextOptions } from '../../../src/report/text/layout.ts';
import { renderText } from '../../../src/report/formats.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { printYaml } from '../../../src/schema/yaml/print.ts';
import { kindOf, resource } from '../../support/kinds.ts';
import { planFor } from '../../support/plans.ts';
import { removalOf } from '../../support/rules.ts';

const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';
const CHAOS = 'io.conduktor.gateway.interceptor.chaos.SimulateBrokenBrokersPlugin';
const GLOBAL = { vCluster: null, group: null, username: null };

/** The plan as people see it, without header, totals and what it means for principals. */
function shown(
  wanted: readonly Resource[],
  live: readonly Resource[] = [],
  options: Partial<TextOptions> = {},
  removals: readonly Removal[] = [],
): readonly string[] {
  const { plan } = planFor(printYaml(wanted), live, {}, removals);
  const changes = { ...plan, effects: [], exposures: [], weakenings: [] };
  const report = makePlanReport(redact(changes, catalog.kinds), plan.gateway);
  const lines = [...renderText(report, { paint: NO_PAINT, ...options })].join('').split('\n');
  return lines.slice(3, -3);
}

function interceptor(
  name: string,
  pluginClass: string,
  config: JsonObject,
  metadata: JsonObject = {},
): Resource {
  return resource('Interceptor', { name, ...metadata }, { pluginClass, priority: 100, config });
}

function masks(count: number, priority: number): readonly Resource[] {
  return Array.from({ length: count }, (_, at) => {
    const one = interceptor(`mask-${at}`, MASK, { topic: 'orders', policies: [] });
    return { ...one, spec: { ...one.spec, priority } };
  });
}

function topics(count: number, physicalCluster: string): readonly Resource[] {
  return Array.from({ length: count }, (_, at) =>
    resource('AliasTopic', { name: `orders-${at}` }, { physicalName: `orders-${at}`, physicalCluster }),
  );
}

const mask = interceptor('mask', MASK, {
  topic: 'orders',
  policies: [
    { name: 'cards', fields: ['card.number', 'card.cvc'], rule: { type: 'MASK_LAST_N', numberOfChars: 4 } },
  ],
  errorPolicy: 'fail_fetch',
});

describe('a plan', () => {
  it('shows what it creates as YAML', () => {
    expect(shown([mask])).toMatchInlineSnapshot(`
      [
        "  + Interceptor/mask@vCluster=passthrough  in.yaml:1",
        "      + pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin",
        "      + priority: 100",
        "      + config:",
        "      +   topic: orders",
        "      +   policies:",
        "      +     - name: cards",
        "      +       fields: [card.number, card.cvc]",
        "      +       rule:",
        "      +         type: MASK_LAST_N",
        "      +         numberOfChars: 4",
        "      +   errorPolicy: fail_fetch",
      ]
    `);
  });

  it('shows what it deletes, without what the gateway fills in', () => {
    const live = { ...mask, spec: { ...mask.spec, comment: '' } };
    expect(shown([], [live])).toMatchInlineSnapshot(`
      [
        "  - Interceptor/mask@vCluster=passthrough",
        "      - pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin",
        "      - priority: 100",
        "      - config:",
        "      -   topic: orders",
        "      -   policies:",
        "      -     - name: cards",
        "      -       fields: [card.number, card.cvc]",
        "      -       rule:",
        "      -         type: MASK_LAST_N",
        "      -         numberOfChars: 4",
        "      -   errorPolicy: fail_fetch",
      ]
    `);
  });

  it('shows no secret of what it creates or deletes', () => {
    const token = 'hvs.the-token-of-the-vault';
    const encrypt = interceptor('encrypt', 'io.conduktor.gateway.interceptor.EncryptPlugin', {
      topic: 'cards',
      kmsConfig: { vault: { uri: 'https://vault.example', type: 'TOKEN', token } },
    });
    for (const text of [shown([encrypt]), shown([], [encrypt])]) {
      expect(text.join('\n')).not.toContain(token);
      expect(text.join('\n')).toContain('token: (hidden)');
    }
  });

  it('wraps values at the width of the terminal, between words', () => {
    const comment = 'Card numbers are not for eyes, so ask the payments team before you change any of this';
    const lines = shown([{ ...mask, spec: { ...mask.spec, comment } }], [], { width: 60 });
    expect(lines.filter((line) => line.length > 60)).toEqual([`      + pluginClass: ${MASK}`]);
    expect(lines.join(' ').replaceAll(/\s+\+\s+/g, ' ')).toContain(comment);
  });

  it('shows the first lines of a long object, and all with --detail full', () => {
    const policies = Array.from({ length: 100 }, (_, at) => ({ name: `p${at}`, fields: [`f${at}`] }));
    const long = interceptor('mask', MASK, { topic: 'orders', policies });
    expect(shown([long]).at(-1)).toBe('      and 5 more lines; --detail full shows them');
    expect(shown([long], [], { detail: 'full' }).at(-1)).toBe('      +       fields: [f99]');
  });

  it('shows what is nested deeply on one line', () => {
    let config: JsonObject = { end: true };
    for (let level = 0; level < 150; level += 1) config = { a: config };
    const text = shown([interceptor('deep', 'com.example.Deep', config)]).join('\n');
    expect(text.length).toBeLessThan(4000);
    expect(text).toContain('"end":true');
  });

  it('shows equal updates once, with the names', () => {
    expect(shown(masks(4, 200), masks(4, 100))).toMatchInlineSnapshot(`
      [
        "  ~ 4 Interceptors with the same changes",
        "      ~ /spec/priority: 100 → 200",
        "      mask-0@vCluster=passthrough, mask-1@vCluster=passthrough, mask-2@vCluster=passthrough, mask-3@vCluster=passthrough",
      ]
    `);
  });

  it('shows each update with --detail full', () => {
    const lines = shown(masks(4, 200), masks(4, 100), { detail: 'full' });
    expect(lines.filter((line) => line.includes('/spec/priority'))).toHaveLength(4);
  });

  it('has a heading for each kind and virtual cluster, from fifty changes on', () => {
    const lines = shown([...topics(60, 'main'), mask]);
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
      'AliasTopic in virtual cluster passthrough: 60 to create',
      '',
      'Interceptor in virtual cluster passthrough: 1 to create',
      '',
      '--detail full shows the fields of what is created.',
    ]);
    expect(lines).toContainEqual(expect.stringContaining('  + AliasTopic/orders-0@'));
  });

  it('shows the values of the few that are created or deleted among many others', () => {
    const lines = shown([...masks(60, 200), ...topics(60, 'main')], [...masks(60, 100), mask]);
    expect(lines).toContain('      -   topic: orders');
    expect(lines.join('\n')).not.toContain('+ physicalName');
    const more = shown([...masks(60, 200), ...topics(2, 'main')], masks(60, 100));
    expect(more.filter((line) => line.includes('+ physicalName'))).toHaveLength(2);
    expect(more.join('\n')).not.toContain('--detail');
  });

  it('is a summary from a thousand changes on, with what goes by name', () => {
    expect(shown(topics(1001, 'main'), [mask])).toMatchInlineSnapshot(`
      [
        "  AliasTopic in virtual cluster passthrough: 1001 to create",
        "  Interceptor in virtual cluster passthrough: 1 to delete",
        "",
        "Deleted or replaced:",
        "  - Interceptor/mask@vCluster=passthrough",
        "",
        "--detail fields shows each object, --detail full all their fields.",
      ]
    `);
  });
});

describe('the risks of a plan', () => {
  const partner = resource(
    'VirtualCluster',
    { name: 'p' },
    { type: 'Partner', aclEnabled: true, superUsers: ['x'] },
  );
  const aliasOn = (physicalCluster: string): Resource =>
    resource('AliasTopic', { name: 'a', vCluster: 'p' }, { physicalName: 't', physicalCluster });
  const large = (name: string, s3Config: JsonObject, topic = '.*', metadata: JsonObject = {}): Resource =>
    interceptor(
      name,
      'io.conduktor.gateway.interceptor.LargeMessageHandlingPlugin',
      { s3Config, topic },
      metadata,
    );
  const bucket = { bucketName: 'b' };
  const slow = interceptor('drop', CHAOS, { rateInPercent: 1 });
  it.each<[string, readonly Resource[], readonly Resource[], readonly string[]]>([
    [
      'a chaos plugin for everybody',
      [interceptor('drop', CHAOS, { rateInPercent: 100 }, { scope: GLOBAL })],
      [],
      [
        '  ! Interceptor/drop@global disturbs clients on purpose (chaos.SimulateBrokenBrokersPlugin)',
        '  ! Interceptor/drop@global applies to every client of the gateway',
      ],
    ],
    [
      'a chaos plugin that disturbs more',
      [interceptor('drop', CHAOS, { rateInPercent: 100 })],
      [interceptor('drop', CHAOS, { rateInPercent: 0 })],
      [
        '  ! Interceptor/drop@vCluster=passthrough disturbs clients on purpose (chaos.SimulateBrokenBrokersPlugin)',
      ],
    ],
    [
      'a chaos plugin with another comment',
      [{ ...slow, spec: { ...slow.spec, comment: 'slow' } }],
      [slow],
      [],
    ],
    [
      'records in a bucket that is no longer read',
      [large('b', { bucketName: 'new' }), large('c', { bucketName: 'old', region: 'eu' })],
      [large('b', { bucketName: 'old' }), large('c', { bucketName: 'old' })],
      [
        '  ! Interceptor/b@vCluster=passthrough no longer reads records back that it has stored outside of Kafka',
      ],
    ],
    [
      'records of topics that it no longer reads, as far as that is certain',
      [large('a', bucket, 'x'), large('b', bucket, 'x|y.*'), large('c', bucket, '(?=x)x')],
      [large('a', bucket, 'x|y'), large('b', bucket, 'y|x'), large('c', bucket, 'x')],
      ['a', 'c'].map(
        (name) =>
          `  ! Interceptor/${name}@vCluster=passthrough may not read all records back that it has stored outside of Kafka`,
      ),
    ],
    [
      'an alias topic on another physical cluster',
      [partner, aliasOn('dr')],
      [partner, aliasOn('main')],
      [
        '  ! AliasTopic/a@vCluster=p is on another physical cluster after this: its clients read and write other data',
      ],
    ],
    [
      'an alias topic of another topic',
      [resource('AliasTopic', { name: 'a' }, { physicalName: 'u', physicalCluster: 'main' })],
      [resource('AliasTopic', { name: 'a' }, { physicalName: 't' })],
      [
        '  ! AliasTopic/a@vCluster=passthrough leads to another topic after this: its clients read and write other data',
      ],
    ],
    [
      'an alias topic with what it has by default written out',
      [resource('AliasTopic', { name: 'a' }, { physicalName: 't', physicalCluster: 'main' })],
      [resource('AliasTopic', { name: 'a' }, { physicalName: 't' })],
      [],
    ],
    ['a change of a protection', [{ ...mask, spec: { ...mask.spec, priority: 7 } }], [mask], []],
  ])('have %s', (_, wanted, live, risks) => {
    expect(shown(wanted, live).filter((line) => line.startsWith('  !'))).toEqual(risks);
  });

  const narrow = { scope: { vCluster: 'passthrough' } };
  const wide = { scope: GLOBAL };
  const drop = (name: string, metadata: JsonObject): Resource => interceptor(name, CHAOS, {}, metadata);
  it.each<[string, Resource, Resource, readonly string[]]>([
    [
      'another bucket',
      large('a', bucket),
      large('b', { bucketName: 'c' }),
      ['no longer reads records back that it has stored outside of Kafka'],
    ],
    [
      'fewer clients',
      large('a', bucket, '.*', wide),
      large('b', bucket, '.*', narrow),
      ['may not read all records back that it has stored outside of Kafka'],
    ],
    ['nothing but the name', drop('a', wide), drop('b', wide), []],
    [
      'more clients',
      drop('a', narrow),
      drop('b', wide),
      [
        'disturbs clients on purpose (chaos.SimulateBrokenBrokersPlugin)',
        'applies to every client of the gateway',
      ],
    ],
  ])('compare what is renamed with what it was: %s', (_, was, is, messages) => {
    const addressOf = (one: Resource): string => identify(kindOf(one.kind), one);
    const [from, to] = [addressOf(was), addressOf(is)];
    const lines = shown([is], [was], {}, [removalOf(from, { to })]);
    expect(lines.filter((line) => line.startsWith('  !'))).toEqual(
      messages.map((message) => `  ! ${to} ${message}`),
    );
  });

  it('begin with one of each sort where there are many', () => {
    const many = Array.from({ length: 20 }, (_, at) => interceptor(`a-${at}`, MASK, {}, wide));
    const risks = shown([...many, drop('z', narrow)]).filter((line) => line.startsWith('  !'));
    expect(risks.slice(0, 2).join()).toContain('Interceptor/z@vCluster=passthrough disturbs clients');
  });

  it('do not take what is there for another name of what is moved to it', () => {
    const [gone, there] = [large('a', bucket), large('b', bucket, 'x')];
    const lines = shown([there], [gone, there], {}, [
      removalOf(identify(kindOf('Interceptor'), gone), { to: identify(kindOf('Interceptor'), there) }),
    ]);
    expect(lines).toContain(
      '  ! Interceptor/a@vCluster=passthrough no longer reads records back that it has stored outside of Kafka',
    );
  });
});
