import { getOrAdd, present } from '../../model/collect.ts';
import type { Place, Problem, SourceFile } from '../../model/problem.ts';
import type { ProtectRule, Removal, Rules } from '../../model/rules.ts';
import { placeOf, type DesiredState } from '../../model/state.ts';
import { BY_BASE } from '../../plan/causes/given-up.ts';
import { fileOf } from '../../schema/yaml/places.ts';
import type { Host } from '../host.ts';
import { rulesOf, type Workspace } from '../project/workspace.ts';

/** What a plan of files says on the gateway as it is, and the policies of a project say of it. */
export type Judge = (
  files: Files,
  rules: Rules,
  host: Host,
  workspace: Workspace,
) => Promise<readonly Problem[]>;

type Files = { readonly value: DesiredState; readonly removals: readonly Removal[] };

type Side = Files & {
  /** Of a base that did not have the environment, without one. */
  readonly workspace: Workspace;
};

/** What a problem is the same by, whichever rules tell it. */
export function keysOfTold({ message, extent }: Problem): readonly string[] {
  return [message.replace(BY_BASE, ''), ...(extent ? [JSON.stringify(extent)] : [])];
}

/**
 * What a branch does that its base does not allow: whoever loosens a rule is not judged by it yet. What the base itself has, too, is not of the
 * branch. Rules that say what a plan is about, such as `manages` and `ignore`, are those of the branch, because delivery will plan by them.
 */
export async function judgeByBase(
  judge: Judge,
  branch: Side & {
    readonly files: readonly SourceFile[];
    /** What it is told by its own rules. */
    readonly told: readonly Problem[];
  },
  base: Side & { readonly host: Host },
): Promise<readonly Problem[]> {
  const { catalog, secrets, environment } = branch.workspace;
  const former = base.workspace.environment;
  const workspace = { ...base.workspace, catalog, secrets, environment: former ?? environment };
  const own = rulesOf(branch.workspace);
  // A new environment has no former rules.
  const isNew = former === undefined && environment !== undefined;
  const rules = isNew ? own : { ...own, ...rulesOfBase(branch, base) };
  const judged = await judge(branch, rules, base.host, workspace);
  const known = [...branch.told, ...(await judge(base, rules, base.host, workspace))];
  const keyOf = ({ code, address, path, message, extent, severity }: Problem): string =>
    JSON.stringify([code, address, extent?.of ?? [path, message], severity]);
  const extents = new Map<string, Set<string>>();
  for (const one of known) {
    const extent = getOrAdd(extents, keyOf(one), () => new Set<string>());
    for (const each of one.extent?.each ?? []) extent.add(each);
  }
  // What the branch is only warned of, and the base forbids, it is not told yet.
  const isKnown = (problem: Problem): boolean =>
    [problem, { ...problem, severity: 'error' as const }].some((one) => {
      const extent = extents.get(keyOf(one));
      return extent !== undefined && (one.extent?.each ?? []).every((each) => extent.has(each));
    });
  const files = new Set(branch.files);
  const here = (at: Place | undefined): Place | undefined =>
    at !== undefined && files.has(fileOf(at)) ? at : undefined;
  return judged
    .filter((problem) => !isKnown(problem))
    .map(({ at, also, ...problem }) => ({
      ...problem,
      ...present({ at: here(at), also: here(also) }),
      message: `${BY_BASE}${problem.message}`,
      hint: 'if it is meant, loosen the rule first, in a pull request of its own',
    }));
}

/** The rules by which changes are judged, with those that stand beside the metadata of documents. */
function rulesOfBase({ value, removals }: Side, base: Side): Rules {
  const { protect = [], protection = {}, exposures = [], limits = {}, overlays } = rulesOf(base.workspace);
  // What the base has is no new name of another one.
  const moved = new Map(
    removals.flatMap(({ address, to }) =>
      to === undefined || base.value.has(to.address) ? [] : [[address, to.address]],
    ),
  );
  const unprotected = [...base.value.values()].flatMap((declared): readonly ProtectRule[] => {
    const { address } = declared;
    const isKept = value.get(moved.get(address) ?? address)?.protect === true;
    return declared.protect !== true || isKept
      ? []
      : [{ address, place: placeOf(declared, '/protect', 'key') }];
  });
  return { protect: [...protect, ...unprotected], protection, exposures, limits, ...present({ overlays }) };
}
