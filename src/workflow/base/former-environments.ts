import { spellUrl } from '../project/same-gateway.ts';
import type { Project } from '../../schema/project/project.ts';

/** What an environment was called on the base: by this name, or by another that is gone, for the same gateway; undefined for a new one. */
export function nameBefore(name: string, before: Project, after: Project): string | undefined {
  if (before.environments.has(name)) return name;
  const url = urlOf(after, name);
  const same = namesOnlyIn(before, after).filter((one) => urlOf(before, one) === url);
  return url !== undefined || same.length === 1 ? same[0] : undefined;
}

/**
 * The environment of the base whose rules one is held against: else those could be left behind with its name. Of a new one, another for
 * its gateway, or for another gateway the only one that is gone.
 */
export function formerName(name: string, before: Project, after: Project): string | undefined {
  const url = urlOf(after, name);
  const names = [...before.environments.keys()];
  const gone = namesOnlyIn(before, after);
  return (
    nameBefore(name, before, after) ??
    names.find((one) => url !== undefined && urlOf(before, one) === url) ??
    (gone.length === 1 ? gone[0] : undefined)
  );
}

function namesOnlyIn(before: Project, after: Project): readonly string[] {
  return [...before.environments.keys()].filter((one) => !after.environments.has(one));
}

function urlOf({ environments }: Project, name: string): string | undefined {
  return spellUrl(environments.get(name)?.gateway?.url?.text);
}

/** The environments that a branch drops, and does not only rename. */
export function namesOfGone(before: Project, after: Project): readonly string[] {
  const kept = new Set([...after.environments.keys()].map((name) => formerName(name, before, after)));
  return [...before.environments.keys()].filter((name) => !kept.has(name));
}
