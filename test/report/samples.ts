import type { Address } from '../../src/model/resource.ts';
import type { ChangeId } from '../../src/plan/change/change.ts';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import type { DiffReport } from '../../src/outcome/diff.ts';
import type {
  DoctorReport,
  PluginsReport,
  GetReport,
  ResolveReport,
  SwitchReport,
  TokenReport,
  TokenInspection,
} from '../../src/outcome/gateway.ts';
import type { EnvironmentsReport, TestReport, ValidateReport } from '../../src/outcome/files.ts';
import { makeFleetReport, type FleetReport } from '../../src/outcome/fleet.ts';
import type { ScanReport, MigrateReport } from '../../src/outcome/migrate.ts';
import type { DriftReport } from '../../src/outcome/drift.ts';
import type { EffectiveReport } from '../../src/outcome/effective.ts';
import type { ExportReport } from '../../src/outcome/gateway.ts';
import type { ExplainReport } from '../../src/outcome/explain.ts';
import type { Report } from '../../src/outcome/outcome.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import type { ProblemRecord } from '../../src/outcome/problem-record.ts';
import type { RunReport, RunsReport } from '../../src/outcome/run.ts';
import type { SelftestReport } from '../../src/outcome/selftest.ts';

/** Outcomes in which every field has a value, each text and number another one. */

const at = (file: string, line: number) => ({ file: `${file}.yaml`, line, column: 3 });
const address = (kind: string, name: string): Address => `${kind}/${name}@vCluster=prod` as Address;
const client = (username: string) => ({ virtualCluster: 'prod', username, groups: [`team-of-${username}`] });
const problem = (name: string, line: number): ProblemRecord => ({
  code: `code-${name}`,
  severity: 'warning',
  message: `the ${name} is odd`,
  file: `${name}.yaml`,
  line,
  column: 2,
  address: address('AliasTopic', name),
  path: `/spec/${name}`,
  hint: `mend the ${name}`,
});
const link = (name: string, priority: number) => ({
  address: address('Interceptor', name),
  pluginClass: `io.example.${name}Class`,
  priority,
});

const counts = {
  create: 101,
  update: 102,
  replace: 103,
  delete: 104,
  unchanged: 105,
  unclaimed: 106,
  unmanaged: 107,
  ignored: 108,
};

