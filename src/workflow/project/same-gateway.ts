import { addAll } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { makeProblem, hasErrors, applyLint, type Problem } from '../../model/problem.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Address } from '../../model/resource.ts';
import type { Removal } from '../../model/rules.ts';
import { placeOf, type Declared, type DesiredState } from '../../model/state.ts';
import { spellUrl } from '../../model/text/spell-url.ts';
import { makeMatcher } from '../../plan/change/select.ts';
import { compareStates, type Side } from '../../plan/compare/compare-states.ts';
import type { Host } from '../host.ts';
import { loadInput, type Input } from './input.ts';
import { openBeside } from './open-workspace.ts';
import { leaveVariablesOpen, type Workspace } from './workspace.ts';

/** What an environment says of an object. */
type Claim<T> = { readonly environment: string; readonly said: T };
/** By the URL of a gateway, what the first environment with that gateway says of each object. */
export type Claims = Map<string, Known>;
type Known = {
  readonly declared: Map<Address, Claim<Declared>>;
  readonly removed: Map<Address, Claim<Removal>>;
  /** The environments whose files were read without errors. */
  readonly sides: Beside[];
};
/** What the files of an environment say. */
type Said = Pick<Input, 'value' | 'removals' | 'problems'>;

/**
 * What another environment with the same gateway declares otherwise, or removes: each apply would undo the other. Secrets and variables
 * without a value are not compared. Also what `--prune` would delete of the other environment, for either of them.
 */
export async function checkSameGateway(
  host: Host,
  workspace: Workspace,
  input: Said,
): Promise<readonly Problem[]> {
  const [own, url] = [workspace.environment?.name, urlOf(workspace)];
  const problems: Problem[] = [];
  if (own === undefined || url === undefined) return [];
  for (const name of workspace.project.environments.keys()) {
    if (name === own) continue;
    const other = openBeside(host, workspace, name);
    if (urlOf(other) !== url || other.files.length === 0 || declaresTheSame(workspace, other)) continue;
    const options = { allowEmpty: true, allowMissing: true };
    const theirs = await loadInput(host, leaveVariablesOpen(other), options, { mayBePart: true });
    if (hasErrors(theirs.problems)) continue;
    const claims: Claims = new Map();
    checkClaims(other, theirs, claims);
    addAll(problems, checkClaims(workspace, input, claims));
  }
  return problems;
}

/** Whether two environments have the same files, which are filled in the same way: they cannot contradict each other. */
function declaresTheSame(one: Workspace, other: Workspace): boolean {
  const [own, others] = [one, other].map(({ files, environment }) => {
    const { variables, publicVariables, exec, version, security } = environment ?? {};
    return JSON.stringify([files, variables, publicVariables, exec, version, security]);
  });
  return own === others;
}

/** The same against what environments before this one say, to which it adds what this one does. */
export function checkClaims(
  workspace: Workspace,
  { value: desired, removals, problems: found }: Said,
  claims: Claims,
): readonly Problem[] {
  const [environment, url] = [workspace.environment?.name, urlOf(workspace)];
  if (environment === undefined || url === undefined) return [];
  const all: Known = claims.get(url) ?? { declared: new Map(), removed: new Map(), sides: [] };
  const { declared: known, removed, sides } = all;
  claims.set(url, all);
  const theirs = new Map<Address, Declared>();
  const others: Problem[] = [];
  for (const one of removals) {
    const claim = known.get(one.address);
    if (claim !== undefined) addAll(others, contradict({ environment, said: one }, claim));
    if (!removed.has(one.address)) removed.set(one.address, { environment, said: one });
  }
  for (const [address, declared] of desired) {
    const [claim, removal] = [known.get(address), removed.get(address)];
    if (claim === undefined) known.set(address, { environment, said: declared });
    else theirs.set(address, claim.said);
    if (removal !== undefined) addAll(others, contradict(removal, { environment, said: declared }));
  }
  const nameOf = (address: Address): string => known.get(address)?.environment ?? '';
  const { kinds } = workspace.catalog;
  if (!hasErrors(found)) {
    const own = { name: environment, declared: desired, manages: workspace.environment?.manages };
    for (const side of sides)
      addAll(others, [...findPruned(kinds, own, side), ...findPruned(kinds, side, own)]);
    sides.push(own);
  }
  const problems = [...compare(kinds, desired, theirs, nameOf), ...others];
  return applyLint(problems, workspace.project.lint);
}

