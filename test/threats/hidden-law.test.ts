import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isList, isTextOrNumber, valueOf, type Json, type JsonObject } from '../../src/model/json/json.ts';
import { NAMES, entryOf, type Name } from '../../src/cli/table/commands.ts';
import { fieldOf, itemOf } from '../../src/schema/fields.ts';
import { formNamed } from '../../src/schema/load/recognise.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { projectSchema } from '../../src/schema/project/project-schema.ts';
import { testSchema } from '../../src/schema/tests/test-schema.ts';
import { printYaml } from '../../src/schema/yaml/print.ts';
import type { World } from '../support/cli.ts';
import { hasGit, makeGitWorld, type GitWorld } from '../support/git-world.ts';
import { placesIn, withTextAt, type DocumentPlace } from '../support/places.ts';
import { time } from '../support/order-pairs.ts';
import { isSoak, someOf } from '../support/soak.ts';
import { makeWorld, worldsLike } from '../support/cli.ts';
import { tokenWith } from '../support/tokens.ts';

/** A masker that hides nothing, so that only the origin of a value does. */
const BLIND = { learn: () => undefined, mask: (text: string) => text, net: (text: string) => text };

/**
 * How each command is run on a project in which a value is hidden, in turn, in one folder; or why it has nothing to do with such a
 * value. What applies is run on a copy of the gateway.
 */
const WALK: Readonly<Record<Name | 'help', readonly string[] | { readonly not: string }>> = {
  init: ['init --yes --url embedded:../gateway.json'],
  validate: ['validate', 'validate --fail-on warning --topics topics.txt'],
  plan: [
    'plan --out saved.plan',
    'plan --detail full --prune --topics topics.txt',
    'plan --snapshot live.json',
    'plan --base HEAD --fail-on loss',
    'plan --explain Interceptor/mask@vCluster=prod,group=payments',
    'plan --target Interceptor/*',
    'plan --env *',
  ],
  apply: ['apply --auto-approve --url embedded:applied.json', 'plan --url embedded:applied.json'],
  undo: ['undo --auto-approve --url embedded:applied.json'],
  import: ['import --dry-run', 'import --drift --deleted --dry-run'],
  drift: ['drift', 'drift --env *'],
  diff: ['diff --from prod --to other', 'diff --from prod --to live:other'],
  get: ['get', 'get -f a.yaml'],
  plugins: ['plugins'],
  effective: [
    'effective --why',
    'effective --topic cards-5',
    'effective --uncovered --topics topics.txt',
    'effective --compare',
    'effective --live',
    'effective --as payments-app --virtual-cluster prod --external-group payments-readers',
  ],
  resolve: ['resolve --as payments-app --virtual-cluster prod'],
  render: ['render'],
  environments: ['environments', 'environments --changed-since HEAD -o json'],
  doctor: ['doctor', 'doctor --deep'],
  journal: ['journal'],
  show: ['show saved.plan', 'show saved.plan -f a.yaml'],
  test: ['test'],
  comment: ['comment saved.plan --dry-run'],
  snapshot: ['snapshot --out new.json', 'snapshot --out newer.json -f a.yaml'],
  export: ['export --out tree', 'export --out tree2 -f a.yaml'],
  migrate: ['migrate --scan call.sh', 'migrate call.sh --out migrated'],
  'token issue': ['token issue --account app --lifetime 1h --out t.token'],
  'token inspect': ['token inspect a.token'],
  fmt: ['fmt --check', 'fmt'],
  keygen: { not: 'makes a key of nothing' },
  'cluster switch': { not: 'reads no file but gwconf.yaml, whose settings each other command reads' },
  controller: { not: 'prints a log only; its own test looks for secrets in all that it tells' },
  gateway: { not: 'reads no file of a project' },
  schema: { not: 'prints what is built in' },
  explain: { not: 'prints what is built in' },
  template: { not: 'prints what is built in' },
  'language-server': { not: 'has no report; what it says is in test/editor/' },
  mcp: { not: 'runs the commands above; what it adds is in test/cli/mcp/' },
  version: { not: 'prints what is built in' },
  completion: { not: 'prints what is built in' },
  help: { not: 'prints what is built in' },
};

