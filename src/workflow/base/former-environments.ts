import { groupBy } from '../../model/collect.ts';
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
  const byName = names.includes(own) ? own : onlyGone(opened.project, branch.project)(own);
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
 * What environments were called on the base; undefined for a new one. One of another name was the one for the same gateway: else the
 * rules of that could be left behind with its name. For another gateway, it was the only one that is gone.
 */
export function formerNames(before: Project, after: Project): (name: string) => string | undefined {
  const gone = namesOnlyIn(before, after);
  const alike = groupBy(gone, (name) => likenessOf(before, name));
  const atUrl = [gone, before.environments.keys()].map((names) =>
    groupBy(names, (name) => writtenUrl(before, name)),
  );
  const only = onlyGone(before, after);
  return (name) => {
    if (before.environments.has(name)) return name;
    const url = writtenUrl(after, name);
    const formers = [alike.get(likenessOf(after, name)), ...atUrl.map((names) => names.get(url))];
    return (url === undefined ? undefined : formers.find((names) => names !== undefined)?.[0]) ?? only(name);
  };
}

/** The only one that is gone, but for those whose gateway another new one has. */
function onlyGone(before: Project, after: Project): (name: string) => string | undefined {
  const newAt = groupBy(namesOnlyIn(after, before), (name) => writtenUrl(after, name));
  const goneAt = groupBy(namesOnlyIn(before, after), (name) => writtenUrl(before, name));
  const free = [...goneAt].flatMap(([url, names]) => (url === undefined || !newAt.has(url) ? names : []));
  return (name) => {
    const url = writtenUrl(after, name);
    const isAlone = url !== undefined && newAt.get(url)?.every((one) => one === name) === true;
    const [only, another] = [...free.slice(0, 2), ...((isAlone && goneAt.get(url)) || [])];
    return another === undefined ? only : undefined;
  };
}

/** The gateway and the files of an environment. */
function likenessOf(project: Project, name: string): string {
  return JSON.stringify([writtenUrl(project, name), project.environments.get(name)?.files]);
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
  const kept = new Set([...after.environments.keys()].map(formerNames(before, after)));
  return [...before.environments.keys()].filter((name) => !kept.has(name));
}

/** The environments to which a branch gives another name, each with the former one first. */
export function listRenamed(before: Project, after: Project): [was: string, is: string][] {
  const formerName = formerNames(before, after);
  return namesOnlyIn(after, before).flatMap((is): [string, string][] => {
    const was = formerName(is);
    return was === undefined || after.environments.has(was) ? [] : [[was, is]];
  });
}
