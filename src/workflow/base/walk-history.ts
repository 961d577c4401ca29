import { memoize } from '../../model/collect.ts';
import { valueAt, type Pointer } from '../../model/json/json.ts';
import { hasErrors, type SourceFile } from '../../model/problem.ts';
import { type DesiredState, type LiveState, placeOf, type Declared } from '../../model/state.ts';
import type { FieldOrObject, Finding, HistoryEnd, startHistory } from '../../plan/causes/history.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import { FileError } from '../system-error.ts';
import { MissingObject } from './git-tree.ts';
import {
  listCommit,
  loadCommit,
  loadOlder,
  type CommitInput,
  type Listing,
  type Reading,
} from './load-commit.ts';

/** A commit with what it declares. */
export type Read = { readonly commit: string; readonly listing: Listing; readonly declared: CommitInput };

export async function readAt(reading: Reading, commit: string, known?: Read): Promise<Read> {
  const { tree } = await reading.tree.readCommit(commit);
  const listing = await listCommit(reading, tree, known?.listing);
  const declared =
    known === undefined
      ? await loadCommit(reading, listing)
      : await loadOlder(reading, listing, { listing: known.listing, value: known.declared.value });
  return { commit, listing, declared };
}

/** Most commits of a busy repository are about other files. */
const MOST_COMMITS = 1000;
const MOST_VERSIONS = 50;

/** Goes back along the first parents, through the versions of the files, for as long as `add` wants more. */
export async function walk(
  reading: Reading,
  start: { readonly commit: string; readonly listing: Listing; readonly value: DesiredState },
  adopt: (desired: DesiredState) => DesiredState,
  add: (older: DesiredState) => boolean,
): Promise<HistoryEnd> {
  const { tree } = reading;
  let { listing } = start;
  let versions = 0;
  try {
    let { parent } = await tree.readCommit(start.commit);
    for (let steps = 0; steps < MOST_COMMITS; steps += 1) {
      if (parent === undefined) {
        add(new Map());
        return 'complete';
      }
      const commit = await tree.readCommit(parent);
      parent = commit.parent;
      if (commit.tree === listing.commit.tree) continue;
      const older = await listCommit(reading, commit.tree, listing);
      if (older.key === listing.key) continue;
      listing = older;
      const { value, problems } = await loadOlder(reading, older, {
        listing: start.listing,
        value: start.value,
      });
      if (hasErrors(problems)) continue;
      versions += 1;
      if (!add(adopt(value)) || versions >= MOST_VERSIONS) return 'limit';
    }
    return 'limit';
  } catch (error) {
    if (error instanceof MissingObject) return 'missing';
    if (error instanceof FileError) return 'limit';
    throw error;
  }
}

/** What files declare, with the live value of fields that have none here. */
export function adoptFrom(live: LiveState): (desired: DesiredState) => DesiredState {
  return (desired) => adoptUnsetFields(desired, live, () => '').value;
}

/** Something of the job: a variable, a file or a program. `$${…}` is none, and `${var.…}` is in gwconf.yaml. */
const OF_JOB = /(?<!\$)\$\{(?!var\.)/;

/** What a history says, once it was walked; nothing of a field that the job fills in, whose history is not in the files. */
export function makeFinder(
  history: ReturnType<typeof startHistory>,
  end: HistoryEnd,
  desired: DesiredState,
): (fieldOrObject: FieldOrObject) => Finding {
  const isFilledIn = makeFilledIn();
  return (fieldOrObject) => {
    const finding = history.find(fieldOrObject, end);
    const { address, path } = fieldOrObject;
    return finding === 'drift' && path !== undefined && isFilledIn(desired.get(address), path)
      ? 'unclear'
      : finding;
  };
}

/** Tells which fields the job fills in. Each file is parsed once, and only if it has any. */
function makeFilledIn(): (declared: Declared | undefined, path: Pointer) => boolean {
  const documentsOf = memoize((file: SourceFile) => parseYaml(file, { keep: () => undefined }));
  return (declared, path) => {
    if (declared === undefined) return false;
    const place = placeOf(declared, path);
    if (!('document' in place) || !OF_JOB.test(place.document.file.text)) return false;
    const { file, index } = place.document;
    const document = documentsOf(file).find(({ ref }) => ref.index === index);
    const written = document === undefined ? undefined : valueAt(document.value, place.path);
    return written !== undefined && OF_JOB.test(JSON.stringify(written));
  };
}