const READ_ONLY = 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin';
const MASK = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';
const TUNING = 'io.conduktor.gateway.interceptor.safeguard.ProducePolicyPlugin';

/** The example of each kind, and what makes them a project; with optional fields that the examples do without. */
const DOCUMENTS: readonly JsonObject[] = [
  {
    apiVersion: 'gateway/v2',
    kind: 'VirtualCluster',
    metadata: { name: 'prod' },
    spec: {
      type: 'Standard',
      aclEnabled: true,
      aclMode: 'REST_API',
      acls: [
        {
          resourcePattern: { resourceType: 'TOPIC', name: 'cards', patternType: 'PREFIXED' },
          principal: 'User:payments-app',
          host: '*',
          operation: 'READ',
          permissionType: 'ALLOW',
        },
      ],
    },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'VirtualCluster',
    metadata: { name: 'kafka' },
    spec: { aclEnabled: true, aclMode: 'KAFKA_API', superUsers: ['kafka-admin'] },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'orders', vCluster: 'prod' },
    spec: { physicalName: 'orders-v3', physicalCluster: 'main' },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'ConcentrationRule',
    metadata: { name: 'events', vCluster: 'prod' },
    spec: {
      pattern: 'events-.*',
      physicalTopics: { delete: 'prod-events', compact: 'prod-compact', deleteCompact: 'prod-both' },
      autoManaged: true,
      offsetCorrectness: false,
    },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name: 'payments-app', vCluster: 'prod' },
    spec: { type: 'EXTERNAL', externalNames: ['00u9vme99nxudvxZA0h7'] },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name: 'app' },
    spec: { type: 'LOCAL' },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'GatewayGroup',
    metadata: { name: 'payments' },
    spec: { members: [{ name: 'payments-app', vCluster: 'prod' }], externalGroups: ['payments-readers'] },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'read-only', scope: { vCluster: 'prod' } },
    spec: {
      comment: 'Clients must not write audit topics',
      pluginClass: READ_ONLY,
      priority: 4711,
      config: { topic: 'cards-.*', action: 'BLOCK' },
    },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'mask', scope: { vCluster: 'prod', group: 'payments' } },
    spec: {
      pluginClass: MASK,
      priority: 4712,
      config: {
        topic: 'cards-.*',
        policies: [
          {
            name: 'last',
            rule: { type: 'MASK_LAST_N', maskingChar: '*', numberOfChars: 4 },
            fields: ['card'],
          },
        ],
      },
    },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'acks', scope: { vCluster: 'passthrough', username: 'app' } },
    spec: {
      pluginClass: TUNING,
      priority: 4713,
      config: { topic: 'cards-.*', acks: { value: [-1], action: 'BLOCK' } },
    },
  },
  {
    apiVersion: 'gwconf/v1',
    kind: 'UserMapping',
    metadata: { name: 'payments-api', vCluster: 'prod' },
    spec: { principal: '8d5e86b4-6a41-4e94-b6a8-1e5b7723e858', groups: ['payments'] },
  },
  {
    apiVersion: 'gwconf/v1',
    kind: 'Removal',
    metadata: { name: 'retire' },
    spec: {
      remove: ['Interceptor/mask-v1@vCluster=prod'],
      moved: [{ from: 'AliasTopic/old-orders@vCluster=prod', to: 'AliasTopic/orders@vCluster=prod' }],
      reason: 'replaced by mask',
      expires: '2027-01-31',
    },
  },
];

/** What only the gateway has. */
const STRAYS: readonly JsonObject[] = [
  {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name: 'mask-v1', scope: { vCluster: 'prod' } },
    spec: {
      pluginClass: MASK,
      priority: 4718,
      config: {
        topic: 'cards-.*',
        policies: [{ name: 'all', rule: { type: 'MASK_ALL' }, fields: ['card'] }],
      },
    },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'old-orders', vCluster: 'prod' },
    spec: { physicalName: 'orders-v2' },
  },
  {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'stray' },
    spec: { physicalName: 'stray-topic' },
  },
];

