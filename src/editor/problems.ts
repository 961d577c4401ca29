import type { Diagnostic, DiagnosticSeverity } from 'vscode-languageserver-types';
import { addTo, getOrAdd } from '../model/collect.ts';
import type { Place, Problem } from '../model/problem.ts';
import { list } from '../model/text/list.ts';
import { withoutIgnored } from '../schema/load/locate.ts';
import { fileOf } from '../schema/yaml/places.ts';
import { environmentsWith, type Look } from './look.ts';
import { locationOf, rangeOf, type UriOf } from './ranges.ts';

/** A problem of a file, as an editor marks it. */
export type Marked = { readonly diagnostic: Diagnostic; readonly problem: Problem };

const SEVERITIES: Readonly<Record<Problem['severity'], DiagnosticSeverity>> = {
  error: 1,
  warning: 2,
  info: 3,
};

/**
 * What is wrong, by the path of the file. A problem that not all environments with the file have begins with the names of those that
 * have it: `prod: …`.
 */
export function markAll(look: Look, uriOf: UriOf): ReadonlyMap<string, readonly Marked[]> {
  const found = new Map<string, Found>();
  const note = (problem: Problem, name: string | undefined): void => {
    const { at, code, message } = problem;
    if (at === undefined) return;
    const key = JSON.stringify([fileOf(at).path, rangeOf(at), code, message]);
    getOrAdd(found, key, () => ({ problem, at, names: new Set() })).names.add(name);
  };
  for (const problem of withoutIgnored(look.problems)) note(problem, undefined);
  for (const { name, problems } of look.environments)
    for (const problem of withoutIgnored(problems)) note(problem, name);
  const byFile = new Map<string, Marked[]>();
  for (const one of found.values())
    addTo(byFile, fileOf(one.at).path, { problem: one.problem, diagnostic: diagnosticOf(one, look, uriOf) });
  return byFile;
}

/** A problem, and the environments that have it; none for what is wrong with the project. */
type Found = { readonly problem: Problem; readonly at: Place; readonly names: Set<string | undefined> };

function diagnosticOf({ problem, at, names }: Found, look: Look, uriOf: UriOf): Diagnostic {
  const { also, code, severity, message, hint } = problem;
  const some = [...names].filter((name) => name !== undefined);
  const isOfAll = names.has(undefined) || some.length >= environmentsWith(look, fileOf(at).path).length;
  const start = isOfAll ? '' : `${list(some)}: `;
  const related =
    also === undefined ? [] : [{ location: locationOf(also, uriOf), message: 'the other place' }];
  return {
    range: rangeOf(at),
    severity: SEVERITIES[severity],
    code,
    source: 'gwconf',
    message: `${start}${message}${hint === undefined ? '' : `\n${hint}`}`,
    ...(related.length === 0 ? {} : { relatedInformation: related }),
  };
}
