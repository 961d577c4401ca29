import { getOrAdd, groupBy } from '../../model/collect.ts';
import { makeProblem, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import { axisOf, kindOf, type Address } from '../../model/resource.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { type Document, type Layout, chooseLayout, fileOf } from '../declared.ts';
import { isJson } from '../edit/edit-file.ts';

/** The files of an environment, and where new ones go. */
export type Tree = {
  /** The addresses that each file declares. */
  readonly addresses: ReadonlyMap<SourceFile, readonly Address[]>;
  /** Other environments that read a file. */
  readonly sharedWith: (path: string) => readonly string[];
  /** The path of a new file; undefined if all folders belong to other environments, too, or there is none. */
  readonly newPath: (name: string) => string | undefined;
};

/**
 * Finds a file for each document: the one that is asked for, or that of its neighbours, of the same kind in the same virtual
 * cluster, or else a new one in the layout of the tree. A file that other environments read gets none. The documents are by the path of
 * their file, which may be new.
 */
export function placeDocuments(
  documents: readonly Document[],
  tree: Tree,
  to: string | undefined,
  catalog: Catalog,
): Checked<ReadonlyMap<string, readonly Document[]>> {
  const homes = findHomes(tree);
  const layout = findLayout(tree);
  const problems: Problem[] = [];
  const pathOf = ({ address }: Document): string | undefined => {
    if (to !== undefined) return to;
    const neighbours = homes.get(neighbourhoodOf(address));
    const own = neighbours?.find(({ path }) => tree.sharedWith(path).length === 0);
    if (own !== undefined) return own.path;
    const name = typeof layout === 'string' ? fileOf(address, layout, catalog) : undefined;
    const path = name === undefined ? (layout as SourceFile).path : tree.newPath(name);
    const shared = neighbours?.[0]?.path ?? path;
    const others = shared === undefined ? [] : tree.sharedWith(shared);
    if (path !== undefined && others.length === 0) return path;
    problems.push(noPlace(address, shared, others));
    return undefined;
  };
  const placed = documents.flatMap((document) => {
    const path = pathOf(document);
    return path === undefined ? [] : [{ path, document }];
  });
  const byPath = [...groupBy(placed, ({ path }) => path)];
  const value = new Map(byPath.map(([path, found]) => [path, found.map(({ document }) => document)]));
  return { value, problems };
}

/** The kind and virtual cluster of an object. */
function neighbourhoodOf(address: Address): string {
  return `${kindOf(address)} ${axisOf(address, 'vCluster') ?? ''}`;
}

/** The files that declare objects of a kind and virtual cluster, those with most of them first. JSON takes no second document. */
function findHomes({ addresses }: Tree): ReadonlyMap<string, readonly SourceFile[]> {
  const counts = new Map<string, Map<SourceFile, number>>();
  for (const [file, mine] of addresses) {
    if (isJson(file)) continue;
    for (const address of mine) {
      const files = getOrAdd(counts, neighbourhoodOf(address), () => new Map<SourceFile, number>());
      files.set(file, (files.get(file) ?? 0) + 1);
    }
  }
  return new Map(
    Array.from(counts, ([place, files]) => {
      const sorted = [...files].sort(([one, a], [other, b]) => b - a || (one.path < other.path ? -1 : 1));
      return [place, sorted.map(([file]) => file)];
    }),
  );
}

/** The layout that the files have; the file itself if there is only one, and it has several kinds. */
function findLayout({ addresses }: Tree): Layout | SourceFile {
  const files = [...addresses].filter(([, mine]) => mine.length > 0);
  const [[only, all] = []] = files.length === 1 ? files : [];
  if (only !== undefined && all !== undefined && !isJson(only) && new Set(all.map(kindOf)).size > 1)
    return only;
  const clusters = files.map(([, mine]) => new Set(mine.map((address) => axisOf(address, 'vCluster'))));
  const isByCluster = clusters.every(({ size }) => size === 1);
  if (isByCluster && new Set(clusters.flatMap((one) => [...one])).size > 1) return 'by-virtual-cluster';
  if (files.length > 1 && files.every(([, mine]) => new Set(mine.map(kindOf)).size === 1)) return 'by-kind';
  return chooseLayout(files.flatMap(([, mine]) => mine));
}

function noPlace(address: Address, path: string | undefined, others: readonly string[]): Problem {
  const why =
    path === undefined
      ? 'no folder of the environment is its own'
      : `its place is ${path}, which ${others.join(' and ')} also ${others.length === 1 ? 'reads' : 'read'}`;
  return makeProblem({
    code: 'not-imported',
    message: `${address} is not added: ${why}`,
    address,
    hint: 'name a file with --to FILE',
  });
}
