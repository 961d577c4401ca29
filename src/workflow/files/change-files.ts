import { addAll } from '../../model/collect.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, hasErrors, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Json } from '../../model/json/json.ts';
import type { Address } from '../../model/resource.ts';
import type { Document } from '../../declare/declared.ts';
import { editFile, type FileRefusal } from '../../declare/edit/edit-file.ts';
import { untakenProblem } from '../../declare/import/write-adoption.ts';
import { printDocuments } from '../../declare/write-out.ts';
import { isInside } from '../project/find-project.ts';
import { loadFiles, type Input } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';

/** What is to become of files. */
export type Proposal = {
  /** New values of documents, by file and number; undefined takes a document out. */
  readonly changed: ReadonlyMap<SourceFile, ReadonlyMap<number, Json | undefined>>;
  /** New documents, by the path of a file, which need not be there. */
  readonly added: ReadonlyMap<string, readonly Document[]>;
  /** A new file that declares nothing. */
  readonly comments?: { readonly path: string; readonly text: string };
  /** The object that a changed document is about. */
  readonly addressOf: (file: SourceFile, index: number) => Address | undefined;
};

/** A file that changes, and what it will be; undefined for one that is not there, or will not be. */
export type FileChange = {
  readonly path: string;
  readonly before: SourceFile | undefined;
  readonly after: string | undefined;
};

export type ChangedFiles = {
  readonly changes: readonly FileChange[];
  /** What the files declare then. */
  readonly input: Input;
  readonly problems: readonly Problem[];
};

/** Edits files in memory. What would make them invalid, or cannot be edited, stays as it is, with a problem. */
export function changeFiles(workspace: Workspace, input: Input, proposal: Proposal): ChangedFiles {
  const made = editAll(workspace.catalog, input, proposal, new Set());
  const after = loadFiles(workspace, withChanges(input, made.changes));
  if (!hasErrors(after.problems)) return { ...made, input: after };
  const errors = after.problems.filter(({ severity }) => severity === 'error');
  const invalid = new Set(errors.flatMap(({ address }) => address ?? []));
  const again = editAll(workspace.catalog, input, proposal, invalid);
  const valid = loadFiles(workspace, withChanges(input, again.changes));
  const problems = [...again.problems, ...errors.map(asInvalid)];
  return hasErrors(valid.problems)
    ? { changes: [], input, problems: [...problems, ...valid.problems] }
    : { changes: again.changes, input: valid, problems };
}

/** The places of these problems are in texts that nobody has seen. */
function asInvalid({ at: _, also: __, ...problem }: Problem): Problem {
  const { address, message } = problem;
  return makeProblem({
    code: 'not-imported',
    message: `${address ?? 'an object'} stays as it is in the files, which would be invalid: ${message}`,
    ...(address === undefined ? {} : { address }),
    hint: 'change it on the gateway, or declare it by hand',
  });
}

function editAll(
  catalog: Catalog,
  { files }: Input,
  { changed, added, comments, addressOf }: Proposal,
  left: ReadonlySet<Address>,
): Pick<ChangedFiles, 'changes' | 'problems'> {
  const changes: FileChange[] = [];
  const problems: Problem[] = [];
  const known = new Map(files.map((file) => [file.path, file]));
  const mayAdd = (path: string): readonly Document[] =>
    (added.get(path) ?? []).filter(({ address }) => !left.has(address));
  for (const file of files) {
    const documents = [...(changed.get(file) ?? [])].filter(
      ([index]) => !left.has(addressOf(file, index) ?? ('' as Address)),
    );
    const news = mayAdd(file.path);
    if (documents.length + news.length === 0) continue;
    const texts = news.map((document) => ({
      value: document.value,
      text: printDocuments([document], [], catalog),
    }));
    const { text, refused } = editFile(file, { changed: new Map(documents), added: texts }, catalog);
    if (text !== file.text) changes.push({ path: file.path, before: file, after: text });
    const indexes = documents.map(([index]) => index);
    for (const one of refused) addAll(problems, refusalProblems(file, one, indexes, news, addressOf));
  }
  for (const path of added.keys()) {
    const news = known.has(path) ? [] : mayAdd(path);
    if (news.length > 0) changes.push({ path, before: undefined, after: printDocuments(news, [], catalog) });
  }
  if (comments !== undefined) changes.push({ path: comments.path, before: undefined, after: comments.text });
  return { changes, problems };
}

/** A refusal of a whole file is one of all that is to become of it. */
function refusalProblems(
  file: SourceFile,
  { document, path, obstacle, offset }: FileRefusal,
  changed: readonly number[],
  news: readonly Document[],
  addressOf: Proposal['addressOf'],
): readonly Problem[] {
  const at = { file, offset };
  const indexes = document === undefined ? changed : [document];
  const addresses = new Set(indexes.flatMap((index) => addressOf(file, index) ?? []));
  const left = [...addresses].map((one) => untakenProblem(one, { path, hindrance: obstacle, at }));
  if (document !== undefined) return left;
  const unadded = news.map(({ address: one }) =>
    makeProblem({
      code: 'not-imported',
      message: `${one} is not added: ${file.path} is written in a way that is not edited`,
      at,
      address: one,
      hint: 'name another file with --to FILE',
      confidential: true,
    }),
  );
  return [...left, ...unadded];
}

function withChanges(
  input: Input,
  changes: readonly FileChange[],
): Pick<Input, 'paths' | 'files' | 'variables'> {
  const { paths, files, variables } = input;
  const after = new Map(changes.map((change) => [change.path, change]));
  const kept = files.flatMap((file) => {
    const change = after.get(file.path);
    if (change === undefined) return [file];
    return change.after === undefined ? [] : [{ ...file, text: change.after }];
  });
  const created = changes.flatMap(({ path, before, after: text }): readonly SourceFile[] =>
    before === undefined && text !== undefined ? [{ path, text, ...layerOf(path, paths) }] : [],
  );
  return { paths, files: [...kept, ...created], variables };
}

function layerOf(path: string, paths: readonly string[]): Pick<SourceFile, 'layer'> {
  const layer = paths.findIndex((one) => isInside(path, one));
  return layer === -1 ? {} : { layer };
}
