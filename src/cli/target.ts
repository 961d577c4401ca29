import { globPattern, type Problem, type SavedPlan } from '../index.ts';
import type { OpenProject } from './project.ts';

/**
 * A plan is for one gateway and one environment, and an environment may be pinned to some hosts. Undefined when all
 * is as it should be; without a saved plan only the pin counts.
 */
export function wrongTarget(
  saved: SavedPlan | undefined,
  url: string,
  { environment }: OpenProject,
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

function wrong(message: string, hint: string): Problem {
  return { code: 'wrong-target', severity: 'error', message, hint };
}

function named(environment: string | undefined): string {
  return environment === undefined ? 'no environment' : `the environment ${environment}`;
}

/** Whether the host of a URL is one that a pin means: `*` is any text. A URL without a host matches no pin. */
function hostMatches(url: string, glob: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host !== '' && globPattern(glob, 'i').test(host);
}
