import { addAll } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { hasErrors, applyLint, type Problem } from '../../model/problem.ts';
import { HIDDEN, secretPlaces } from '../../model/secrets/secrets.ts';
import type { Address } from '../../model/resource.ts';
import { placeOf, type Declared, type DesiredState } from '../../model/state.ts';
import { compareStates, type Side } from '../../plan/compare/compare-states.ts';
import type { Host } from '../host.ts';
import { loadInput } from './input.ts';
import { openBeside } from './open-workspace.ts';
import { leaveVariablesOpen, type Workspace } from './workspace.ts';

/** An object as an environment declares it. */
type Claim = { readonly environment: string; readonly declared: Declared };
/** By the URL of a gateway, each object as the first environment with that gateway declares it. */
export type Claims = Map<string, Map<Address, Claim>>;

/**
 * What another environment with the same gateway declares otherwise: each apply would undo the other. Secrets and variables
 * without a value are not compared.
 */
export async function checkSameGateway(
  host: Host,
  workspace: Workspace,
  desired: DesiredState,
): Promise<readonly Problem[]> {
  const [own, url] = [workspace.environment?.name, urlOf(workspace)];
  const problems: Problem[] = [];
  if (own === undefined || url === undefined) return [];
  for (const name of workspace.project.environments.keys()) {
    if (name === own) continue;
    const other = openBeside(host, workspace, name);
    if (urlOf(other) !== url || other.files.length === 0) continue;
    const options = { allowEmpty: true, allowMissing: true };
    const { value: theirs, problems: found } = await loadInput(host, leaveVariablesOpen(other), options);
    if (!hasErrors(found))
      addAll(
        problems,
        compare(workspace.catalog.kinds, desired, theirs, () => name),
      );
  }
  return applyLint(problems, workspace.project.lint);
}

/** The same against what environments before this one declare, to which it adds what none of them does. */
export function checkClaims(workspace: Workspace, desired: DesiredState, claims: Claims): readonly Problem[] {
  const [environment, url] = [workspace.environment?.name, urlOf(workspace)];
  if (environment === undefined || url === undefined) return [];
  const known = claims.get(url) ?? new Map<Address, Claim>();
  claims.set(url, known);
  const theirs = new Map<Address, Declared>();
  for (const [address, declared] of desired) {
    const claim = known.get(address);
    if (claim === undefined) known.set(address, { environment, declared });
    else theirs.set(address, claim.declared);
  }
  const problems = compare(
    workspace.catalog.kinds,
    desired,
    theirs,
    (address) => known.get(address)?.environment ?? '',
  );
  return applyLint(problems, workspace.project.lint);
}

/** The URL that gwconf.yaml gives an environment, without what makes no difference; undefined if variables leave it open. */
function urlOf({ gateway }: Workspace): string | undefined {
  if (gateway === undefined || gateway.unfilled.some(({ path }) => path?.endsWith('/gateway/url') === true))
    return undefined;
  const { url } = gateway.settings;
  if (url === 'embedded:') return undefined; // each command has an empty one of its own
  return url === undefined || !URL.canParse(url) ? url : new URL(url).href.replace(/\/$/, '');
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
      {
        code: 'contradicting-environments',
        severity: 'error',
        message: `${address} is declared otherwise for the environment ${nameOf(address)}, which has the same gateway: ${paths.join(', ')}`,
        at: placeOf(mine, path),
        also: placeOf(theirs, path),
        address,
        path,
        hint: 'declare it the same in both or only in one, or give each environment a gateway of its own',
      },
    ];
  });
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
