import { printPointer, valueOf, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Policy, RawPolicy } from '../../model/policy.ts';
import type { Checked, Place, Problem, SourceFile } from '../../model/problem.ts';
import { globProblem, kindProblem } from './project-rules.ts';
import { violationsOf } from '../validate.ts';
import { describe, word } from '../wording.ts';
import { hasNoPlaceholder } from '../yaml/literal.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';
import { makePolicy } from './make-policy.ts';
import { policySchema } from './policy-schema.ts';

/** The policies of a policy file. */
export function readPolicies(file: SourceFile, kinds: KindSet): Checked<readonly Policy[]> {
  const documents = parseYaml(file, hasNoPlaceholder('a policy has no variables'));
  const each = documents.map((document) => readPolicy(document, kinds));
  return {
    value: each.flatMap(({ value }) => value ?? []),
    problems: each.flatMap(({ problems }) => problems),
  };
}

function readPolicy(document: ParsedDocument, kinds: KindSet): Checked<Policy | undefined> {
  const { ref, value } = document;
  const placeOf = (path: Pointer, on: 'key' | 'value' = 'value'): Place => ({ document: ref, path, on });
  if (document.problems.length > 0) return { value: undefined, problems: document.problems };
  const name = valueOf(valueOf(value, 'metadata'), 'name');
  const about = typeof name === 'string' ? `the policy ${name}` : 'the policy';
  const problems = violationsOf(policySchema, value).flatMap((violation): readonly Problem[] => {
    const worded = word(violation, about, describe(violation.found));
    return worded === undefined
      ? []
      : [{ severity: 'error', at: placeOf(worded.path, worded.on), ...worded }];
  });
  if (problems.length > 0 || typeof name !== 'string') return { value: undefined, problems };
  const raw = valueOf(value, 'spec') as unknown as RawPolicy; // just held to its schema
  const policy = makePolicy(name, raw, (path) => placeOf(path === '' ? '/metadata/name' : `/spec${path}`));
  return { value: policy, problems: checkMatch(policy, kinds) };
}

/** Globs that match nothing. */
export function checkMatch({ match, waivers, placeOf }: Policy, kinds: KindSet): readonly Problem[] {
  const where = (...tokens: readonly (string | number)[]): Pick<Problem, 'at' | 'path'> => {
    const path = printPointer(tokens);
    return { at: placeOf(path), path };
  };
  return [
    ...(match.kind === undefined ? [] : kindProblem(match.kind, kinds, where('match', 'kind'))),
    ...(match.address === undefined ? [] : globProblem(match.address, kinds, where('match', 'address'))),
    ...waivers.flatMap(({ address }, at) =>
      address?.includes('/') === true ? globProblem(address, kinds, where('waivers', at, 'address')) : [],
    ),
  ];
}