const PROJECT: JsonObject = {
  apiVersion: 'gwconf/v1',
  kind: 'Project',
  environments: {
    prod: {
      gateway: { url: 'embedded:gateway.json', user: 'u', password: 'p', timeout: '5s' },
      version: '3.21.1',
      security: 'GATEWAY_MANAGED',
      files: ['a.yaml'],
      topics: 'topics.txt',
      variables: { unused: 'text' },
      publicVariables: ['REGION'],
      exec: { p: { command: ['echo', 'x'], timeout: '1s' } },
      manages: ['*', { kind: 'AliasTopic', virtualCluster: 'a', name: 'b' }, '!AliasTopic/z*'],
      protect: [{ kind: 'AliasTopic', address: 'AliasTopic/kept*', reason: 'r', secrets: false }],
      limits: { deletes: 50, updates: '100%', kinds: { AliasTopic: { deletes: 5 } } },
      token: { maxLifetime: '30d', accounts: [{ address: '*', maxLifetime: '12h', reason: 'r' }] },
      protection: { pci: ['*MaskingPlugin'] },
      exposures: [
        { address: 'Interceptor/mask-v1@*', protection: 'masking', reason: 'r', until: '2027-01-31' },
      ],
      external: ['AliasTopic/z*'],
      ignore: [{ address: 'AliasTopic/x*', path: '/spec', reason: 'r', owner: 'o', until: '2999-12-31' }],
    },
    other: { gateway: { url: 'embedded:other.json' }, files: ['other.yaml'] },
  },
  differs: [{ address: 'AliasTopic/*', path: '/spec', between: ['prod', 'other'], reason: 'r' }],
  lint: { 'priority-tie': 'info' },
  policies: {
    builtIn: {
      'no-wildcard-masks': { severity: 'advisory' },
      'required-comment': { pattern: 'C', severity: 'advisory' },
    },
    rules: [
      {
        name: 'few',
        expression: 'object.spec.priority < 4715',
        match: { kind: 'Interceptor' },
        message: 'too late',
        severity: 'advisory',
        examples: {
          pass: [{ object: { spec: { priority: 1 } } }],
          fail: [{ object: { spec: { priority: 9999 } } }],
        },
        waivers: [{ reason: 'soon', owner: 'o', until: '2027-01-31', address: 'Interceptor/x*' }],
      },
    ],
  },
};

const TEST: JsonObject = {
  apiVersion: 'gwconf/v1',
  kind: 'Test',
  environment: 'prod',
  files: ['a.yaml'],
  cases: [
    {
      name: 'masks',
      as: { username: 'payments-app', virtualCluster: 'prod', groups: ['payments'] },
      topic: 'cards-5',
      expect: {
        includes: ['Interceptor/mask@*'],
        excludes: ['Interceptor/acks@*'],
        protectedBy: ['masking'],
      },
    },
    {
      name: 'order',
      as: { username: 'payments-app', virtualCluster: 'prod' },
      expect: {
        chain: ['Interceptor/read-only@vCluster=prod', 'Interceptor/mask@vCluster=prod,group=payments'],
      },
    },
    { name: 'later', as: '*', after: 'plan', expect: { noLastingLoss: true } },
  ],
};

const FILES: Readonly<Record<string, string>> = {
  'gwconf.yaml': printYaml([PROJECT]),
  'strays.yaml': printYaml(STRAYS),
  'topics.txt': 'cards-5\ncards-9\nevents-5\n',
  'all.gwtest.yaml': printYaml([TEST]),
  'a.token': tokenWith({ username: 'app' }),
  '.gitignore': '*.token\n.gwconf\n*.json\n',
  'call.sh': 'curl -u admin:conduktor -X POST http://gw:8888/admin/vclusters/v1/vcluster/${CANARY}\n',
};

/** A snapshot of the gateway, the files without their project, and a commit. */
async function finish(world: GitWorld): Promise<void> {
  await world.run('snapshot', '--env', 'prod', '--out', 'live.json');
  mkdirSync(join(world.folder, 'bare'));
  cpSync(join(world.folder, 'a.yaml'), join(world.folder, 'bare/a.yaml'));
  world.commit();
}

/** Where no repository, environment or gateway has anything yet: of two words or flags, each of them would have one. */
const makeFirst = worldsLike(async () => {
  const world = makeGitWorld({ ...FILES, 'a.yaml': '', 'other.yaml': '' });
  await finish(world);
  return world;
});

