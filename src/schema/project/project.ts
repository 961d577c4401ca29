import { mapValues } from '../../model/collect.ts';
import { isObject, joinPointer, printPointer, type JsonObject, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import {
  makeProblem,
  type Checked,
  type Place,
  type Problem,
  type SourceFile,
  didYouMean,
  isLowerable,
} from '../../model/problem.ts';
import { meaningOf, PROBLEM_CODES, type ProblemCode, type Severity } from '../../model/problem-codes.ts';
import type { DiffersRule, Rules } from '../../model/rules.ts';
import type { LocatedText } from '../../model/test-case.ts';
import { exposedBy } from '../yaml/exposure.ts';
import { fillFlat, type Fault, type Scalar, type Variables, type Written } from '../yaml/interpolate.ts';
import { differsIn, type RawDiffers, rulesIn, type RawRules } from './project-rules.ts';
import { wavesIn, type RawWave, type Wave } from './waves.ts';
import { policySettingsIn, type PolicySettings, type RawPolicySettings } from './read-policies.ts';
import { projectSchema } from './project-schema.ts';
import { checkShape } from '../own-file.ts';
import type { Violation } from '../validate.ts';
import { describeTypeOf } from '../wording.ts';
import { isAscii, spellOut } from '../../model/text/confusables.ts';
import { KnownNames } from '../../model/text/known-names.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isOurs } from '../yaml/ours.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';

/** The project file, `gwconf.yaml` at the root of a repository. */
export type Project = {
  readonly environments: ReadonlyMap<string, Environment>;
  /** Severities that differ from the table's, by problem code. */
  readonly lint: Readonly<Record<string, Severity | 'off'>>;
  /** The objects and fields that are meant to differ between environments. */
  readonly differs: readonly DiffersRule[];
  /** The order in which several environments are applied. */
  readonly waves: readonly Wave[];
  readonly policies: PolicySettings;
  /** A file of topic names, relative to the project file, for environments without their own. */
  readonly topics?: LocatedText;
  /** A copy of the gateway's description of its API, relative to the project file: it has kinds beside our own. */
  readonly kinds?: LocatedText;
  /** All of it as it is written; absent without a project file. */
  readonly written?: { readonly value: JsonObject; readonly placeOf: (path: Pointer) => Place };
};

export const EMPTY_PROJECT: Project = {
  environments: new Map(),
  lint: {},
  differs: [],
  waves: [],
  policies: { builtIn: [], files: [], rules: [] },
};

/** An environment; flags and environment variables supply missing settings. */
export type Environment = {
  readonly name: string;
  /** How to connect, as in the file. */
  readonly gateway?: Readonly<Partial<Record<GatewayField, WrittenSetting>>>;
  /** The version of the gateway; findings that depend on it are errors only if it is set. */
  readonly version?: string;
  /** A value of GATEWAY_SECURITY_PROTOCOL, or of GATEWAY_SECURITY_MODE. */
  readonly security?: string;
  readonly securityPlace?: Place;
  /** The allowed host of the gateway: a glob. */
  readonly pin?: { readonly host: string };
  /** Layers, relative to the project file: documents of a later one may overlay those of an earlier one. */
  readonly files?: readonly string[];
  /** The place of each of them in the project file. */
  readonly filePlaces?: readonly Place[];
  /** A file of topic names, relative to the project file. */
  readonly topics?: LocatedText;
  readonly variables?: Readonly<Record<string, Scalar | Written>>;
  /** Environment variables whose values may be shown. */
  readonly publicVariables?: readonly string[];
  /** The programs that `${exec:NAME}` may run, by name. */
  readonly exec?: Readonly<Record<string, Exec>>;
} & Rules;

/** Fields of `gateway`: `ca`, `cert` and `key` are paths of PEM files, relative to the project file; `timeout` is a duration. */
type GatewayField = 'url' | 'user' | 'password' | 'ca' | 'cert' | 'key' | 'timeout';

/** A connection setting, which may have placeholders. */
type WrittenSetting = { readonly text: string; readonly hasVariables: boolean; readonly place: Place };

/** A program that prints a secret. */
export type Exec = {
  /** The program and its arguments; runs without a shell. */
  readonly command: readonly string[];
  /** A duration: `30s`. Default: 10 seconds. */
  readonly timeout?: string;
};

export function parseProject(file: SourceFile, kinds: KindSet): Checked<Project | undefined> {
  const [document, second] = parseYaml(file, { keep });
  if (document === undefined) return { value: EMPTY_PROJECT, problems: [] };
  const problem = (
    path: Pointer,
    on: 'key' | 'value',
    about: Pick<Problem, 'code' | 'message' | 'hint'>,
  ): Problem => {
    const at: Place = { document: document.ref, path, on };
    return { severity: 'error', at, path, ...about };
  };
  const broken = document.problems.filter(({ code }) => code !== 'bad-placeholder' || isOurs(file));
  if (!isObject(document.value) || !isOurs(file)) {
    const message = `expected a project file; found ${isObject(document.value) ? 'something else' : describeTypeOf(document.value)}`;
    const fault = problem('', 'value', {
      code: 'invalid-value',
      message,
      hint: 'write apiVersion, kind and environments',
    });
    return { value: undefined, problems: broken.length > 0 ? broken : [fault] };
  }
  const violations = checkShape(
    { ...document, problems: broken },
    projectSchema,
    'the project file',
    isSetting,
  );
  const more = second === undefined ? [] : [secondDocument(second)];
  const problems = [...broken, ...violations, ...more];
  if (problems.length > 0) return { value: undefined, problems };
  const value = document.value as unknown as RawProject; // just held to its schema
  const placeOf = (path: Pointer): Place => ({ document: document.ref, path, on: 'value' });
  const environments = Object.entries(value.environments ?? {}).map(([name, written]) => {
    const { gateway, variables, topics, ...all } = written;
    const { manages, protect, overlays, limits, external, ignore, token, protection, exposures, ...others } =
      all;
    const raw = { manages, protect, overlays, limits, external, ignore, token, protection, exposures };
    const pathTo = (...tokens: readonly string[]): Pointer => printPointer(['environments', name, ...tokens]);
    const settingOf = (text: string, field: string): WrittenSetting => {
      const path = pathTo('gateway', field);
      return { text, hasVariables: document.templates.has(path), place: placeOf(path) };
    };
    const typedOf = (value: Scalar, own: string): Scalar | Written =>
      document.templates.get(pathTo('variables', own)) ?? value;
    const environment = {
      ...others,
      ...(written.files && {
        filePlaces: written.files.map((_, at) => placeOf(pathTo('files', String(at)))),
      }),
      ...(written.security && { securityPlace: placeOf(pathTo('security')) }),
      ...(topics !== undefined && { topics: { text: topics, at: placeOf(pathTo('topics')) } }),
      ...(gateway && { gateway: mapValues(gateway, settingOf) }),
      ...(variables && { variables: mapValues(variables, typedOf) }),
    };
    return { name, environment, rules: rulesIn(raw, name, kinds, placeOf) };
  });
  const names = environments.map(({ name }) => name);
  const differs = differsIn(value.differs ?? [], names, kinds, placeOf);
  const waves = wavesIn(value.waves ?? [], names, placeOf);
  const policies = policySettingsIn(value.policies ?? {}, kinds, placeOf);
  return {
    value: {
      environments: new Map(
        environments.map(({ name, environment, rules }) => [name, { name, ...environment, ...rules.value }]),
      ),
      lint: value.lint ?? {},
      differs: differs.value,
      waves: waves.value,
      policies: policies.value,
      ...(value.topics !== undefined && { topics: { text: value.topics, at: placeOf('/topics') } }),
      ...(value.kinds !== undefined && { kinds: { text: value.kinds, at: placeOf('/kinds') } }),
      written: { value: document.value, placeOf },
    },
    problems: [
      ...environments.flatMap(({ rules }) => rules.problems),
      ...environments.flatMap(({ environment }) => literalPasswords(environment)),
      ...similarNames(names, placeOf),
      ...differs.problems,
      ...waves.problems,
      ...policies.problems,
      ...Object.entries(value.lint ?? {}).flatMap(([code, severity]) => {
        if (!isCode(code)) return [problem(joinPointer('/lint', code), 'key', unknownCode(code))];
        const usual = meaningOf(code)?.severity ?? 'error';
        if (severity === 'error' || severity === usual || isLowerable(code, usual)) return [];
        return [problem(joinPointer('/lint', code), 'value', notLowerable(code, severity))];
      }),
    ],
  };
}

/** Environments that a reader takes for another. */
function similarNames(names: readonly string[], placeOf: (path: Pointer) => Place): readonly Problem[] {
  const known = new KnownNames<string>(names.every(isAscii), (name, change) => change(name));
  return names.flatMap((name) => {
    const other = known.add(name);
    if (other === undefined) return [];
    return makeProblem({
      code: 'similar-names',
      message: `the environment ${spellOut(name)} looks like ${spellOut(other)}`,
      at: { ...placeOf(joinPointer('/environments', name)), on: 'key' },
      hint: 'rename one of them',
    });
  });
}

/** Variables can fill in connections and variables of environments, and nothing that decides what a run does. */
function keep(path: Pointer, on: 'key' | 'value'): Fault | undefined {
  if (on === 'value' && /^\/environments\/[^/]*\/(?:gateway|variables)\/[^/]*$/.test(path)) return undefined;
  return {
    code: 'bad-placeholder',
    message: 'only gateway and variables of an environment can have ${…} in gwconf.yaml',
    hint: 'write the value out; or write $${…} for the text ${…}',
  };
}

/** The settings of a connection, filled in. */
export type GatewaySettings = Readonly<Partial<Record<GatewayField, string>>>;
/** The same, the names of those that must not be shown, and why others have no value. */
type FilledGateway = Checked<GatewaySettings> & { readonly secret: readonly string[] };

/** Fills in the connection of an environment; each setting that has no value is a problem. */
export function fillGateway(
  { gateway = {} }: Pick<Environment, 'gateway'>,
  variables: Variables,
): FilledGateway {
  const filled = Object.entries(gateway).map(([field, { text, hasVariables, place }]) => {
    if (!hasVariables) return { value: [[field, text]], secret: [], problems: [] };
    const { text: value, variables: names, faults } = fillFlat(text, variables, 'setting');
    const isShown = !HIDDEN_SETTINGS.includes(field);
    const all = isShown && names.length > 0 ? [...faults, exposedBy(names, variables)] : faults;
    const path = 'path' in place ? { path: place.path } : {};
    const problems = all.map((fault): Problem => ({ severity: 'error', at: place, ...path, ...fault }));
    const secret = names.length > 0 ? [field] : [];
    return { value: all.length > 0 ? [] : [[field, value]], secret, problems };
  });
  return {
    value: Object.fromEntries(filled.flatMap(({ value }) => value)) as GatewaySettings, // the fields of gateway
    secret: filled.flatMap(({ secret }) => secret),
    problems: filled.flatMap(({ problems }) => problems),
  };
}

/** Whether a setting of a connection is found, which may be a password. */
function isSetting({ path, found }: Violation): boolean {
  return path.includes('/gateway/') && found !== null && typeof found !== 'object';
}

/** Others are part of messages and reports. */
const HIDDEN_SETTINGS: readonly string[] = ['user', 'password'];

function isCode(code: string): code is ProblemCode {
  return meaningOf(code) !== undefined;
}

/** A gateway inside gwconf has no password to keep. */
function literalPasswords({ gateway = {} }: Pick<Environment, 'gateway'>): readonly Problem[] {
  const { url, password } = gateway;
  if (password === undefined || password.hasVariables || url?.text.startsWith('embedded:') === true)
    return [];
  return [
    makeProblem({
      code: 'literal-secret',
      message: 'the project file has the password of a gateway in clear text',
      at: password.place,
      confidential: true,
      hint: 'use ${VARIABLE} and set it where gwconf runs, or leave it out and set GWCONF_PASSWORD',
    }),
  ];
}

function unknownCode(code: string): Pick<Problem, 'code' | 'message' | 'hint' | 'instead'> {
  const near = suggest(code, Object.keys(PROBLEM_CODES));
  return { code: 'unknown-field', message: `unknown problem code ${code}`, ...didYouMean(near, 'remove it') };
}

function notLowerable(code: ProblemCode, severity: string): Pick<Problem, 'code' | 'message' | 'hint'> {
  const message = `${code} cannot be lowered to ${severity}`;
  return { code: 'invalid-value', message, hint: 'remove it, and fix the problem' };
}

type RawProject = {
  readonly environments?: Readonly<Record<string, RawEnvironment>>;
  readonly lint?: Project['lint'];
  readonly differs?: RawDiffers;
  readonly waves?: readonly RawWave[];
  readonly policies?: RawPolicySettings;
  readonly topics?: string;
  readonly kinds?: string;
};

type RawEnvironment = Omit<Environment, 'name' | 'gateway' | 'topics' | 'variables' | keyof Rules> & {
  readonly topics?: string;
  readonly gateway?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, Scalar>>;
} & RawRules;

function secondDocument({ ref }: ParsedDocument): Problem {
  return makeProblem({
    code: 'invalid-value',
    message: 'a project file has one document; found another',
    at: { document: ref, path: '', on: 'value' },
    hint: 'move resources to other files',
  });
}
