import { checkWorld } from '../../plan/checks/world-checks.ts';
import { fileOf } from '../../schema/yaml/places.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { applyLint, onlyErrors, type Lint, type Problem } from '../../model/problem.ts';
import type { DesiredState } from '../../model/state.ts';
import { checkCauses } from '../../plan/causes/find-causes.ts';
import { isSource } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import type { Workspace } from '../project/workspace.ts';
import { ifReadable } from './git-tree.ts';
import {
  causesOf,
  explainChanges,
  type Branch,
  type Explained,
  type PlanToExplain,
} from './explain-changes.ts';
import { findBase } from './find-base.ts';
import {
  listCommit,
  loadCommit,
  openProjectAt,
  readingOf,
  rulesAt,
  type Listing,
  type Reading,
} from './load-commit.ts';
import { findNewDefaults } from './new-defaults.ts';
import { isSameSource } from './rule-files.ts';
import type { Read } from './walk-history.ts';

/** What a base declares, the sources of hidden values that are other ones there, and the defaults that a branch has and it has not. */
export type Former = {
  readonly value: DesiredState;
  readonly otherSources: ReadonlySet<string>;
  readonly newDefaults: () => readonly Problem[];
};

/** A base that was found; it is closed at the end. */
export type FoundBase = {
  /** Of its project; empty where that cannot be read. */
  readonly lint: Lint;
  /** The workspace of the branch with the severities that are errors on the base: a branch does not lower them for itself. */
  readonly workspace: Workspace;
  readonly openFor: (input: Branch['input']) => OpenBase;
  readonly close: () => void;
};

/** A base to compare the files of a branch with. */
export type OpenBase = {
  /**
   * What the base declares; undefined where it cannot be read. Notes what variables fill in there: these values are secrets, also where the
   * branch has no variable, or no document.
   */
  readonly readFormer: () => Promise<Former | undefined>;
  readonly explain: (made: PlanToExplain) => Promise<Explained>;
  /** The problems, each marked that the base has as well. */
  readonly markKnown: (problems: readonly Problem[], today: string) => Promise<readonly Problem[]>;
};

/** Finds the commit that this branch and a ref have in common. */
export async function openBase(
  host: Host,
  opened: Workspace,
  ref: string,
  about: Pick<Reading, 'gateway' | 'paths'>,
): Promise<FoundBase | (Pick<FoundBase, 'workspace' | 'close'> & { readonly problem: Problem })> {
  const git = await host.openGit('.');
  const close = (): void => git.close();
  const found = await findBase(git, ref);
  if ('problem' in found) return { ...found, workspace: opened, close };
  const { place, head, tip, ...base } = found;
  const at = readingOf(host, git, { place, head }, { workspace: opened, ...about });
  const project = at.tree.readCommit(base.commit).then(({ tree }) => openProjectAt(at, tree));
  // Where the base cannot be read, that is told with the causes.
  const lint = (await ifReadable(project))?.opened.project.lint ?? {};
  const judged = { ...opened.project.lint, ...onlyErrors(lint) };
  const workspace = { ...opened, project: { ...opened.project, lint: judged } };
  const openFor = (input: Branch['input']): OpenBase => {
    const reading: Reading = { ...at, workspace, variables: input.variables };
    let start: Promise<Read> | undefined;
    const read = async (): Promise<Read> => {
      const known = await project;
      const listing = await listCommit(reading, known.commit.tree, known);
      return { commit: base.commit, listing, declared: await loadCommit(reading, listing) };
    };
    const readStart = (): Promise<Read> => (start ??= read());
    const readFormer = async (): Promise<Former> => {
      const { listing, declared } = await readStart();
      workspace.secrets.noteDeclared([...declared.value.values()]);
      return {
        value: declared.value,
        otherSources: await findOtherSources(reading, listing, input.value),
        newDefaults: () =>
          findNewDefaults(
            { workspace, files: input.files },
            { workspace: listing.workspace, files: declared.files },
            input.variables,
          ),
      };
    };
    return {
      readFormer: () => ifReadable(readFormer()),
      explain: async (made) => {
        const { plan, problems } = await explainChanges(
          { reading, readStart, git, base, tip },
          { ...made, input },
        );
        return { plan, problems: [...problems, ...checkCauses(plan.changes, causesOf(made))] };
      },
      markKnown: async (problems, today) => {
        const found = await ifReadable(readStart());
        return found ? markKnown(problems, problemsOf(found, workspace.catalog, today)) : problems;
      },
    };
  };
  return { lint, workspace, openFor, close };
}

/** The sources by which a branch fills in fields, and that are others at a commit: by the same name, another program or file. */
async function findOtherSources(
  { host, workspace }: Reading,
  { commit, workspace: former }: Listing,
  own: DesiredState,
): Promise<ReadonlySet<string>> {
  const others = new Set<string>();
  if (former === undefined) return others;
  const templates = [...own.values()].flatMap((declared) => [...(declared.templates?.values() ?? [])]);
  const commitHost = await commit.asHost();
  for (const name of new Set(templates.flatMap(({ variables }) => variables).filter(isSource)))
    if (!(await isSameSource(name, [commitHost, former], [host, workspace]))) others.add(name);
  return others;
}

/** What is wrong with the files of a commit, with the severities of its project. */
function problemsOf({ listing, declared }: Read, { kinds }: Catalog, today: string): readonly Problem[] {
  const { value: desired, removals, problems } = declared;
  const world = { desired, removals, kinds, today, prune: false, rules: rulesAt(listing, undefined) };
  return [...problems, ...applyLint(checkWorld(world), listing.workspace?.project.lint ?? {})];
}

function markKnown(problems: readonly Problem[], known: readonly Problem[]): readonly Problem[] {
  const keyOf = ({ code, severity, address, path, message, at }: Problem): string =>
    JSON.stringify([code, severity, address, path, message, at && fileOf(at).path]);
  const keys = new Set(known.map(keyOf));
  return problems.map((one) => (keys.has(keyOf(one)) ? { ...one, inBase: true } : one));
}