/** The URL that gwconf.yaml gives an environment, without what makes no difference; undefined if variables leave it open, or it is an empty embedded gateway. */
export function urlOf({ gateway }: Workspace): string | undefined {
  if (gateway === undefined || gateway.unfilled.some(({ path }) => path?.endsWith('/gateway/url') === true))
    return undefined;
  const { url } = gateway.settings;
  return url === 'embedded:' ? undefined : spellUrl(url); // each command has an empty one of its own
}

function compare(
  kinds: KindSet,
  own: DesiredState,
  other: DesiredState,
  nameOf: (address: Address) => string,
): readonly Problem[] {
  const { differences } = compareStates(
    sideOf(own),
    sideOf(other),
    kinds,
    (address) => own.has(address) && other.has(address),
  );
  return differences.flatMap(({ address, fields }): readonly Problem[] => {
    const [mine, theirs] = [own.get(address), other.get(address)];
    if (mine === undefined || theirs === undefined) return [];
    const paths = fields
      .filter(
        (field) =>
          !('after' in field && field.after === HIDDEN) && !('before' in field && field.before === HIDDEN),
      )
      .map(({ path }) => path)
      .filter((path) => !isOpen(mine, path) && !isOpen(theirs, path));
    const [path] = paths;
    if (path === undefined) return [];
    return [
      makeProblem({
        code: 'contradicting-environments',
        message: `${address} is declared otherwise for the environment ${nameOf(address)}, which has the same gateway: ${paths.join(', ')}`,
        at: placeOf(mine, path),
        also: placeOf(theirs, path),
        address,
        path,
        hint: 'declare it the same in both or only in one, or give each environment a gateway of its own',
      }),
    ];
  });
}

/** What files remove, where another environment declares it. */
function contradict(
  { environment, said: { address, place } }: Claim<Removal>,
  { environment: other, said: declared }: Claim<Declared>,
): readonly Problem[] {
  if (environment === other) return [];
  return [
    makeProblem({
      code: 'contradicting-environments',
      message: `${address} is removed for the environment ${environment} and declared for ${other}, which has the same gateway`,
      at: place,
      also: placeOf(declared, '/metadata/name'),
      address,
      hint: 'say the same in both, or give each environment a gateway of its own',
    }),
  ];
}

/** An environment with the same gateway as another one. */
type Beside = {
  readonly name: string;
  readonly declared: DesiredState;
  readonly manages: readonly string[] | undefined;
};

/** What one environment declares, and the other one manages and does not declare. */
function findPruned(kinds: KindSet, { name, declared }: Beside, other: Beside): readonly Problem[] {
  const isManaged = makeMatcher(other.manages ?? [], kinds);
  const [first, ...more] =
    other.manages === undefined
      ? []
      : [...declared.values()].filter(({ address }) => !other.declared.has(address) && isManaged(address));
  if (first === undefined) return [];
  const { address } = first;
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  return [
    {
      code: 'contradicting-environments',
      severity: 'warning',
      message: `${address}${rest}, declared for the environment ${name}, is in manages of ${other.name} as well, which has the same gateway: --prune for ${other.name} deletes what only ${name} declares`,
      at: placeOf(first, '/metadata/name'),
      address,
      hint: `take it out of manages of ${other.name}, or give each environment a gateway of its own`,
    },
  ];
}

function sideOf(desired: DesiredState): Side {
  return {
    resources: new Map([...desired].map(([address, { resource }]) => [address, resource])),
    unavailable: new Map(),
    placeOf: (address) => desired.get(address)?.at,
    secretsOf: (address, resource, kind) => secretPlaces(kind, resource, desired.get(address)?.templates),
  };
}

/** Whether a variable without a value is in a field, or around it. */
function isOpen({ templates = new Map() }: Declared, path: Pointer): boolean {
  return [...templates].some(
    ([at, { open = [] }]) =>
      open.length > 0 && (`${at}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${at}/`)),
  );
}
