import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';
import { parseTests } from '../../../src/schema/tests/parse-tests.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { dedent, problemsOf, seen, type Seen } from '../../support/expect-problems.ts';

const HEAD = 'apiVersion: gwconf/v1\nkind: Test\n';
const CASE = '- { as: "*", expect: { excludes: [EncryptPlugin] } }';

function parse(text: string): ReturnType<typeof parseTests> {
  return parseTests({ path: 'a.gwtest.yaml', text: dedent(text) }, catalog.kinds);
}

function mistakesIn(text: string): readonly Seen[] {
  return parse(text).problems.map((problem) => seen(problem));
}

describe('a test file', () => {
  it('has documents with cases, which name themselves after their principals', () => {
    const { value, problems } = parse(`
      apiVersion: gwconf/v1
      kind: Test
      environment: prod
      cases:
        - as: { username: orders-app, virtualCluster: prod, groups: [batch] }
          topic: customers
          expect: { chain: [] }
        - name: nobody breaks anything
          as: "*"
          expect: { excludes: ["*.chaos.*"] }
      ---
      ${HEAD.replace('\n', '\n      ')}      files: [gateway]
      cases:
        - as: {}
          after: plan
          expect: { noLastingLoss: true }
    `);
    expect(problems).toEqual([]);
    expect(
      value.map(({ environment, files }) => [environment?.text, files?.map(({ text }) => text)]),
    ).toEqual([
      ['prod', undefined],
      [undefined, ['gateway']],
    ]);
    expect(value.flatMap(({ cases }) => cases.map(({ name, isAfterPlan }) => [name, isAfterPlan]))).toEqual([
      ['orders-app in prod with batch on customers', false],
      ['nobody breaks anything', false],
      ['all other clients', true],
    ]);
  });

  it('tells all its mistakes at their places', () => {
    const text = `
      apiVersion: gwconf/v1
      kind: Test
      enviroment: prod
      cases:
        - as: everybody
          expect: { include: [A] }
        - expect: { excludes: A }
          as: { user: a, groups: [""] }
        - { as: "*", after: apply, expect: {} }
    `;
    expect(mistakesIn(text)).toEqual([
      { code: 'unknown-field', at: '3:1', path: '/enviroment' },
      { code: 'invalid-value', at: '5:9', path: '/cases/0/as' },
      { code: 'unknown-field', at: '6:15', path: '/cases/0/expect/include' },
      { code: 'unknown-field', at: '8:11', path: '/cases/1/as/user' },
      { code: 'invalid-value', at: '8:29', path: '/cases/1/as/groups/0' },
      { code: 'invalid-value', at: '7:25', path: '/cases/1/expect/excludes' },
      { code: 'invalid-value', at: '9:23', path: '/cases/2/after' },
    ]);
  });

  it('tells what the schema cannot', () => {
    const text = `
      apiVersion: gwconf/v1
      kind: Test
      cases:
        - { as: "*", expect: {} }
        - as: "*"
          expect:
            noLastingLoss: true
            chain: [mask, "Interceptor/*", Interceptor/a@vCluster=b, Intercepter/a]
            includes: [EncryptPlugin, Interceptor/a, "Interceptor/a*", "Intercepter/a*"]
    `;
    expect(mistakesIn(text)).toEqual([
      { code: 'missing-field', at: '4:24', path: '/cases/0/expect' },
      { code: 'conflicting-fields', at: '7:22', path: '/cases/1/expect/noLastingLoss' },
      { code: 'invalid-value', at: '8:15', path: '/cases/1/expect/chain/0' },
      { code: 'invalid-value', at: '8:21', path: '/cases/1/expect/chain/1' },
      { code: 'unknown-kind', at: '8:64', path: '/cases/1/expect/chain/3' },
      { code: 'invalid-value', at: '9:33', path: '/cases/1/expect/includes/1' },
      { code: 'unknown-kind', at: '9:66', path: '/cases/1/expect/includes/3' },
    ]);
  });

  it.each<[string, string, Seen]>([
    ['nothing', '# later\n', { code: 'no-resources' }],
    [
      'a resource',
      'apiVersion: gateway/v2\nkind: AliasTopic\n',
      { code: 'invalid-value', at: '2:7', path: '/kind' },
    ],
    ['a list', '- 1\n', { code: 'invalid-value', at: '1:1', path: '' }],
    ['broken text', `${HEAD}cases: [\n`, { code: 'invalid-yaml', at: '3:8' }],
    [
      'a variable',
      `${HEAD}environment: \${ENV}\ncases: [{ as: "*", expect: { includes: [A] } }]\n`,
      { code: 'bad-placeholder', at: '3:14', path: '/environment' },
    ],
  ])('with %s is told so', (_, text, mistake) => {
    expect(mistakesIn(text)).toEqual([mistake]);
  });

  // `*` in it would be taken for a glob, as in a username; a topic that nobody has is covered by little, so excludes would pass.
  it.each(['cards-*', 'cards-.*', ' cards', 'c\u0430rds', ''])(
    'names a topic that there can be, not %j',
    (topic) => {
      const text = `${HEAD}cases: [{ topic: ${JSON.stringify(topic)}, as: "*", expect: { excludes: [A] } }]\n`;
      const codes = mistakesIn(text).map(({ code, path }) => [code, path]);
      expect(codes).toEqual([['invalid-value', '/cases/0/topic']]);
    },
  );

  it('has the documents without a mistake beside those with one', () => {
    const { value, problems } = parse(`${HEAD}cases: 3\n---\n${HEAD}cases: [${CASE.slice(2)}]\n`);
    expect([value.length, problems.length]).toEqual([1, 1]);
  });
});

describe('a test file among resources', () => {
  const text = `${HEAD}cases: [${CASE.slice(2)}]\n`;
  const alias =
    'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: a }\nspec: { physicalName: b }\n';
  const loaded = (path: string, written: string): ReturnType<typeof load> =>
    load([{ path, text: written }], catalog, NO_VARIABLES);

  it.each([text, `${HEAD}cases: [\n`])('is passed over in a folder: %#', (written) => {
    const { value, problems, declaring } = loaded('tests/a.gwtest.yaml', written);
    expect([value.size, problems, declaring.size]).toEqual([0, [], 0]);
  });

  it('still declares a resource that stands in it, so that no prune deletes it', () => {
    const { value, problems } = loaded('a.gwtest.yaml', `${text}---\n${alias}`);
    expect([value.size, problems]).toEqual([1, []]);
  });

  it('is told of if it has another name, or is named', () => {
    expect(loaded('a.yaml', text).problems).toMatchObject([
      { code: 'unknown-kind', message: 'a Test is not a resource' },
    ]);
    expect(problemsOf({ 'a.gwtest.yaml': text })).toEqual([
      { code: 'unknown-kind', at: 'a.gwtest.yaml:2:7', path: '/kind' },
    ]);
  });
});