/** The project in a folder, with a gateway that has most of it, a snapshot, a run that is recorded, and a commit. */
const makeBase = worldsLike(async () => {
  const world = makeGitWorld({
    ...FILES,
    'a.yaml': printYaml(DOCUMENTS),
    'other.yaml': printYaml(DOCUMENTS.slice(0, 4)),
  });
  const apply = async (file: string, url = 'embedded:gateway.json'): Promise<void> => {
    const ran = await world.run('apply', '--env', 'prod', '-f', file, '--url', url, '--auto-approve');
    expect(ran.code, ran.err).toBe(0);
  };
  const docs = DOCUMENTS.filter(({ kind }) => kind !== 'Removal');
  world.write('b.yaml', printYaml([docs[0] ?? {}, ...STRAYS]));
  await apply('b.yaml');
  world.write('b.yaml', printYaml(docs));
  await apply('b.yaml');
  cpSync(join(world.folder, 'gateway.json'), join(world.folder, 'applied.json'));
  await apply('b.yaml', 'embedded:other.json');
  await finish(world);
  return world;
});

/** A project in which a value at some place is `CANARY`, and two values that it can have, neither of which the gateway has there. */
type Scene = {
  readonly about: string;
  readonly files: Readonly<Record<string, string>>;
  readonly values: readonly [one: string, other: string];
  /** Whether it is of two words or flags, so that nothing may have it yet. */
  readonly isFirst: boolean;
  /** The commands of which the gateway's own answer tells of the value. */
  readonly without: readonly string[];
};

/** They apply, or show what was: a gateway refuses a value that is odd. */
const APPLYING: readonly string[] = ['apply', 'undo', 'journal'] satisfies Name[];

/** Of ACLs and accounts, of which a gateway refuses one with the fields beside it. */
const ODD_WORDS: ReadonlySet<string> = new Set(['KAFKA_API', 'LOCAL']);

/** Pairs of values of the type of a place. */
function valuesFor(
  value: Json,
  schema: Json | undefined,
): readonly Pick<Scene, 'values' | 'isFirst' | 'without'>[] {
  const usual = { isFirst: false, without: [] };
  // A gateway leaves out a flag that is at its default, so that there is none to restore.
  if (typeof value === 'boolean') return [{ values: ['true', 'false'], isFirst: true, without: ['undo'] }];
  if (typeof value === 'number') return [{ ...usual, values: ['4709', '4720'] }];
  const words = valueOf(schema, 'enum');
  const [one, other] = isList(words) ? words.filter((word) => typeof word === 'string') : [];
  if (one !== undefined && other !== undefined)
    return [{ values: [one, other], isFirst: true, without: ODD_WORDS.has(one) ? APPLYING : [] }];
  return [
    { ...usual, values: ['cards-5', 'zz-9'] },
    { ...usual, values: ['cards-5', 'x(9]'], without: APPLYING },
  ];
}

/** Every place of a document of a file, with the variable alone and within a text. */
function* scenesOf(
  file: string,
  documents: readonly Json[],
  at: number,
  schema: Json | undefined,
): Generator<Scene> {
  const document = documents[at] ?? null;
  for (const place of placesIn(document)) {
    const value = place.tokens.reduce<Json | undefined>(valueOf, document) ?? null;
    const isValue = place.on === 'value';
    const scene = (text: string, pair: ReturnType<typeof valuesFor>[number]): Scene => {
      const attacked = documents.with(at, withTextAt(document, place, text));
      const isTyped = isValue && (typeof value === 'number' || typeof value === 'boolean');
      const print = isTyped
        ? printYaml
        : (all: readonly Json[]) => all.map((one) => JSON.stringify(one)).join('\n---\n');
      return {
        ...pair,
        about: `${place.on} ${place.tokens.join('/')} of ${file} ${at}: ${text}, ${pair.values.join(' or ')}`,
        files: { [file]: print(attacked) },
      };
    };
    for (const pair of isValue ? valuesFor(value, schemaOf(schema, document, place)) : valuesFor('', {}))
      yield scene('${CANARY}', pair);
    if (isValue && typeof value === 'string')
      yield scene('cards-[4-${CANARY}]', { values: ['5', '9'], isFirst: false, without: [] });
  }
}

