import { spellUrl } from '../../model/text/spell-url.ts';
import { parseUrl } from '../../model/text/url.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { compileGlob } from '../../model/text/glob.ts';
import type { LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import type { SavedPlan } from '../../plan/saved/saved-plan.ts';
import type { Workspace } from '../project/workspace.ts';

/**
 * Checks that a plan is for this gateway and this environment, and that the environment's pin allows the host. Undefined
 * when it is; without a saved plan only the pin counts.
 */
export function checkTarget(
  saved: SavedPlan | undefined,
  url: string,
  { environment }: Workspace,
): Problem | undefined {
  if (saved !== undefined && saved.gateway !== url) {
    const cure = 'name the gateway of the plan with --url, or plan again for this one';
    return wrong(`the plan was made for ${saved.gateway}, and this is ${url}`, cure);
  }
  if (saved !== undefined && saved.environment !== environment?.name) {
    const cure = 'choose the environment of the plan with --env, or plan again for this one';
    return wrong(
      `the plan was made for ${named(saved.environment)}, and this is ${named(environment?.name)}`,
      cure,
    );
  }
  const pin = environment?.pin?.host;
  if (pin === undefined || hostMatches(url, pin)) return undefined;
  const cure = 'name a gateway that the pin allows, or change the pin in gwconf.yaml';
  return wrong(`${named(environment?.name)} is pinned to ${pin}, and this is ${url}`, cure);
}

/** Checks that a snapshot is of the environment that is chosen; where none is chosen, any will do. Undefined when it is. */
export function checkSnapshotTarget(
  snapshot: Pick<LiveSnapshot, 'gateway' | 'environment'>,
  workspace: Workspace,
): Problem | undefined {
  const { environment, gateway } = workspace;
  if (environment === undefined) return undefined;
  if (snapshot.environment !== environment.name) {
    const cure = 'choose the environment of the snapshot with --env, or take one of this environment';
    const message = `the snapshot was taken of ${named(snapshot.environment)}, and this is ${named(environment.name)}`;
    return wrong(message, cure);
  }
  const url = spellUrl(gateway?.settings.url);
  const isKnown = gateway?.unfilled.some(({ path }) => path?.endsWith('/gateway/url')) === false;
  if (isKnown && url !== undefined && url !== snapshot.gateway) {
    const cure = 'take a snapshot of the gateway that gwconf.yaml names';
    return wrong(`the snapshot was taken of ${snapshot.gateway}, and this is ${url}`, cure);
  }
  return checkTarget(undefined, snapshot.gateway, workspace);
}

/** Checks that a snapshot is of the gateway that is compared with it. Undefined when it is, or when there is no gateway. */
export function checkSameGateway(
  { gateway }: Pick<LiveSnapshot, 'gateway'>,
  url: string,
): Problem | undefined {
  if (url === '' || gateway === url) return undefined;
  return wrong(`the snapshot was taken of ${gateway}, and this is ${url}`, 'name a snapshot of this gateway');
}

function wrong(message: string, hint: string): Problem {
  return makeProblem({ code: 'wrong-target', message, hint });
}

function named(environment: string | undefined): string {
  return environment === undefined ? 'no environment' : `the environment ${environment}`;
}

/** Whether the host of a URL is one that a pin means: `*` is any text. A URL without a host matches no pin. */
function hostMatches(url: string, glob: string): boolean {
  const host = parseUrl(url)?.hostname ?? '';
  return host !== '' && compileGlob(glob.toLowerCase())(host.toLowerCase());
}