export const plan: PlanReport = {
  format: 'gwconf/plan-report@1',
  result: 'changes',
  gateway: 'https://gateway.example',
  environment: 'staging',
  selection: { target: ['AliasTopic/*'], exclude: ['*/old'], unselected: 109 },
  manages: ['*@vCluster=prod'],
  snapshot: { takenAt: '2026-01-02T03:04:05Z', ageSeconds: 7200, cannotTell: 110 },
  prune: ['*/pruned'],
  limits: { deletes: { objects: 111, percent: 12 }, updates: { percent: 13 } },
  base: { ref: 'origin/trunk', commit: '0123456789abcdef', behind: 114, lacks: 'project' },
  undoes: {
    run: 'run-one',
    losses: [
      { address: address('AliasTopic', 'half'), leftOut: false, reason: 'is restored without its topics' },
      { address: address('AliasTopic', 'gone'), leftOut: true, reason: 'nobody knows its secret' },
    ],
  },
  summary: counts,
  risks: [{ address: address('AliasTopic', 'risky'), risk: 'everyone', message: 'is for everybody' }],
  exposures: [
    {
      ...client('anna'),
      protection: 'masking',
      lasting: true,
      lost: [address('Interceptor', 'mask')],
      from: 'Interceptor/mask-change' as ChangeId,
      accepted: { reason: 'agreed by anna', until: '2030-01-01' },
    },
    {
      ...client('berta'),
      externalGroup: 'externals',
      protection: 'audit',
      lasting: false,
      lost: [address('Interceptor', 'audit')],
      from: 'Interceptor/audit-goes' as ChangeId,
      until: 'Interceptor/audit-comes' as ChangeId,
      seconds: 115,
      calls: 116,
    },
  ],
  weakenings: [
    {
      ...client('wanda'),
      protection: 'encryption',
      certainty: 'weaker',
      by: address('Interceptor', 'encrypts'),
      fields: ['/spec/config/wandas-topics'],
      parts: [
        { what: 'field', names: ['wandas-card'], loss: 'whole', topics: ['wandas-eu'], pattern: 'wandas-.*' },
        { what: 'rule', names: ['wandas-rule'], loss: 'part', topics: null, pattern: null },
        { what: 'payload', names: ['wandas-value'], loss: 'part', topics: [], pattern: 'wandas-all-.*' },
      ],
      from: ['Interceptor/encrypts-less' as ChangeId],
    },
    {
      ...client('wilma'),
      protection: 'masking',
      certainty: 'hidden',
      by: address('Interceptor', 'masks-by-a-secret'),
      fields: ['/spec/config/wilmas-topics'],
      parts: [{ what: 'field', names: ['wilmas-card'], loss: 'part', topics: null, pattern: null }],
      from: ['Interceptor/masks-less' as ChangeId],
    },
    {
      ...client('xenia'),
      protection: 'quality-of-xenia',
      certainty: 'cannot-tell',
      by: address('Interceptor', 'validates'),
      fields: [],
      parts: [{ what: 'config', names: ['xenias-config'], loss: 'part', topics: null, pattern: null }],
      from: ['Interceptor/validates-otherwise' as ChangeId],
      accepted: { reason: 'agreed by xenia', until: '2031-01-01' },
    },
  ],
  effects: [
    {
      ...client('carla'),
      identity: {
        externalName: 'subject-of-carla',
        was: { virtualCluster: 'prod', username: 'former-carla' },
      },
      ...{ before: [link('first', 117), link('second', 118)], after: [link('second', 118)] },
    },
  ],
  changes: [
    {
      action: 'create',
      address: address('AliasTopic', 'created'),
      kind: 'AliasTopic',
      at: at('created', 119),
      stage: 1,
      dependsOn: [],
      movedFrom: address('AliasTopic', 'former'),
      reason: 'for an order',
      fields: [
        { op: 'add', path: '/spec/one', after: 'value-one' },
        { op: 'add', path: '/spec/nested', after: { inner: ['value-two', 120] } },
      ],
    },
    {
      action: 'update',
      address: address('AliasTopic', 'updated'),
      kind: 'AliasTopic',
      at: at('updated', 121),
      stage: 1,
      dependsOn: [address('AliasTopic', 'created')],
      step: 'release',
      reason: 'drops the owner',
      secrets: { '/spec/secret': 'changed' },
      fields: [
        { op: 'set', path: '/spec/two', before: 'before-two', after: 'after-two' },
        { op: 'set', path: '/spec/secret', before: 'x', after: 'y' },
        { op: 'add', path: '/spec/three', after: 'added' },
        { op: 'remove', path: '/spec/four', before: 'dropped' },
        { op: 'set', path: '/spec/five', before: 'line a\nline b', after: 'line a\nline c' },
        { op: 'set', path: '/spec/six', before: { x: 'deep-one' }, after: { x: 'deep-two' } },
      ],
    },
    {
      action: 'replace',
      address: address('AliasTopic', 'replaced'),
      kind: 'AliasTopic',
      at: at('replaced', 122),
      stage: 1,
      dependsOn: [],
      because: ['/spec/fixed'],
      fields: [{ op: 'set', path: '/spec/fixed', before: 'b', after: 'c' }],
    },
    {
      action: 'delete',
      address: address('AliasTopic', 'deleted'),
      kind: 'AliasTopic',
      stage: 2,
      dependsOn: [],
      removal: 'nobody reads it',
      movedTo: address('AliasTopic', 'later'),
      fields: [{ op: 'remove', path: '/spec/seven', before: 'value-seven' }],
    },
  ],
  unclaimed: [address('AliasTopic', 'unclaimed')],
  unmanaged: [address('AliasTopic', 'foreign')],
  ignored: [
    { address: address('AliasTopic', 'ignored'), path: '/spec/ignored', reason: 'an operator scales it' },
  ],
  problems: [problem('plan', 123)],
};

