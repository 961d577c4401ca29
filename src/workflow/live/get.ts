import { compareNaturally } from '../../model/text/natural-order.ts';
import { addAll } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import type { Kind } from '../../model/kind.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState } from '../../model/state.ts';
import { suggest } from '../../model/text/suggest.ts';
import { makeGetReport, type GetReport } from '../../outcome/gateway.ts';
import { mapLazily } from '../../outcome/lazy.ts';
import type { Told } from '../../outcome/outcome.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import { redactLive } from '../../plan/secrets/redact.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import type { Workspace } from '../project/workspace.ts';
import { listLive, type Listing } from './list-live.ts';
import { type LiveSource, readTemplates } from './live-source.ts';
import type { NotOpened } from './read-live.ts';
import type { Term, Wanted } from './wanted.ts';

/** What was found of one kind, sorted. */
export type FoundKind = { readonly kind: Kind; readonly resources: readonly FoundResource[] };
type FoundResource = {
  readonly address: Address;
  /** As it is live, without secrets; made when it is called. */
  readonly show: () => Resource;
};

type ListedObjects = {
  /** `incomplete` if some kinds could not be listed, `not-found` if an address does not exist. */
  readonly result: GetReport['result'];
  /** In the order of the documentation. */
  readonly kinds: readonly FoundKind[];
  /** Kinds that there are not, with the reason. */
  readonly unavailable: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
};

type GetOptions = { readonly paths: readonly string[]; readonly depth: Depth };

/** Which values of resources will be shown: none, those of a table, or all. */
export type Depth = 'names' | 'columns' | 'values';

const NOTHING_FOUND: ListedObjects = { result: 'error', kinds: [], unavailable: new Map(), problems: [] };

/**
 * Finds objects on a gateway or in a snapshot. The files of the project tell which fields hold secrets because variables fill
 * them. With errors in the files, not all of these fields are known, so values are not shown.
 */
export async function getLive(
  host: Host,
  workspace: Workspace,
  opened: { readonly source: LiveSource; readonly warnings: readonly Problem[] } | NotOpened,
  wanted: Wanted,
  options: GetOptions,
): Promise<Told<GetReport> & Pick<ListedObjects, 'kinds'>> {
  const isOpen = 'source' in opened;
  const { kinds, ...found } = isOpen
    ? await find(host, workspace, opened.source, wanted, options)
    : { ...NOTHING_FOUND, ...opened };
  const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found.problems]);
  const all: FoundResource[] = [];
  for (const { resources } of kinds) addAll(all, resources);
  const { result, unavailable } = found;
  const outcome = makeGetReport(
    {
      ...{ result, unavailable, gateway: isOpen ? opened.source.url : '' },
      snapshot: isOpen ? opened.source.age : undefined,
      summary: Object.fromEntries(kinds.map(({ kind, resources }) => [kind.name, resources.length])),
      resources: mapLazily(all, ({ address, show }) => ({ address, ...show() })),
    },
    problems,
  );
  return { outcome, problems, kinds };
}

async function find(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  wanted: Wanted,
  { paths, depth }: GetOptions,
): Promise<ListedObjects> {
  const { value: desired, problems } =
    depth === 'names' ? { value: new Map(), problems: [] } : await readTemplates(host, workspace, paths);
  if (!hasErrors(problems)) return findLive(workspace, source, wanted, desired);
  if (depth === 'values') return { ...NOTHING_FOUND, problems: [...problems, unknownSecrets('error')] };
  const found = await findLive(workspace, source, wanted, desired);
  return { ...found, problems: [unknownSecrets('warning'), ...found.problems] };
}

function unknownSecrets(severity: Problem['severity']): Problem {
  return {
    code: 'cannot-tell',
    severity,
    message: 'the files have errors, so it is unknown which fields hold secrets of variables',
    hint: 'correct the files, which gwconf validate checks; -o human and -o name do not need them',
  };
}

async function findLive(
  workspace: Workspace,
  source: LiveSource,
  wanted: Wanted,
  desired: DesiredState,
): Promise<ListedObjects> {
  const listings = await listLive(workspace, source, wanted.kinds);
  const listed = listings.filter((one) => 'resources' in one);
  const missing = listings.filter((one) => 'problem' in one);
  const [first] = missing;
  if (listed.length === 0 && first !== undefined) return { ...NOTHING_FOUND, problems: [first.problem] };
  const isSecret = makeSecretFinder(workspace.secrets.values);
  const matched = new Set<Term>();
  const addresses: Address[] = [];
  const kinds = listed.map(({ kind, resources }): FoundKind => {
    const found = resources.flatMap((live): readonly FoundResource[] => {
      const address = identify(kind, live);
      addresses.push(address);
      const { isWanted, by } = wanted.match(address);
      for (const term of by) matched.add(term);
      const show = (): Resource => redactLive(live, kind, desired.get(address), isSecret);
      return isWanted ? [{ address, show }] : [];
    });
    return { kind, resources: found.sort(byAddress) };
  });
  const failed = missing.filter(({ kind, isServed }) => isServed || wanted.isNamed(kind));
  const unmatched = wanted.terms
    .filter((term) => !matched.has(term) && isListed(term, listed))
    .map((term, at) => unmatchedProblem(term, at < MOST_SUGGESTIONS ? addresses : []));
  return {
    result: failed.length > 0 ? 'incomplete' : hasErrors(unmatched) ? 'not-found' : 'ok',
    kinds,
    unavailable: new Map(
      missing.filter((one) => !failed.includes(one)).map(({ kind, problem }) => [kind.name, problem.message]),
    ),
    problems: [...failed.map(({ problem }) => problem), ...unmatched],
  };
}

/** A search for a similar address takes time, and the first few are enough. */
const MOST_SUGGESTIONS = 10;

/** Whether what it names could have been found. */
function isListed({ kind }: Term, listed: readonly Listing[]): boolean {
  return kind === undefined || listed.some((one) => one.kind === kind);
}

/** An address without an object is an error; a glob or kind without any is a result. */
function unmatchedProblem(
  { written, globs: [glob = ''], isExact }: Term,
  known: readonly Address[],
): Problem {
  const near = nearestOf(glob, known);
  const cure = 'gwconf get -o name lists all addresses';
  return {
    code: isExact ? 'not-found' : 'unmatched-target',
    severity: isExact ? 'error' : 'warning',
    message: isExact ? `there is no ${written}` : `nothing matches ${written}`,
    hint: near === undefined ? cure : `did you mean ${near}? ${cure}`,
  };
}

/** Where no scope was asked for, names alone are compared. */
function nearestOf(glob: string, known: readonly Address[]): string | undefined {
  if (glob.includes('@')) return suggest(glob, known);
  const byName = new Map(known.map((address) => [address.split('@', 1).join(), address]));
  return byName.get(suggest(glob, byName.keys()) ?? '');
}

function byAddress({ address: one }: FoundResource, { address: other }: FoundResource): number {
  return compareNaturally(one, other);
}
