import { PASSTHROUGH } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import type { PrincipalPattern } from '../../model/test-case.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Principal } from '../../model/principal.ts';
import type { EffectiveState } from '../state.ts';
import { knownPrincipals } from './tested.ts';

/** The principals that a case is for, and what no file knows of them. */
export function matchPrincipals(
  pattern: PrincipalPattern,
  state: EffectiveState,
): { readonly value: readonly Principal[]; readonly problems: readonly Problem[] } {
  const { username = '', virtualCluster = '' } = pattern;
  if (!username.includes('*') && !virtualCluster.includes('*')) return selectOne(pattern, state);
  const isNamed = compileGlob(username);
  const isInCluster = compileGlob(virtualCluster === '' ? '*' : virtualCluster);
  const value = knownPrincipals(state).filter(
    (one) =>
      isNamed(one.username ?? '') &&
      isInCluster(one.virtualCluster) &&
      (pattern.groups ?? []).every((group) => one.groups.includes(group)),
  );
  return { value, problems: value.length > 0 ? [] : [matchesNothing(pattern)] };
}

function selectOne(
  { at, username, virtualCluster = PASSTHROUGH, groups }: PrincipalPattern,
  state: EffectiveState,
): ReturnType<typeof matchPrincipals> {
  const known = knownPrincipals(state);
  const clusters = new Set(known.map((one) => one.virtualCluster));
  const unknown = (what: string, name: string, others: Iterable<string>, hint: string): Problem => {
    const near = suggest(name, others);
    return {
      code: 'unmatched-expectation',
      severity: 'warning',
      message: `no file knows ${what}`,
      at,
      hint: near === undefined ? hint : `did you mean ${near}?`,
    };
  };
  if (!clusters.has(virtualCluster)) {
    const hint = 'check the name, and which files are read';
    return {
      value: [{ virtualCluster, username: username || null, groups: groups ?? [] }],
      problems: [unknown(`the virtual cluster ${virtualCluster}`, virtualCluster, clusters, hint)],
    };
  }
  if (username === undefined)
    return { value: [{ virtualCluster, username: null, groups: groups ?? [] }], problems: [] };
  const inCluster = known.filter((one) => one.virtualCluster === virtualCluster);
  const found = inCluster.find((one) => one.username === username);
  const names = inCluster.flatMap((one) => one.username ?? []);
  const hint = 'leave out username for anybody whose name no file has';
  return {
    value: [{ ...(found ?? { virtualCluster, username }), groups: groups ?? found?.groups ?? [] }],
    problems: found === undefined ? [unknown(`${username} in ${virtualCluster}`, username, names, hint)] : [],
  };
}

function matchesNothing({ at }: PrincipalPattern): Problem {
  return {
    code: 'failed-expectation',
    severity: 'error',
    message: 'no principal matches',
    at,
    hint: 'gwconf effective lists the principals',
  };
}