const causes = { create: 1, update: 2, replace: 3, delete: 4 };
/** With the causes of changes. */
export const caused: PlanReport = {
  ...plan,
  undoes: undefined,
  snapshot: undefined,
  base: {
    ref: 'origin/trunk',
    commit: '0123456789abcdef',
    behind: 1,
    undeclared: [
      { address: address('AliasTopic', 'dropped'), was: at('dropped', 124), managed: true },
      {
        address: address('AliasTopic', 'renamed'),
        was: at('renamed', 125),
        managed: true,
        to: address('AliasTopic', 'its-new-name'),
      },
      { address: address('AliasTopic', 'kept'), was: at('kept', 129), managed: true, removed: true },
      { address: address('AliasTopic', 'handed-over'), was: at('handed-over', 126), managed: false },
    ],
    ruleChanges: [
      {
        rule: 'limits.deletes',
        at: at('limits', 127),
        before: 'was-three',
        after: 'is-fifty',
        loosens: true,
      },
      { rule: 'protect', before: 'was-protected', loosens: true },
      { rule: 'manages', at: at('manages', 128), after: 'is-excluded', loosens: false },
    ],
    removal: 'spec:\n  remove:\n    - AliasTopic/dropped-by-text\n',
    causes: {
      branch: causes,
      drift: { ...causes, create: 21 },
      'base-or-drift': { ...causes, create: 22 },
      base: { ...causes, create: 23 },
      behind: { ...causes, create: 24 },
    },
  },
  changes: plan.changes.map((change, index) => {
    if (index === 1)
      return {
        ...change,
        cause: 'mixed' as const,
        fields: change.fields.map((field, place) => ({
          ...field,
          cause: place < 2 ? ('branch' as const) : ('drift' as const),
        })),
      };
    return { ...change, cause: (['branch', 'branch', 'drift', 'base'] as const)[index] };
  }),
};

export const apply: ApplyReport = {
  format: 'gwconf/apply-report@1',
  result: 'partial',
  gateway: 'https://gateway.example',
  environment: 'staging',
  summary: { ...counts, done: 201, already: 202, failed: 203, blocked: 204, 'not-attempted': 205 },
  ledger: [
    { address: address('AliasTopic', 'made'), action: 'create', outcome: 'done', at: at('made', 206) },
    {
      address: address('AliasTopic', 'same'),
      action: 'update',
      outcome: 'already',
      step: 'release',
      reason: 'drops it',
    },
    {
      address: address('AliasTopic', 'refused'),
      action: 'delete',
      outcome: 'failed',
      removal: 'nobody reads it',
      problem: problem('refusal', 207),
    },
    {
      address: address('AliasTopic', 'waits'),
      action: 'replace',
      outcome: 'blocked',
      by: [address('AliasTopic', 'refused')],
    },
    { address: address('AliasTopic', 'left'), action: 'create', outcome: 'not-attempted' },
  ],
  unprotected: [
    {
      ...client('dora'),
      externalGroup: 'outsiders',
      protection: 'masking',
      lost: [address('Interceptor', 'mask')],
      from: 'Interceptor/mask-change',
    },
  ],
  undo: {
    run: 'run-two',
    losses: [
      { address: address('AliasTopic', 'half'), leftOut: false, reason: 'is restored without its topics' },
    ],
    needs: { deletes: 731, updates: 732 },
  },
  problems: [problem('apply', 208)],
};

