import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { codeAfterLoss, exitCodeOf, RESULTS, type Result } from '../../src/outcome/verdict.ts';
import { interceptWith } from '../support/faults/intercept-with.ts';
import { makeLaggingStore } from '../support/faults/lagging-store.ts';
import type { FaultScript, ScriptedFault } from '../support/faults/script.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';
import { alias, all, cluster, documentOf, projectOf } from '../support/documents.ts';
import { LOGIN, serve } from '../support/served.ts';

/** What the files say, each with what they say after it on a gateway that has the first. */
const FILES = {
  same: all(cluster('prod'), alias('orders', 'orders-v1', 'prod')),
  less: cluster('prod'),
  other: all(cluster('prod'), alias('orders', 'orders-v2', 'prod')),
  more: all(cluster('prod'), alias('orders', 'orders-v2', 'prod'), alias('sales', 'sales-v1', 'prod')),
  unformatted: `kind: VirtualCluster\napiVersion: gateway/v2\nmetadata:\n  name: prod\n`,
  wrong: `${cluster('prod')}---\n${alias('orders')}more: true\n`,
  broken: 'kind: [',
  none: '# nothing\n',
} as const;

/** What of the project stops a plan or a run. */
const RULES = {
  none: '',
  protected: `manages: ['*'], protect: [{ kind: AliasTopic }]`,
  limited: `manages: ['*'], limits: { deletes: 0, updates: 0 }`,
  elsewhere: `manages: ['AliasTopic/of-another-team']`,
  invalid: 'manages: 7',
} as const;

/** Where the gateway is, if there is one. */
const GATEWAYS = {
  embedded: ['--url', 'embedded:state.json'],
  served: [],
  project: [],
  unreachable: ['--url', 'http://127.0.0.1:1'],
  plain: ['--url', 'http://gateway.example', '--user', 'one', '--password', 'two'],
  invalid: ['--url', 'not a URL'],
  unreadable: ['--url', 'embedded:broken.json'],
  unset: [],
} as const;

const FAULTS: readonly ScriptedFault[] = [
  { fault: 'status', status: 400 },
  { fault: 'status', status: 403 },
  { fault: 'status', status: 500 },
  { fault: 'garbage' },
  { fault: 'drop-before' },
];

type Command = {
  readonly args: readonly string[];
  readonly takes: readonly ('gateway' | 'detailed' | 'output' | 'prune' | 'json')[];
  /** What is there before. */
  readonly needs?: 'plan' | 'run' | 'snapshot';
  /** What is seldom made up. */
  readonly examples?: readonly Partial<Case>[];
};
const FULL = ['gateway', 'detailed', 'output', 'prune'] as const;

