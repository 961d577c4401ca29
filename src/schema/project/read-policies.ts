import { present } from '../../model/collect.ts';
import { printPointer, valueOf, type Pointer, type JsonObject } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { BuiltInName, Policy, RawPolicy } from '../../model/policy.ts';
import { makeProblem, type Checked, type Place, type Problem, type SourceFile } from '../../model/problem.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { builtInPolicies } from '../kinds/policies/built-in.ts';
import { unknownKind } from '../load/address.ts';
import { checkShape } from '../own-file.ts';
import { describe } from '../wording.ts';
import { placeIn } from '../yaml/document.ts';
import type { KeptPlaceholders } from '../yaml/interpolate.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';
import { policySchema } from './policy-schema.ts';
import { globProblem, kindProblem } from './project-rules.ts';

export function readPolicies(file: SourceFile, kinds: KindSet): Checked<readonly Policy[]> {
  const documents = parseYaml(file, NO_PLACEHOLDERS);
  const each = documents.map((document) => readPolicy(document, kinds));
  return {
    value: each.flatMap(({ value }) => value ?? []),
    problems: each.flatMap(({ problems }) => problems),
  };
}

function readPolicy(document: ParsedDocument, kinds: KindSet): Checked<Policy | undefined> {
  const { value } = document;
  const placeOf = (path: Pointer): Place => placeIn(document, path);
  if (document.problems.length > 0) return { value: undefined, problems: document.problems };
  const name = valueOf(valueOf(value, 'metadata'), 'name');
  const about = typeof name === 'string' ? `the policy ${name}` : 'the policy';
  const problems = checkShape(document, policySchema, about);
  if (problems.length > 0 || typeof name !== 'string') return { value: undefined, problems };
  const raw = valueOf(value, 'spec') as unknown as RawPolicy; // just held to its schema
  const policy = makePolicy(name, raw, (path) => placeOf(path === '' ? '/metadata/name' : `/spec${path}`));
  return { value: policy, problems: checkMatch(policy, kinds) };
}

type Matching = Pick<Policy, 'match' | 'waivers' | 'placeOf'>;

/** Globs that match nothing. */
function checkMatch({ match, waivers, placeOf }: Matching, kinds: KindSet): readonly Problem[] {
  const where = (...tokens: readonly (string | number)[]): Pick<Problem, 'at' | 'path'> => {
    const path = printPointer(tokens);
    return { at: placeOf(path), path };
  };
  return [
    ...(match.kind === undefined ? [] : kindProblem(match.kind, kinds, where('match', 'kind'))),
    ...(match.address === undefined ? [] : globProblem(match.address, kinds, where('match', 'address'))),
    ...excludedKind(match, kinds, where('match', 'address')),
    ...waivers.flatMap(({ address }, at) =>
      address?.includes('/') === true ? globProblem(address, kinds, where('waivers', at, 'address')) : [],
    ),
  ];
}

/** An address of another kind than the policy is for. */
function excludedKind(
  { kind = '*', address = '*' }: Policy['match'],
  kinds: KindSet,
  where: Pick<Problem, 'at' | 'path'>,
): readonly Problem[] {
  const [begin = ''] = address.split('/');
  const [isKind, isBegin] = [compileGlobs([kind]), compileGlobs([begin])];
  if (begin === address || [...kinds.keys()].some((name) => isKind(name) && isBegin(name))) return [];
  if (!kinds.has(begin)) return []; // told by itself
  return [
    makeProblem({
      code: 'invalid-value',
      message: `the policy is for ${kind}, so ${describe(address)} matches nothing`,
      ...where,
      hint: 'write an address of that kind, or change kind in match',
    }),
  ];
}

/** `policies` in the project file, valid against its schema. */
export type RawPolicySettings = {
  readonly builtIn?: Readonly<Partial<Record<BuiltInName, boolean | BuiltInSettings>>>;
  readonly files?: readonly string[];
  readonly rules?: readonly (RawPolicy & { readonly name: string })[];
};