const drifting: DriftReport['drift'][number] = {
  address: address('AliasTopic', 'changed'),
  drift: 'changed',
  kind: 'AliasTopic',
  at: at('changed', 301),
  fields: [
    { path: '/spec/one', declared: 'declared-one', live: 'live-one' },
    { path: '/spec/two', live: 'live-two' },
  ],
};
export const drift: DriftReport = {
  format: 'gwconf/drift-report@1',
  result: 'drift',
  gateway: 'https://gateway.example',
  environment: 'staging',
  selection: { target: ['AliasTopic/*'], exclude: ['*/old'], unselected: 302 },
  manages: ['*@vCluster=prod'],
  summary: {
    missing: 303,
    changed: 304,
    unclaimed: 305,
    remaining: 306,
    accepted: 307,
    ignored: 308,
    unchecked: 309,
    asDeclared: 310,
    unmanaged: 311,
  },
  drift: [
    { ...drifting, moved: 'gateway' },
    {
      ...drifting,
      address: address('AliasTopic', 'mixed'),
      moved: 'mixed',
      fields: drifting.fields.map((field, place) => ({ ...field, moved: place === 0 ? 'gateway' : 'files' })),
    },
    { ...drifting, address: address('AliasTopic', 'missing'), drift: 'missing', fields: [], moved: 'files' },
    { ...drifting, address: address('AliasTopic', 'unclaimed'), drift: 'unclaimed', fields: [] },
    { ...drifting, address: address('AliasTopic', 'remaining'), drift: 'remaining', fields: [] },
  ],
  accepted: [
    {
      ...drifting,
      address: address('AliasTopic', 'accepted'),
      reason: 'a test runs',
      owner: 'the owners',
      expires: '2030-02-03',
    },
  ],
  unchecked: [
    { reason: 'unavailable', kind: 'ConcentrationRule', words: 'no such path', objects: 7 },
    { reason: 'cannot-tell', address: address('AliasTopic', 'untold'), path: '/spec/untold' },
  ],
  problems: [problem('drift', 312)],
};

const different: DiffReport['differences'][number] = {
  address: address('AliasTopic', 'different'),
  difference: 'differs',
  kind: 'AliasTopic',
  at: { from: at('left', 401), to: at('right', 402) },
  fields: [
    { path: '/spec/one', from: 'from-one', to: 'to-one' },
    { path: '/spec/two', from: 'from-two' },
    { path: '/spec/secret', secret: true },
  ],
};
export const diff: DiffReport = {
  format: 'gwconf/diff-report@1',
  result: 'differs',
  from: {
    name: 'mine',
    type: 'snapshot',
    environment: 'staging',
    gateway: 'https://one.example',
    takenAt: '2026-01-02T03:04:05Z',
  },
  to: { name: 'theirs', type: 'live', environment: 'prod', gateway: 'https://two.example' },
  selection: { target: ['AliasTopic/*'], exclude: ['*/old'], unselected: 403 },
  summary: {
    onlyFrom: 404,
    onlyTo: 405,
    differs: 406,
    same: 407,
    expected: 408,
    ignored: 409,
    unmanaged: 410,
    uncompared: 411,
  },
  differences: [
    different,
    {
      ...different,
      address: address('AliasTopic', 'mine'),
      difference: 'only-from',
      fields: [],
      at: { from: at('left', 412) },
    },
    {
      ...different,
      address: address('AliasTopic', 'theirs'),
      difference: 'only-to',
      fields: [],
      at: { to: at('right', 413) },
    },
  ],
  expected: [
    {
      ...different,
      address: address('AliasTopic', 'meant'),
      reason: 'sizes differ',
      fields: [{ path: '/spec/size', from: 'small', to: 'large' }],
    },
  ],
  uncompared: [
    { reason: 'unavailable', side: 'from', kind: 'ConcentrationRule', words: 'no such path', objects: 7 },
    {
      reason: 'cannot-tell',
      address: address('AliasTopic', 'untold'),
      path: '/spec/untold',
      because: 'variable',
    },
    {
      reason: 'cannot-tell',
      address: address('AliasTopic', 'sealed'),
      path: '/spec/sealed',
      because: 'digest',
    },
  ],
  problems: [problem('diff', 414)],
};