/** Every command that ends with a result. */
const COMMANDS: readonly Command[] = [
  { args: ['init', '--yes', '--name', 'other'], takes: [] },
  { args: ['validate'], takes: ['output'] },
  { args: ['validate', '--fail-on', 'warning'], takes: ['output'] },
  { args: ['test', 'passes.gwtest.yaml'], takes: ['output'], examples: [{ file: 'same' }] },
  { args: ['test', 'fails.gwtest.yaml'], takes: ['output'], examples: [{ file: 'same' }] },
  { args: ['test', 'plan.gwtest.yaml'], takes: ['gateway', 'output'] },
  { args: ['plan'], takes: FULL },
  { args: ['plan', '--out', 'new.plan'], takes: FULL },
  { args: ['plan', '--out', 'a.yaml/new.plan'], takes: FULL },
  { args: ['plan', '--target', 'VirtualCluster/*'], takes: FULL },
  { args: ['plan', '--snapshot', 'live.json'], takes: ['detailed', 'output'], needs: 'snapshot' },
  { args: ['plan', '--snapshot', 'gone.json'], takes: ['detailed', 'output'] },
  { args: ['diff', '--from', 'prod', '--to', 'test'], takes: ['detailed', 'output'] },
  { args: ['diff', '--from', 'prod', '--to', 'live:prod'], takes: FULL.slice(0, 3) },
  {
    args: ['apply', '--auto-approve'],
    takes: ['gateway', 'output', 'prune'],
    examples: [
      { file: 'other', place: 'served', fault: { at: 1, fault: 'status', status: 400 } },
      { file: 'more', place: 'served', fault: { at: 2, fault: 'status', status: 400 }, format: 'ndjson' },
      { file: 'more', isInterrupted: true, format: 'json' },
      { file: 'less', prune: true, rule: 'protected' },
    ],
  },
  { args: ['apply', 'saved.plan'], takes: ['gateway', 'output'], needs: 'plan' },
  { args: ['apply', 'saved.plan', '--url', 'embedded:other.json'], takes: ['output'], needs: 'plan' },
  { args: ['apply', 'a.yaml'], takes: ['gateway', 'output'] },
  { args: ['apply', '--resume'], takes: ['gateway', 'output'], needs: 'run' },
  { args: ['undo', '--auto-approve'], takes: ['gateway', 'output'], needs: 'run' },
  { args: ['show', 'saved.plan'], takes: ['output'], needs: 'plan' },
  { args: ['show', 'saved.plan', '-f', 'a.yaml'], takes: ['output'], needs: 'plan' },
  { args: ['show', 'a.yaml'], takes: ['output'] },
  { args: ['comment', 'saved.plan', '--dry-run'], takes: [], needs: 'plan' },
  { args: ['comment', 'saved.plan'], takes: [], needs: 'plan' },
  { args: ['import', '--drift'], takes: ['gateway', 'detailed'] },
  { args: ['import', '--dry-run'], takes: ['gateway', 'detailed'] },
  { args: ['drift'], takes: ['gateway', 'detailed', 'output'], examples: [{ file: 'same' }] },
  {
    args: ['get'],
    takes: ['gateway', 'json'],
    examples: [{ place: 'served', fault: { at: 2, counting: 'calls', fault: 'status', status: 403 } }],
  },
  { args: ['get', 'AliasTopic/gone'], takes: ['gateway', 'json'] },
  { args: ['export', '--out', 'tree'], takes: ['gateway'] },
  { args: ['export', '--out', 'a.yaml/tree'], takes: ['gateway'] },
  { args: ['snapshot', '--out', 'new.json'], takes: ['gateway'] },
  { args: ['render'], takes: [] },
  { args: ['effective', '--uncovered'], takes: ['detailed', 'json'] },
  { args: ['effective', 'audited.yaml', '--uncovered'], takes: ['detailed', 'json'] },
  { args: ['plugins'], takes: ['gateway', 'json'] },
  { args: ['doctor'], takes: ['gateway', 'json'], examples: [{ place: 'unset' }] },
  { args: ['doctor', '--deep'], takes: ['gateway', 'output'] },
  { args: ['token', 'inspect', 'token.jwt'], takes: [] },
  { args: ['token', 'inspect', 'token.jwt', '--warn-within', '3650d'], takes: [] },
  { args: ['token', 'inspect', 'old.jwt'], takes: [] },
  { args: ['migrate', 'v1.sh', '--out', 'migrated'], takes: ['detailed'] },
  { args: ['migrate', 'odd.sh', '--out', 'migrated'], takes: ['detailed'] },
  { args: ['migrate', '--scan', 'v1.sh'], takes: ['detailed'] },
  { args: ['migrate', '--scan', 'a.yaml'], takes: ['detailed'] },
  { args: ['fmt'], takes: [], examples: [{ file: 'unformatted' }] },
  { args: ['fmt', '--check'], takes: [], examples: [{ file: 'unformatted' }] },
];

const oneOf = <T extends object>(table: T): fc.Arbitrary<keyof T> =>
  fc.constantFrom(...(Object.keys(table) as (keyof T)[]));
/** Mostly the first: most of what goes wrong hides what comes after it. */
const mostly = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 3 }, { arbitrary: other, weight: 1 });

type Case = {
  readonly file: keyof typeof FILES;
  readonly rule: keyof typeof RULES;
  readonly place: keyof typeof GATEWAYS;
  readonly fault: FaultScript[number];
  readonly format: string | undefined;
  readonly isDetailed: boolean;
  readonly prune: boolean;
  readonly isCi: boolean;
  readonly mistake: string | undefined;
  /** Whether the gateway has changed since the plan or run. */
  readonly hasMoved: boolean;
  readonly isInterrupted: boolean;
  /** What cannot be written. */
  readonly lost: 'out' | 'err' | 'github' | 'report' | undefined;
};