/** The policies of a project: those in its file, and where the others are. */
export type PolicySettings = {
  readonly builtIn: readonly {
    readonly name: BuiltInName;
    readonly settings: BuiltInSettings;
    readonly place: Place;
  }[];
  /** Relative to the project file. */
  readonly files: readonly { readonly path: string; readonly place: Place }[];
  readonly rules: readonly Policy[];
};

/** The policies of a project, each with its place; globs that match nothing are problems. */
export function policySettingsIn(
  { builtIn = {}, files = [], rules = [] }: RawPolicySettings,
  kinds: KindSet,
  placeOf: (path: Pointer) => Place,
): Checked<PolicySettings> {
  const pathTo = (...tokens: readonly (string | number)[]): Pointer => printPointer(['policies', ...tokens]);
  const written = rules.map(({ name, ...raw }, at) =>
    makePolicy(name, raw, (path) => placeOf(`${pathTo('rules', at)}${path === '' ? '/name' : path}`)),
  );
  const switched = Object.entries(builtIn).flatMap(
    ([name, settings]) =>
      settings === false ? [] : [{ name: name as BuiltInName, settings: settings === true ? {} : settings }], // a key of the schema
  );
  const withOwnMatch = ({ name, settings }: (typeof switched)[number]): Matching => {
    const { match = {}, waivers = [] } = withSettings(builtInPolicies[name], settings);
    return { match, waivers, placeOf: (path) => placeOf(`${pathTo('builtIn', name)}${path}`) };
  };
  const unknownKinds = ({ name, settings }: (typeof switched)[number]): readonly Problem[] =>
    (settings.kinds ?? []).flatMap((kind, at): readonly Problem[] => {
      const path = pathTo('builtIn', name, 'kinds', at);
      if (kinds.has(kind)) return []; // a glob is none: names are compared
      return [{ severity: 'error', ...unknownKind(kind, kinds).fault, at: placeOf(path), path }];
    });
  return {
    value: {
      builtIn: switched.map((one) => ({ ...one, place: placeOf(pathTo('builtIn', one.name)) })),
      files: files.map((path, at) => ({ path, place: placeOf(pathTo('files', at)) })),
      rules: written,
    },
    problems: [
      ...[...written, ...switched.map(withOwnMatch)].flatMap((policy) => checkMatch(policy, kinds)),
      ...switched.flatMap(unknownKinds),
    ],
  };
}

/** A policy with what it leaves out. */
export function makePolicy(name: string, raw: RawPolicy, placeOf: (path: Pointer) => Place): Policy {
  const { expression, message, messageExpression, path, examples } = raw;
  const { match = {}, severity = 'mandatory', params = {}, waivers = [] } = raw;
  return {
    ...{ name, match, expression, message, severity, params, waivers, examples, placeOf },
    ...present({ messageExpression, path }),
  };
}

/** The settings of a built-in policy in the project file. */
type BuiltInSettings = Pick<RawPolicy, 'match' | 'severity' | 'waivers'> & {
  readonly kinds?: readonly string[];
  readonly [param: string]: unknown;
};

/** A built-in policy as a project has it. Its examples are about its own settings; a test holds it to them. */
export function withSettings(raw: RawPolicy, settings: BuiltInSettings): RawPolicy {
  const { match, severity, waivers, ...params } = settings;
  return {
    ...raw,
    examples: { pass: [], fail: [] },
    params: { ...raw.params, ...(params as JsonObject) }, // the rest of a value of JSON
    ...(match === undefined ? {} : { match: { ...raw.match, ...match } }),
    ...present({ severity, waivers }),
  };
}

/** Each placeholder is a fault. */
const NO_PLACEHOLDERS: KeptPlaceholders = {
  keep: () => ({
    code: 'bad-placeholder',
    message: 'a policy has no variables: found ${…}',
    hint: 'write the value out; or write $${…} for the text ${…}',
  }),
};