const explained = (name: string, priority: number) => ({
  ...link(name, priority),
  protects: [`protection-of-${name}`],
  overrides: [`Interceptor/${name}@global-${name}` as Address],
  at: at(name, priority + 1000),
  topic: { covers: 'yes' as const, reason: `matches for ${name}` },
});
export const effective: EffectiveReport = {
  format: 'gwconf/effective-report@1',
  result: 'ok',
  source: 'gateway',
  environment: 'staging',
  gateway: 'https://gateway.example',
  topic: 'orders',
  summary: { principals: 501, chains: 502 },
  principals: [
    { ...client('emma'), chain: [explained('mask', 503), explained('audit', 504)] },
    { ...client('frida'), externalGroup: 'externals', chain: [] },
  ],
  problems: [problem('effective', 505)],
};
export const compared: EffectiveReport = {
  ...effective,
  result: 'drift',
  topic: undefined,
  source: 'files',
  summary: { principals: 501, chains: 502, drift: 506, unchecked: 507 },
  drift: [
    {
      ...client('greta'),
      declared: [{ ...link('mask', 508), protects: [] }],
      live: [{ ...link('audit', 509), protects: [] }],
      weaker: [
        {
          protection: 'masking',
          certainty: 'weaker',
          by: address('Interceptor', 'weak'),
          fields: ['/spec/config/topic'],
          parts: [
            {
              what: 'field',
              names: ['card-number'],
              loss: 'whole',
              topics: ['customers-live'],
              pattern: 'cust.*',
            },
          ],
        },
        {
          protection: 'encryption',
          certainty: 'cannot-tell',
          by: address('Interceptor', 'unjudged'),
          fields: ['/spec/config/algorithm'],
          parts: [
            { what: 'payload', names: ['value'], loss: 'part', topics: ['orders-live'], pattern: 'ord.*' },
          ],
        },
      ],
    },
  ],
};
export const coverage: EffectiveReport = {
  ...effective,
  result: 'uncovered',
  topic: undefined,
  summary: { principals: 510, chains: 511, topics: 512, uncovered: 513, uncertain: 514 },
  coverage: {
    protection: 'masking',
    uncovered: [
      {
        topics: [
          { topic: 'bare', uncertain: [] },
          { topic: 'perhaps', uncertain: [address('Interceptor', 'unsure')] },
        ],
        principals: [client('hanna')],
      },
    ],
    interceptors: [
      { address: address('Interceptor', 'lonely'), finding: 'unmatched', by: [] },
      {
        address: address('Interceptor', 'hidden'),
        finding: 'overridden',
        by: [address('Interceptor', 'louder')],
      },
      { address: address('Interceptor', 'level'), finding: 'tied', by: [address('Interceptor', 'equal')] },
    ],
  },
};

export const selftest: SelftestReport = {
  format: 'gwconf/selftest-report@1',
  result: 'differences',
  gateway: 'https://gateway.example',
  summary: { objects: 601, differences: 602, normalised: 603 },
  unavailable: ['ConcentrationRule'],
  normalisations: [{ kind: 'AliasTopic', reason: 'order', path: '/spec/names', count: 604 }],
  changes: [
    {
      action: 'update',
      address: address('AliasTopic', 'restless'),
      kind: 'AliasTopic',
      stage: 1,
      dependsOn: [],
      fields: [{ op: 'set', path: '/spec/one', before: 'read-one', after: 'written-one' }],
    },
  ],
  problems: [problem('selftest', 605)],
};