const USUAL: Case = {
  file: 'more',
  rule: 'none',
  place: 'embedded',
  fault: { at: 1, fault: 'drop-before' },
  format: undefined,
  isDetailed: false,
  prune: false,
  isCi: false,
  mistake: undefined,
  hasMoved: false,
  isInterrupted: false,
  lost: undefined,
};

const cases: fc.Arbitrary<Case> = fc.record({
  file: fc.oneof(fc.constantFrom('same', 'less', 'more'), oneOf(FILES)),
  rule: mostly(USUAL.rule, oneOf(RULES)),
  place: mostly(USUAL.place, fc.oneof(fc.constant('served'), oneOf(GATEWAYS))),
  fault: fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('writes', 'calls'), fc.constantFrom(...FAULTS))
    .map(([at, counting, fault]) => ({ at, counting, ...fault })),
  format: fc.constantFrom(undefined, 'json', 'ndjson', 'json=report.json', 'ndjson=report.json'),
  isDetailed: fc.boolean(),
  prune: fc.boolean(),
  isCi: mostly(false, fc.constant(true)),
  mistake: mostly(USUAL.mistake, fc.constantFrom(undefined, undefined, '--nothing', '--file=gone.yaml')),
  hasMoved: mostly(false, fc.constant(true)),
  isInterrupted: mostly(false, fc.constant(true)),
  lost: mostly(USUAL.lost, fc.constantFrom('out', 'err', 'github', 'report')),
});

const seen = new Set<string>();

it.each(COMMANDS.map((command) => [command.args.join(' '), command] as const))(
  'tells one result, in the exit code and everywhere: gwconf %s',
  { timeout: 30_000 },
  async (_, command) => {
    const { examples = [] } = command;
    await fc.assert(
      fc.asyncProperty(cases, (given) => checkVerdict(command, given)),
      {
        numRuns: 4 + examples.length,
        seed: 16,
        endOnFailure: true,
        examples: examples.map((given) => [{ ...USUAL, ...given }]),
      },
    );
  },
);

it('has seen every result but those of bugs, of a forge, and of commands without one', () => {
  const missing = Object.keys(RESULTS).filter((result) => !seen.has(result));
  expect(missing).toEqual(['commented', 'unchanged', 'differences', 'bug', 'unwritten']);
});

async function checkVerdict(command: Command, given: Case): Promise<void> {
  const world = await prepare(command, given);
  const takes = (what: Command['takes'][number]): boolean => command.takes.includes(what);
  const isDetailed = given.isDetailed && takes('detailed');
  const format = takes('output') || (takes('json') && given.format === 'json') ? given.format : undefined;
  const [name, file] = format?.split('=') ?? [];
  const interrupt = new AbortController();
  const ran = await world.runWith(
    {
      env: {
        ...(given.isCi || given.place === 'plain' ? { CI: 'true' } : {}),
        GITHUB_OUTPUT: given.lost === 'github' ? 'a.yaml/outputs' : 'outputs',
      },
      lost: given.lost === 'out' || given.lost === 'err' ? [given.lost] : [],
      interrupt,
      onErr: (text) => {
        if (given.isInterrupted && text.startsWith('Applying ')) interrupt.abort();
      },
    },
    ...command.args,
    ...(takes('gateway') ? GATEWAYS[given.place] : []),
    ...(isDetailed ? ['--detailed-exitcode'] : []),
    ...(given.prune && takes('prune') ? ['--prune', '--allow-empty'] : []),
    ...(name === undefined ? [] : ['-o', file === undefined ? name : `${name}=${reportFile(given)}`]),
    ...(given.mistake === undefined ? [] : [given.mistake]),
  );

  const told = ran.err.split('\n').filter((line) => line.startsWith('result: '));
  expect(told, ran.err).toHaveLength(1);
  const result = verdictOf(ran).replace(/^result: | in the selection$/g, '') as Result; // the next line checks it
  expect(Object.keys(RESULTS)).toContain(result);
  const isLost = ran.err.includes('gwconf: output is lost: ');
  if (given.lost === 'out' || given.lost === 'github') expect(isLost).toBe(true);
  const code = exitCodeOf(result, isDetailed);
  expect(ran.code, ran.err).toBe(isLost || given.lost === 'err' ? codeAfterLoss(code) : code);
  if (name !== undefined) checkReport(textOf(ran, world, file), name, result);
  if (given.lost !== 'github') checkOutputs(world.read('outputs'), result);
  seen.add(result);
}