function schemaOf(schema: Json | undefined, document: Json, { tokens }: DocumentPlace): Json | undefined {
  let [found, value]: [Json | undefined, Json | undefined] = [schema, document];
  for (const token of tokens) {
    found = isList(value ?? null) ? itemOf(found) : fieldOf(found, token);
    value = valueOf(value, token);
  }
  return found;
}

const kindOf = ({ kind }: JsonObject): string => (typeof kind === 'string' ? kind : '');

const FORMS = new Map<string, Json>(
  [...catalog.kinds.values(), ...catalog.ownKinds.values()].map((kind) => [
    kind.name,
    { type: 'object', properties: kind.schema },
  ]),
);

const SCENES: readonly Scene[] = [
  ...DOCUMENTS.flatMap((document, at) => [...scenesOf('a.yaml', DOCUMENTS, at, FORMS.get(kindOf(document)))]),
  ...scenesOf('gwconf.yaml', [PROJECT], 0, projectSchema),
  ...scenesOf('all.gwtest.yaml', [TEST], 0, testSchema),
];

/** A soak takes most of an hour for all lines at all places, however few pairs it has. */
const LONG = 3 * 3_600_000;

type Line = { readonly command: string; readonly line: string };
const LINES: readonly Line[] = NAMES.flatMap((command) => {
  const lines = WALK[command];
  return 'not' in lines ? [] : lines.map((line) => ({ command, line }));
});

/** With each format of the command: as files where it writes them, and otherwise in turn. */
function* commandLines({ command, line }: Line): Generator<readonly string[]> {
  const args = line.split(' ');
  const { formats } = entryOf(command as Name);
  if (formats === undefined || line.includes('--explain')) yield args;
  else if ('toFiles' in formats) {
    const file = `reports/${line.replaceAll(/\W+/g, '-')}`;
    const turn = LINES.findIndex((one) => one.line === line);
    const others = formats.names.filter(
      (name, at) => isSoak() || name === 'json' || at === turn % formats.names.length,
    );
    yield [...args, ...others.flatMap((name) => ['-o', `${name}=${file}.${name}`]), '-o', formats.names[0]];
  } else for (const name of isSoak() ? formats.names : formats.names.slice(-2)) yield [...args, '-o', name];
}

// What may differ: digests of secrets, which are slow and salted, and those of files that have some.
const DIGEST = /\b\d+\.[\da-f]{32}\b|\b[\da-f]{64}\b/g;

