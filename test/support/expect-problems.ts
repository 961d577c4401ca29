import type { Checked, Place, Problem } from '../../src/model/problem.ts';
import type { ProblemCode, Severity } from '../../src/model/problem-codes.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { DesiredState } from '../../src/model/state.ts';
import type { Catalog } from '../../src/model/own-kind.ts';
import type { Pointer } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';
import { locate } from '../../src/schema/yaml/places.ts';

/** A problem as tests compare it: `line:column`, after the file where there are several; an error needs no word. */
export type Seen = {
  readonly code: ProblemCode;
  readonly at?: string;
  readonly also?: string;
  readonly path?: Pointer;
  readonly severity?: Severity;
};
/** The text of one file, or the texts of several by their paths. */
export type Files = string | Readonly<Record<string, string>>;
export type LoadOptions = {
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether their values may be shown. */
  readonly isPublic?: boolean;
  readonly catalog?: Catalog;
  /** What a reviewer may want to know of a file that is right, too; such rules have tests of their own. */
  readonly advice?: boolean;
};
/** The warnings that are about what a field may hold at all. */
const RULES: readonly ProblemCode[] = ['server-managed', 'unusual-value'];

/** What is wrong with a file, and where. */
export function problemsOf(files: Files, options: LoadOptions = {}): readonly Seen[] {
  return loadText(files, options).problems.map((problem) => seen(problem, typeof files !== 'string'));
}

/** The sentences that a user reads for a file: each message with its hint. */
export function sentencesOf(files: Files, options: LoadOptions = {}): readonly string[] {
  return loadText(files, options).problems.map(({ message, hint }) => `${message}; ${hint ?? ''}`);
}

/** What a file declares, when nothing is wrong with it. */
export function stateOf(files: Files, options: LoadOptions = {}): DesiredState {
  const { value, problems } = loadText(files, options);
  const first = problems.find(({ severity }) => severity === 'error');
  if (first !== undefined) throw new Error(`${first.code}: ${first.message}`);
  return value;
}

/** The resources that a file declares, by their addresses, when nothing is wrong with it. */
export function resourcesOf(files: Files, options: LoadOptions = {}): Readonly<Record<string, Resource>> {
  return Object.fromEntries(
    [...stateOf(files, options)].map(([address, { resource }]) => [address, resource]),
  );
}

/** The one resource that a file declares. */
export function resourceOf(file: string, options: LoadOptions = {}): Resource {
  const [resource, ...more] = Object.values(resourcesOf(file, options));
  if (resource === undefined || more.length > 0) throw new Error('expected one resource');
  return resource;
}

export function loadText(
  files: Files,
  { variables = {}, isPublic = false, catalog: known = catalog, advice = false }: LoadOptions = {},
): Checked<DesiredState> {
  const texts = typeof files === 'string' ? { 'in.yaml': files } : files;
  const sources = Object.entries(texts).map(([path, text]) => ({ path, text: dedent(text), named: true }));
  const valueOf = (name: string): string | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined;
  const { value, problems } = load(sources, known, variablesFrom(valueOf, { isPublic: () => isPublic }));
  const told = problems.filter(
    ({ severity, code }) => advice || severity === 'error' || RULES.includes(code),
  );
  return { value, problems: told };
}

export function seen({ code, at, also, path, severity }: Problem, withFile = false): Seen {
  return {
    code,
    ...(at === undefined ? {} : { at: print(at, withFile) }),
    ...(also === undefined ? {} : { also: print(also, withFile) }),
    ...(path === undefined ? {} : { path }),
    ...(severity === 'error' ? {} : { severity }),
  };
}

function print(place: Place, withFile: boolean): string {
  const { file, line, column } = locate(place);
  return `${withFile ? `${file}:` : ''}${line}:${column}`;
}

/** A text without the indentation that its lines share, and without its first line if that is empty. */
export function dedent(text: string): string {
  if (!text.startsWith('\n')) return text;
  const lines = text.slice(1).split('\n');
  const depths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const depth = Math.min(...depths);
  return lines
    .map((line) => line.slice(depth))
    .join('\n')
    .trimEnd()
    .concat('\n');
}
