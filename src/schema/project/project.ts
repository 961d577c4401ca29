import { isObject, joinPointer, printPointer, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Checked, Place, Problem, SourceFile } from '../../model/problem.ts';
import { meaningOf, PROBLEM_CODES, type ProblemCode, type Severity } from '../../model/problem-codes.ts';
import type { Rules } from '../../model/rules.ts';
import { isLowerable } from '../../model/severity.ts';
import type { Scalar, Variables } from '../yaml/interpolate.ts';
import { rulesIn, type RawRules } from './project-rules.ts';
import { projectSchema } from './project-schema.ts';
import { asWritten } from '../load/expand.ts';
import { violationsOf } from '../validate.ts';
import { describe, word, wordTypeOf } from '../wording.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isOurs } from '../yaml/ours.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';

/** The project file, `gwconf.yaml` at the root of a repository. */
export type Project = {
  readonly environments: ReadonlyMap<string, Environment>;
  /** Severities that differ from the table's, by problem code. */
  readonly lint: Readonly<Record<string, Severity | 'off'>>;
};

/** An environment; flags and environment variables supply missing settings. */
export type Environment = {
  readonly name: string;
  readonly gateway?: {
    readonly url?: string;
    readonly user?: string;
    readonly password?: string;
    /** Paths of PEM files, relative to the project file. */
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    /** A duration: `30s`. */
    readonly timeout?: string;
  };
  /** The version of the gateway; findings that depend on it are errors only if it is set. */
  readonly version?: string;
  /** A value of GATEWAY_SECURITY, or a security mode. */
  readonly security?: string;
  /** The allowed host of the gateway: a glob. */
  readonly pin?: { readonly host: string };
  /** Layers, relative to the project file: documents of a later one may overlay those of an earlier one. */
  readonly files?: readonly string[];
  readonly variables?: Readonly<Record<string, Scalar>>;
  /** Environment variables whose values may be shown. */
  readonly publicVariables?: readonly string[];
  /** The programs that `${exec:NAME}` may run, by name. */
  readonly exec?: Readonly<Record<string, Exec>>;
} & Rules;

/** A program that prints a secret. */
export type Exec = {
  /** The program and its arguments; runs without a shell. */
  readonly command: readonly string[];
  /** A duration: `30s`. Default: 10 seconds. */
  readonly timeout?: string;
};

/** Reads a project file. */
export function parseProject(
  file: SourceFile,
  variables: Variables,
  kinds: KindSet,
): Checked<Project | undefined> {
  const [document, second] = parseYaml(file, variables);
  if (document === undefined) return { value: { environments: new Map(), lint: {} }, problems: [] };
  const problem = (
    path: Pointer,
    on: 'key' | 'value',
    about: Pick<Problem, 'code' | 'message' | 'hint'>,
  ): Problem => {
    const at: Place = { document: document.ref, path, on };
    return { severity: 'error', at, path, ...about };
  };
  const broken = document.problems.filter(({ code }) => code === 'invalid-yaml' || code === 'inexact-number');
  if (!isObject(document.value) || !isOurs(file)) {
    const message = `expected a project file; found ${isObject(document.value) ? 'something else' : wordTypeOf(document.value)}`;
    const fault = problem('', 'value', {
      code: 'invalid-value',
      message,
      hint: 'write apiVersion, kind and environments',
    });
    return { value: undefined, problems: broken.length > 0 ? broken : [fault] };
  }
  // Missing variables of an environment are problems only when it is selected.
  const open = new Set(document.problems.map(({ path }) => path).filter(isInEnvironment));
  const violations = violationsOf(projectSchema, document.value).flatMap((violation) => {
    if (open.has(violation.path)) return [];
    const worded = word(
      violation,
      'the project file',
      violation.path.includes('/gateway/') ? 'something else' : describe(violation.found),
    );
    return worded === undefined ? [] : [problem(worded.path, worded.on, worded)];
  });
  const more = second === undefined ? [] : [secondDocument(second)];
  const problems = [...broken, ...violations, ...more];
  if (problems.length > 0) return { value: undefined, problems };
  const value = document.value as unknown as RawProject; // just held to its schema
  const placeOf = (path: Pointer): Place => ({ document: document.ref, path, on: 'value' });
  const textToShow = (text: string, path: Pointer): string => asWritten({ text, path }, document.templates);
  const environments = Object.entries(value.environments ?? {}).map(([name, written]) => {
    const { manages, protect, limits, external, ignore, ...environment } = written;
    const raw = { manages, protect, limits, external, ignore };
    return { name, environment, rules: rulesIn(raw, name, kinds, { placeOf, textToShow }) };
  });
  return {
    value: {
      environments: new Map(
        environments.map(({ name, environment, rules }) => [name, { name, ...environment, ...rules.value }]),
      ),
      lint: value.lint ?? {},
    },
    problems: [
      ...environments.flatMap(({ rules }) => rules.problems),
      ...Object.entries(value.lint ?? {}).flatMap(([code, severity]) => {
        if (!isCode(code)) return [problem(joinPointer('/lint', code), 'key', unknownCode(code))];
        if (severity === 'error' || meaningOf(code)?.severity !== 'error' || isLowerable(code)) return [];
        return [problem(joinPointer('/lint', code), 'value', notLowerable(code, severity))];
      }),
    ],
  };
}

function isInEnvironment(path: Pointer | undefined): boolean {
  return path?.startsWith('/environments/') === true;
}

function isCode(code: string): code is ProblemCode {
  return meaningOf(code) !== undefined;
}

function unknownCode(code: string): Pick<Problem, 'code' | 'message' | 'hint'> {
  const near = suggest(code, Object.keys(PROBLEM_CODES));
  const hint = near === undefined ? 'remove it' : `did you mean ${near}?`;
  return { code: 'unknown-field', message: `unknown problem code ${code}`, hint };
}

function notLowerable(code: ProblemCode, severity: string): Pick<Problem, 'code' | 'message' | 'hint'> {
  const message = `${code} cannot be lowered to ${severity}`;
  return { code: 'invalid-value', message, hint: 'remove it, and fix the problem' };
}

type RawProject = {
  readonly environments?: Readonly<Record<string, Omit<Environment, 'name' | keyof Rules> & RawRules>>;
  readonly lint?: Project['lint'];
};

/** Missing variables of the selected environment. */
export function unfilledIn(file: SourceFile, environment: string, variables: Variables): readonly Problem[] {
  const [document] = parseYaml(file, variables);
  const inside = printPointer(['environments', environment]);
  return (document?.problems ?? []).filter(({ path }) => path?.startsWith(`${inside}/`) === true);
}

function secondDocument({ ref }: ParsedDocument): Problem {
  return {
    code: 'invalid-value',
    severity: 'error',
    message: 'a project file has one document; found another',
    at: { document: ref, path: '', on: 'value' },
    hint: 'move resources to other files',
  };
}
