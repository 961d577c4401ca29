import type { Kind, KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import { compileGlobs, compileRules } from '../../model/text/glob.ts';
import { findKind, unknownKindName } from '../../schema/load/recognise.ts';
import { RequestError } from '../system-error.ts';

/** What is looked for on a gateway. */
export type Wanted = {
  readonly kinds: readonly Kind[];
  /** What was asked for; empty for everything. */
  readonly terms: readonly Term[];
  /** The globs over addresses that say the same; those of exclusions begin with `!`. */
  readonly globs: readonly string[];
  /** Whether an address is wanted, and by which terms. */
  readonly match: (address: Address) => { readonly isWanted: boolean; readonly by: readonly Term[] };
  /** Whether a kind was asked for by its name. */
  readonly isNamed: (kind: Kind) => boolean;
};

/** One address, glob or kind as it was asked for. */
export type Term = {
  readonly written: string;
  /** Globs over addresses. */
  readonly globs: readonly string[];
  /** The kind that it names. */
  readonly kind: Kind | undefined;
  /** Whether it is the address of one object, or its kind and name. */
  readonly isExact: boolean;
};

/**
 * Reads addresses, globs and kinds; a leading `!` excludes. An address without a scope is for every scope. Throws a RequestError
 * for an unknown kind, and for a term of which `kindNames` has not the kind.
 */
export function parseWanted(
  written: readonly string[],
  kindNames: readonly string[],
  kinds: KindSet,
): Wanted {
  const parts = written.flatMap((text) => (text.includes('/') ? [text] : text.split(',')));
  const isExclusion = (part: string): boolean => part.startsWith('!');
  const terms = parts.filter((part) => !isExclusion(part)).map((part) => parseTerm(part, kinds));
  const excluded = parts.filter(isExclusion).map((part) => parseTerm(part.slice(1), kinds));
  const limited = new Set(kindNames.map((name) => kindNamed(name, kinds)));
  const leftOut = terms.find(({ kind }) => limited.size > 0 && kind !== undefined && !limited.has(kind));
  if (leftOut !== undefined)
    throw new RequestError(
      `--kind ${kindNames.join(', ')} leaves out ${leftOut.written}; leave out one of them`,
    );
  const find = compileRules(
    terms.flatMap((term) => term.globs.map((glob) => ({ glob, term }))),
    ({ glob }) => glob,
  );
  const isExcluded = compileGlobs(excluded.flatMap(({ globs }) => globs));
  return {
    kinds: [...kinds.values()].filter(
      (kind) =>
        (limited.size === 0 || limited.has(kind)) &&
        (terms.length === 0
          ? kind.isBuiltIn !== true || limited.has(kind)
          : terms.some((term) => mayMatch(term, kind))),
    ),
    terms,
    globs: [
      ...terms.flatMap(({ globs }) => globs),
      ...excluded.flatMap(({ globs }) => globs.map((glob) => `!${glob}`)),
    ],
    match: (address) => {
      const by = find(address).map(({ term }) => term);
      return { isWanted: (terms.length === 0 || by.length > 0) && !isExcluded(address), by };
    },
    isNamed: (kind) => limited.has(kind) || terms.some((term) => term.kind === kind),
  };
}

function parseTerm(written: string, kinds: KindSet): Term {
  if (written.trim() === '')
    throw new RequestError(`expected an address, a glob or a kind; found '${written}'`);
  const [start = '', ...rest] = written.split('/');
  if (rest.length === 0 && !start.includes('*')) {
    const kind = kindNamed(start, kinds);
    return { written, globs: [`${kind.name}/*`], kind, isExact: false };
  }
  const kind = start.includes('*') ? undefined : kindNamed(start, kinds);
  const glob = kind === undefined ? written : [kind.name, ...rest].join('/');
  const isOpen = glob.includes('@') || glob.endsWith('*');
  return { written, globs: isOpen ? [glob] : [glob, `${glob}@*`], kind, isExact: !glob.includes('*') };
}

function kindNamed(name: string, kinds: KindSet): Kind {
  const kind = findKind(name, kinds);
  if (kind !== undefined) return kind;
  throw new RequestError(`${unknownKindName(name, kinds)} (an object is written as Kind/name)`);
}

/** Whether an address of the kind may match. */
function mayMatch({ globs }: Term, { name }: Kind): boolean {
  return globs.some((glob) => {
    const fixed = glob.split('*', 1).join();
    return `${name}/`.startsWith(fixed) || fixed.startsWith(`${name}/`);
  });
}