export const test: TestReport = {
  format: 'gwconf/test-report@1',
  result: 'tests-failed',
  summary: { cases: 701, passed: 702, failed: 703, notRun: 704 },
  cases: [
    {
      name: 'alice is masked',
      environment: 'staging',
      result: 'passed',
      principals: 705,
      problems: [],
      ...at('alice', 706),
    },
    {
      name: 'bob is audited',
      environment: 'prod',
      result: 'failed',
      principals: 707,
      problems: [problem('bob', 708)],
      ...at('bob', 709),
    },
    {
      name: 'carol is free',
      environment: 'prod',
      result: 'not-run',
      principals: 710,
      problems: [],
      ...at('carol', 711),
    },
  ],
  coverage: [
    {
      environment: 'staging',
      principals: 712,
      interceptors: 713,
      untestedPrincipals: [client('ida')],
      untestedInterceptors: [address('Interceptor', 'untested')],
    },
    {
      files: ['one.yaml', 'two.yaml'],
      principals: 1,
      interceptors: 1,
      untestedPrincipals: [],
      untestedInterceptors: [],
    },
  ],
  problems: [problem('bob', 708), problem('test', 714)],
};

const ran = {
  run: 'run-three',
  startedAt: '2026-01-02T03:04:05Z',
  gateway: 'https://gateway.example',
  environment: 'staging',
  undoes: 'run-before',
  result: 'partial' as const,
  changes: 801,
  done: 802,
  failed: 803,
  inFlight: 807,
};
export const runs: RunsReport = {
  format: 'gwconf/runs-report@1',
  runs: [ran, { ...ran, run: 'run-four', result: 'applied', failed: 0, inFlight: 0, undoes: undefined }],
  problems: [problem('runs', 804)],
};
export const run: RunReport = {
  format: 'gwconf/run-report@1',
  run: ran,
  finishedAt: '2026-01-02T04:05:06Z',
  sittings: [
    { at: '2026-01-02T03:04:06Z', tool: 'gwconf 1.0.0', pid: 805, host: 'first-host' },
    { at: '2026-01-02T03:05:07Z', tool: 'gwconf 1.0.1', pid: 806, host: 'second-host' },
  ],
  changes: [
    { address: address('AliasTopic', 'made'), action: 'create', known: 'done' },
    { address: address('AliasTopic', 'same'), action: 'update', known: 'already', step: 'release' },
    { address: address('AliasTopic', 'flying'), action: 'update', known: 'in-flight' },
    { address: address('AliasTopic', 'halved'), action: 'replace', known: 'half' },
    {
      address: address('AliasTopic', 'refused'),
      action: 'delete',
      known: 'failed',
      why: 'the gateway refused it',
    },
    { address: address('AliasTopic', 'waits'), action: 'create', known: 'blocked' },
    { address: address('AliasTopic', 'left'), action: 'create', known: 'not-attempted' },
  ],
};

export const validate: ValidateReport = {
  format: 'gwconf/validate-report@1',
  result: 'error',
  summary: { resources: 901, errors: 902, warnings: 903, environments: ['staging', 'prod'] },
  problems: [problem('validate', 904)],
};

export const resolve: ResolveReport = {
  format: 'gwconf/resolve-report@1',
  result: 'ok',
  gateway: 'https://gateway.example',
  client: { username: 'gina', virtualCluster: 'prod', groups: ['team-of-gina'] },
  interceptors: [
    {
      ...link('resolved', 1001),
      name: 'resolved',
      scope: { vCluster: 'prod', group: null, username: 'gina' },
      overrides: ['Interceptor/resolved@vCluster=other' as Address],
    },
  ],
  problems: [problem('resolve', 1002)],
};

