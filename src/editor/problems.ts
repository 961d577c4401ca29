import type { Diagnostic, DiagnosticSeverity } from 'vscode-languageserver-types';
import { addTo } from '../model/collect.ts';
import type { Problem } from '../model/problem.ts';
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
  const found = new Map<string, { readonly problem: Problem; readonly names: Set<string | undefined> }>();
  const note = (problem: Problem, name: string | undefined): void => {
    const { at, code, message } = problem;
    if (at === undefined) return;
    const key = JSON.stringify([fileOf(at).path, rangeOf(at), code, message]);
    const known = found.get(key) ?? { problem, names: new Set() };
    known.names.add(name);
    found.set(key, known);
  };
  for (const problem of withoutIgnored(look.problems)) note(problem, undefined);
  for (const { name, problems } of look.environments)
    for (const problem of withoutIgnored(problems)) note(problem, name);
  const byFile = new Map<string, Marked[]>();
  for (const { problem, names } of found.values()) {
    if (problem.at === undefined) continue;
    const { path } = fileOf(problem.at);
    addTo(byFile, path, { problem, diagnostic: diagnosticOf(problem, [...names], { look, path, uriOf }) });
  }
  return byFile;
}

function diagnosticOf(
  problem: Problem & { readonly at?: Problem['at'] },
  names: readonly (string | undefined)[],
  { look, path, uriOf }: { readonly look: Look; readonly path: string; readonly uriOf: UriOf },
): Diagnostic {
  const { at, also, code, severity, message, hint } = problem;
  const some = names.filter((name) => name !== undefined);
  const isOfAll = names.includes(undefined) || some.length >= environmentsWith(look, path).length;
  const start = isOfAll ? '' : `${list(some)}: `;
  const related =
    also === undefined ? [] : [{ location: locationOf(also, uriOf), message: 'the other place' }];
  return {
    range: at === undefined ? NOWHERE : rangeOf(at),
    severity: SEVERITIES[severity],
    code,
    source: 'gwconf',
    message: `${start}${message}${hint === undefined ? '' : `\n${hint}`}`,
    ...(related.length === 0 ? {} : { relatedInformation: related }),
  };
}

const NOWHERE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
