import { spellUrl } from '../../model/text/spell-url.ts';
import type { Project } from '../../schema/project/project.ts';
import type { Host } from '../host.ts';
import { openBeside } from '../project/open-workspace.ts';
import { urlOf } from '../project/same-gateway.ts';
import type { Workspace } from '../project/workspace.ts';

/** An environment as it was on the base. */
export type FormerEnvironment = {
  /** Undefined where the base did not have it. */
  readonly workspace: Workspace | undefined;
  /** Whether it was for another gateway then, and would have changed nothing on this one. */
  readonly isElsewhere?: true;
};

/**
 * The environment of the base that is for the gateway of this one, whatever its name; else the one of its name, which is for another
 * gateway, or the only one that is gone; undefined for a new one. Where the job names the gateway, names decide.
 */
export function findFormer(
  host: Host,
  opened: Workspace,
  branch: Workspace,
  gateway: string | undefined,
): FormerEnvironment {
  const own = branch.environment?.name ?? '';
  const names = [...opened.project.environments.keys()];
  const { environments } = branch.project;
  const byName = names.includes(own) ? own : onlyGone(own, opened.project, branch.project);
  const workspace = byName === undefined ? undefined : openBeside(host, opened, byName);
  const url = urlOf(branch) === spellUrl(gateway) ? urlOf(branch) : undefined;
  const isFor = (side: Workspace, name: string): boolean => urlOf(openBeside(host, side, name)) === url;
  if (url === undefined || (workspace !== undefined && (urlOf(workspace) ?? url) === url))
    return { workspace };
  const others = names.filter(
    (name) => isFor(opened, name) && !(environments.has(name) && isFor(branch, name)),
  );
  const other = likest(own, others, opened.project, branch.project);
  return other === undefined
    ? { workspace, isElsewhere: true }
    : { workspace: openBeside(host, opened, other) };
}

/**
 * What an environment was called on the base; undefined for a new one. One of another name was the one for the same gateway: else the
 * rules of that could be left behind with its name. For another gateway, it was the only one that is gone.
 */
export function formerName(name: string, before: Project, after: Project): string | undefined {
  if (before.environments.has(name)) return name;
  const url = writtenUrl(after, name);
  const names = [...before.environments.keys()];
  const gone = namesOnlyIn(before, after);
  const isSame = (one: string): boolean => url !== undefined && writtenUrl(before, one) === url;
  return (
    likest(name, gone.filter(isSame), before, after) ?? names.find(isSame) ?? onlyGone(name, before, after)
  );
}

/** The only one that is gone, but for those whose gateway another new one has. */
function onlyGone(name: string, before: Project, after: Project): string | undefined {
  const others = namesOnlyIn(after, before).filter((one) => one !== name);
  const urls = new Set(others.flatMap((one) => writtenUrl(after, one) ?? []));
  const [only, another] = namesOnlyIn(before, after).filter(
    (one) => !urls.has(writtenUrl(before, one) ?? ''),
  );
  return another === undefined ? only : undefined;
}

/** Of the former names that one may have had, that of the same files; else the first. */
function likest(
  name: string,
  formers: readonly string[],
  before: Project,
  after: Project,
): string | undefined {
  const files = JSON.stringify(after.environments.get(name)?.files);
  return formers.find((one) => JSON.stringify(before.environments.get(one)?.files) === files) ?? formers[0];
}

function namesOnlyIn(before: Project, after: Project): readonly string[] {
  return [...before.environments.keys()].filter((one) => !after.environments.has(one));
}

function writtenUrl({ environments }: Project, name: string): string | undefined {
  return spellUrl(environments.get(name)?.gateway?.url?.text);
}

/** The environments that a branch drops, and does not only rename. */
export function namesOfGone(before: Project, after: Project): readonly string[] {
  const kept = new Set([...after.environments.keys()].map((name) => formerName(name, before, after)));
  return [...before.environments.keys()].filter((name) => !kept.has(name));
}

/** The environments to which a branch gives another name, each with the former one first. */
export function listRenamed(before: Project, after: Project): [was: string, is: string][] {
  return namesOnlyIn(after, before).flatMap((is): [string, string][] => {
    const was = formerName(is, before, after);
    return was === undefined || after.environments.has(was) ? [] : [[was, is]];
  });
}