export const plugins: PluginsReport = {
  format: 'gwconf/plugins-report@1',
  result: 'ok',
  gateway: 'https://gateway.example',
  summary: { onGateway: 1101, unknown: 1102, notOnGateway: 1103 },
  plugins: [
    {
      class: 'io.example.ListedClass',
      onGateway: true,
      known: false,
      title: 'A listed class',
      version: '1.1.4',
      license: 'a license',
      parent: 'a parent',
      description: 'a description',
      deprecated: '3.4.0',
      removed: '3.5.0',
      note: 'a note',
    },
  ],
  problems: [problem('plugins', 1105)],
};

export const switched: SwitchReport = {
  format: 'gwconf/switch-report@1',
  result: 'partial',
  from: 'old-cluster',
  to: 'new-cluster',
  instances: [
    { url: 'https://one.example', version: '3.1.2', status: 'switched', message: 'read back' },
    { url: 'https://two.example', version: '3.1.3', status: 'failed', message: 'it refused' },
  ],
  problems: [problem('switch', 1201)],
};

export const doctor: DoctorReport = {
  format: 'gwconf/doctor-report@1',
  result: 'error',
  gateway: 'https://gateway.example',
  summary: { ok: 1301, warning: 1302, error: 1303, notChecked: 1304 },
  settings: [{ name: 'a setting', value: 'its value', origin: 'its origin' }],
  objects: 1305,
  unavailable: [{ kind: 'ConcentrationRule', words: 'no such path' }],
  checks: [
    { check: 'reachable', status: 'ok', message: 'it answers', values: { medianMs: 1306 } },
    { check: 'clock', status: 'warning', message: 'it is late', hint: 'set the clock' },
  ],
  problems: [problem('doctor', 1307)],
};

export const token: TokenInspection = {
  format: 'gwconf/token-inspection@1',
  result: 'expiring',
  signatureChecked: false,
  header: { alg: 'an algorithm' },
  claims: { sub: 'a subject' },
  expiresAt: '2026-01-02T03:04:05.000Z',
  secondsLeft: 3601,
  problems: [problem('token', 1401)],
};

export const issued: TokenReport = {
  format: 'gwconf/token-report@1',
  result: 'ok',
  gateway: 'https://gateway.example',
  account: 'GatewayServiceAccount/app',
  lifetimeSeconds: 7201,
  expiresAt: '2026-01-02T03:04:05.000Z',
  file: 'app.token',
  problems: [problem('issued', 1402)],
};

export const exported: ExportReport = {
  format: 'gwconf/export-report@1',
  result: 'ok',
  gateway: 'https://gateway.example',
  folder: 'folder-of-files',
  summary: { objects: 1701, files: 1702 },
  written: ['folder-of-files/written.yaml'],
  variables: [
    {
      name: 'GW_TOKEN',
      places: [{ address: address('Interceptor', 'vault'), path: '/spec/token' }],
      known: true,
    },
  ],
  unavailable: [{ kind: 'GatewayGroup', words: 'nobody serves it' }],
  problems: [problem('exported', 1703)],
};

export const scan: ScanReport = {
  format: 'gwconf/scan-report@1',
  result: 'v1-used',
  summary: { uses: 1501, files: 1502, read: 1503 },
  areas: [
    {
      name: 'an area',
      deprecated: '3.6.0',
      removed: '3.7.0',
      replacement: 'another area',
      uses: [{ file: 'a.sh', line: 1504, column: 1505, text: '/admin/a/v1' }],
    },
  ],
  skipped: [{ path: 'b.bin', why: 'it is binary' }],
  problems: [problem('scan', 1506)],
};