/** All that is said and left behind, by command line and file. */
async function walk(
  base: World,
  { files }: Scene,
  value: string,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, string>> {
  const world = makeWorld();
  cpSync(base.folder, world.folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    world.write(path, text);
    world.write(`bare/${path}`, text);
  }
  rmSync(join(world.folder, 'bare/gwconf.yaml'), { force: true });
  Object.assign(world.env, { CI: 'true', GWCONF_ALLOWED_VARIABLES: 'CANARY', CANARY: value });
  const said = new Map<string, string>();
  for (const line of lines)
    for (const args of commandLines(line)) {
      const env = ['diff', 'migrate', 'init'].includes(line.command) ? {} : { GWCONF_ENV: 'prod' };
      const within = line.command === 'init' ? 'bare' : '';
      const { code, out, err, questions } = await world.runWith({ masker: BLIND, env, within }, ...args);
      expect(code, `${line.line}\n${err}`).not.toBe(70);
      said.set(args.join(' '), [code, out, err, ...questions].join('\n'));
    }
  for (const one of readdirSync(world.folder, { recursive: true, withFileTypes: true })) {
    const path = join(one.parentPath, one.name);
    const name = path.slice(world.folder.length + 1);
    if (one.isFile() && !name.startsWith('.git/') && !STATES.includes(name))
      said.set(name, readFileSync(path, 'utf8'));
  }
  return new Map(
    Array.from(said, ([about, text]) => [
      about,
      text.replaceAll(DIGEST, 'digest').replaceAll(world.folder, ''),
    ]),
  );
}
/** What a gateway has may differ: it gets the value. */
const STATES = ['gateway.json', 'applied.json', 'other.json'];

/** What differs between two values of a hidden variable, in short. */
async function differences(base: World, scene: Scene, lines: readonly Line[]): Promise<readonly string[]> {
  const own = lines.filter(({ command }) => !scene.without.includes(command));
  const [one, other] = [
    await walk(base, scene, scene.values[0], own),
    await walk(base, scene, scene.values[1], own),
  ];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((about) => {
    const [said, also] = [one.get(about)?.split('\n') ?? [], other.get(about)?.split('\n') ?? []];
    const at = Array.from({ length: Math.max(said.length, also.length) }).findIndex(
      (_, line) => said[line] !== also[line],
    );
    return at === -1
      ? []
      : [`${scene.about}\n  ${about}\n  ${said[at] ?? 'nothing'}\n  ${also[at] ?? 'nothing'}`];
  });
}

/** A document with a secret wherever one can be, so that none hides behind another. */
function withAll(document: JsonObject, isNumber: boolean): Json {
  const form = FORMS.get(kindOf(document));
  const shown = formNamed(document['kind'], catalog)?.shown ?? [];
  const isShown = ({ tokens }: DocumentPlace): boolean =>
    shown.some((place) => place.every((token, at) => token === '*' || token === tokens[at]));
  return placesIn(document)
    .filter((place) => place.on === 'value' && place.tokens[0] === 'spec' && !isShown(place))
    .reduce<Json>((made, place) => {
      const value = place.tokens.reduce<Json | undefined>(valueOf, document) ?? null;
      const isWord =
        isList(valueOf(schemaOf(form, document, place), 'enum')) ||
        /^[A-Z_]+$|^-?.$/.test(typeof value === 'string' ? value : JSON.stringify(value));
      if (!isTextOrNumber(value) || isWord || (typeof value === 'number' && !isNumber)) return made;
      return withTextAt(made, place, typeof value === 'string' ? `${value}-\${CANARY}` : '${CANARY}');
    }, document);
}

describe.skipIf(!hasGit)('threat: author: two runs that differ only in a hidden value', () => {
  const everywhere = (isNumber: boolean): Scene => ({
    about: 'every place at once',
    files: { 'a.yaml': printYaml(DOCUMENTS.map((one) => withAll(one, isNumber))) },
    values: ['4709', '4720'],
    isFirst: false,
    without: [],
  });

  it(
    'print, save and exit the same, for every command, with a secret wherever one can be',
    time,
    async () => {
      const base = await makeBase();
      // Where a priority is hidden there are no chains to ask for.
      const asks = ({ command }: Line): boolean => ['effective', 'test'].includes(command);
      const works = LINES.filter((line) => !asks(line) && (isSoak() || !line.line.includes('--target')));
      expect(await differences(base, everywhere(true), works)).toEqual([]);
      expect(await differences(base, everywhere(false), LINES.filter(asks))).toEqual([]);
    },
  );

  it('are runs that do what they are asked, and not refused before', time, async () => {
    const lines = LINES.filter(({ line }) =>
      /^(?:validate|plan --out|apply|show|comment|get|export|effective --why)/.test(line),
    );
    const ran = await walk(await makeBase(), everywhere(false), '4709', lines);
    const codes = [...ran].filter(
      ([about, text]) =>
        lines.some(({ command }) => about.startsWith(`${command} `)) && !text.startsWith('0\n'),
    );
    expect(codes.map(([about]) => about.split(' -o ')[0])).toEqual([
      'validate --fail-on warning --topics topics.txt',
    ]);
  });

  it(
    'print, save and exit the same, with a secret at each place of documents, gwconf.yaml and tests',
    { timeout: isSoak() ? LONG : time.timeout },
    async () => {
      const [usual, first] = await Promise.all([makeBase(), makeFirst()]);
      const found: string[] = [];
      for (const [at, scene] of someOf(SCENES, 320, 11).entries())
        found.push(
          ...(await differences(
            scene.isFirst ? first : usual,
            scene,
            LINES.filter((_, line) => isSoak() || line % 6 === at % 6),
          )),
        );
      expect(found).toEqual([]);
    },
  );

  it('are of every command: each says how it is run, or why it has nothing to do with a hidden value', () => {
    expect(Object.keys(WALK).sort()).toEqual([...NAMES, 'help'].sort());
  });
});