function reportFile({ lost }: Case): string {
  return lost === 'report' ? 'a.yaml/report.json' : 'report.json';
}

function textOf({ out }: Ran, world: World, file: string | undefined): string {
  if (file === undefined) return out;
  return world.has('report.json') ? world.read('report.json') : '';
}

/** A command that ends before it has anything to report prints nothing. */
function checkReport(text: string, format: string, result: Result): void {
  if (text === '') return;
  const last = format === 'json' ? text : (text.trimEnd().split('\n').at(-1) ?? '');
  expect(JSON.parse(last)).toMatchObject({ result });
}

function checkOutputs(text: string, result: Result): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('result='))).toEqual([`result=${result}`]);
  const [count] = lines.flatMap((line) => (line.startsWith('changes=') ? [Number(line.slice(8))] : []));
  if (count === undefined) return;
  if (['no-changes', 'no-drift', 'failed'].includes(result)) expect(count).toBe(0);
  if (['changes', 'drift', 'applied'].includes(result)) expect(count).toBeGreaterThan(0);
}

function testWith(one: string): string {
  return `apiVersion: gwconf/v1\nkind: Test\ncases: [${one}]\n`;
}

function jwt(claims: object): string {
  return (
    [{ alg: 'HS256' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.') + '.c2ln'
  );
}

const START = FILES.same;
const AUDIT = documentOf(
  'Interceptor',
  '{ name: audit, scope: { vCluster: null, group: null, username: null } }',
  '{ pluginClass: io.conduktor.gateway.interceptor.AuditPlugin, priority: 1, config: {} }',
);
/** An embedded gateway that has it. */
let state: string | undefined;

/** A project whose gateway has `START`, with what the command needs. */
async function prepare({ needs }: Command, given: Case): Promise<World> {
  const world = makeWorld({
    'a.yaml': START,
    'broken.json': '{',
    'audited.yaml': all(START, AUDIT),
    'token.jwt': jwt({ username: 'ann', vcluster: 'prod', exp: 1_800_000_000 }),
    'old.jwt': jwt({ username: 'ann', vcluster: 'prod', exp: 1_000_000_000 }),
    'odd.sh': 'curl -X DELETE http://gateway:8888/admin/nothing/v1\n',
    'passes.gwtest.yaml': testWith('{ as: {}, expect: { chain: [] } }'),
    'fails.gwtest.yaml': testWith('{ as: {}, expect: { protectedBy: [audit] } }'),
    'plan.gwtest.yaml': testWith('{ as: "*", after: plan, expect: { noLastingLoss: true } }'),
    'v1.sh': 'curl http://gateway:8888/admin/plugins/v1\n',
  });
  const url = given.place === 'unset' ? '' : `gateway: { url: 'embedded:state.json' }, `;
  const project = (rules: string): void =>
    world.write(
      'gwconf.yaml',
      projectOf({ prod: `${url}files: [a.yaml], ${rules}`, test: 'files: [base.yaml]' }),
    );
  project('');
  world.write('base.yaml', START);
  world.env['GWCONF_ENV'] = 'prod';
  let isFaulty = false;
  const at = given.place === 'served' ? [] : ['--url', 'embedded:state.json'];
  if (given.place === 'served') {
    const play = interceptWith([given.fault], makeLaggingStore());
    const { url } = await serve(
      {},
      { intercept: (request, handle) => (isFaulty ? play(request, handle) : Promise.resolve(handle())) },
    );
    Object.assign(world.env, LOGIN, { GWCONF_URL: url });
  }
  if (needs === 'run' || given.place === 'served' || state === undefined) {
    await world.run('apply', '-f', 'a.yaml', '--auto-approve', ...at);
    if (given.place !== 'served') state ??= world.read('state.json');
  } else world.write('state.json', state);
  if (needs === 'snapshot') await world.run('snapshot', '--out', 'live.json', ...at);
  world.write('a.yaml', FILES[given.file]);
  if (needs === 'plan') await world.run('plan', '--out', 'saved.plan', ...at);
  if (given.hasMoved) {
    world.write('moved.yaml', all(cluster('prod'), alias('orders', 'orders-v3', 'prod')));
    await world.run('apply', '-f', 'moved.yaml', '--auto-approve', ...at);
  }
  project(RULES[given.rule]);
  isFaulty = true;
  return world;
}