export const explanation: ExplainReport = {
  format: 'gwconf/explain-report@1',
  result: 'changes',
  gateway: 'https://gateway.example',
  environment: 'staging',
  snapshot: { takenAt: '2026-01-02T03:04:05Z', ageSeconds: 7200, cannotTell: 1601 },
  address: 'AliasTopic/told',
  summary: { changes: 1602, firstStage: 1603 },
  explained: [
    {
      action: 'delete',
      change: 'AliasTopic/told (release)',
      why: 'it is told',
      causes: [{ cause: 'drift' }, { cause: 'branch', path: '/spec/told' }],
      order: 'it goes first',
      at: at('told', 1604),
      position: 1605,
      stage: 2,
      dependsOn: [{ change: 'AliasTopic/before', action: 'create' }],
      requiredBy: [{ change: 'AliasTopic/after', action: 'update' }],
    },
  ],
  unchanged: [{ why: 'unmanaged', message: 'it is left alone' }],
  problems: [problem('explained', 1606)],
};

export const get: GetReport = {
  format: 'gwconf/get-report@1',
  result: 'incomplete',
  gateway: 'https://gateway.example',
  snapshot: { takenAt: '2031-02-03T04:05:06.000Z', ageSeconds: 1601 },
  summary: { AliasTopic: 1 },
  resources: [
    {
      address: address('AliasTopic', 'gets-alias'),
      apiVersion: 'gateway/v2',
      kind: 'AliasTopic',
      metadata: { name: 'gets-alias' },
      spec: { physicalName: 'gets-topic' },
    },
  ],
  unavailable: [{ kind: 'ConcentrationRule', words: 'no path for rules' }],
  problems: [problem('get', 1602)],
};

export const migrate: MigrateReport = {
  format: 'gwconf/migrate-report@1',
  result: 'not-converted',
  summary: { converted: 1701, 'converted with a choice': 1702, imperative: 1703, cannot: 1704 },
  gateways: [{ gateway: 'http://old.example:8888', folder: 'new-files', objects: 1705, files: 1706 }],
  variables: [{ name: 'OF_SCRIPTS', secret: false }],
  calls: [
    {
      file: 'old.sh',
      line: 1707,
      gateway: 'http://old.example:8888',
      method: 'PUT',
      path: '/admin/odd',
      outcome: 'cannot',
      why: 'nothing in v2 does it',
      to: [],
    },
    {
      file: 'http://older.example:8888',
      object: 'the object of older',
      outcome: 'converted with a choice',
      why: 'another name was chosen',
      to: [address('AliasTopic', 'chosen')],
    },
  ],
  problems: [problem('migrate', 1709)],
};

export const environments: EnvironmentsReport = {
  format: 'gwconf/environments-report@1',
  result: 'ok',
  since: 'origin/older',
  environments: [
    { environment: 'first-listed', files: ['files-of-first'], changed: ['changed-of-first'] },
    { environment: 'second-listed', files: ['files-of-second'], changed: ['changed-of-second'] },
  ],
  problems: [problem('environments', 1801)],
};

const validateOf = (name: string, place: number): ValidateReport => ({
  format: 'gwconf/validate-report@1',
  result: 'valid',
  summary: { resources: place, errors: place + 1, warnings: place + 2, environments: [`of-${name}`] },
  problems: [problem(name, place + 3)],
});

export const fleet: FleetReport = makeFleetReport(
  'validate',
  [
    { environment: 'fleet-one', state: 'ended', outcome: validateOf('fleet-one', 1901) },
    { environment: 'fleet-two', state: 'not-begun', outcome: validateOf('fleet-two', 1911) },
  ],
  {
    waves: [
      {
        environments: ['fleet-one'],
        state: 'ended',
        checks: [{ check: 'doctor', environment: 'fleet-one', result: 'ok', found: 'Nothing is odd.' }],
      },
      { environments: ['fleet-two'], state: 'not-begun', checks: [] },
    ],
    problems: [problem('fleet', 1921)],
  },
);

export const SAMPLES: Readonly<Record<string, Report>> = {
  plan,
  caused,
  explanation,
  apply,
  drift,
  diff,
  effective,
  compared,
  coverage,
  selftest,
  test,
  runs,
  run,
  validate,
  resolve,
  plugins,
  switched,
  doctor,
  exported,
  issued,
  token,
  scan,
  environments,
  fleet,
};
