import type { Project } from '../../schema/project/project.ts';

/**
 * What an environment was called on the base; undefined for a new one. One of another name was the one for the same gateway: else the
 * rules of that could be left behind with its name. For another gateway, it was the only one that is gone.
 */
export function formerName(name: string, before: Project, after: Project): string | undefined {
  if (before.environments.has(name)) return name;
  const url = urlOf(after, name);
  const names = [...before.environments.keys()];
  const gone = names.filter((one) => !after.environments.has(one));
  const isSame = (one: string): boolean => url !== undefined && urlOf(before, one) === url;
  return gone.find(isSame) ?? names.find(isSame) ?? (gone.length === 1 ? gone[0] : undefined);
}

function urlOf({ environments }: Project, name: string): string | undefined {
  return environments.get(name)?.gateway?.url?.text;
}

/** The environments that a branch drops, and does not only rename. */
export function namesOfGone(before: Project, after: Project): readonly string[] {
  const kept = new Set([...after.environments.keys()].map((name) => formerName(name, before, after)));
  return [...before.environments.keys()].filter((name) => !kept.has(name));
}
