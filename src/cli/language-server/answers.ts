import {
  LSPErrorCodes,
  ResponseError,
  TextDocumentEdit,
  type CodeAction,
  type Connection,
  type Position,
  type ServerCapabilities,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { actionsFor } from '../../editor/actions.ts';
import { completeAt } from '../../editor/complete.ts';
import { hoverAt } from '../../editor/hover.ts';
import type { Look } from '../../editor/look.ts';
import { definitionsAt, findSymbols, highlightsAt, referencesAt } from '../../editor/navigate.ts';
import { foldingOf, lensesOf, outlineOf } from '../../editor/outline.ts';
import { completePath, pathAt, type Entry } from '../../editor/paths.ts';
import { isLiveBy, planLenses, type PlanOf } from '../../editor/plan-marks.ts';
import type { Marked } from '../../editor/problems.ts';
import { editTo, offsetAt, type UriOf } from '../../editor/ranges.ts';
import { renamableAt, renameAt, type Refusal } from '../../editor/rename.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { forTerminal } from '../../model/text/escape.ts';
import { formatFile } from '../../schema/fmt/fmt.ts';

/** What the server can say of a place in a file. */
export const ANSWERS: ServerCapabilities = {
  completionProvider: { triggerCharacters: [' ', '{', '[', '/', '.'] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  foldingRangeProvider: true,
  codeActionProvider: { codeActionKinds: ['quickfix', 'refactor.rewrite', 'source.fixAll.gwconf'] },
  documentFormattingProvider: true,
  codeLensProvider: {},
};

/** The project as it is now, and the file that is asked about, if the project has it. */
type Asked = {
  readonly look: Look;
  /** The same, with what was known before gwconf.yaml was broken. */
  readonly known: Look;
  readonly file: SourceFile | undefined;
  readonly marked: ReadonlyMap<string, readonly Marked[]>;
};

type Question = { readonly textDocument: { readonly uri: string } };

/**
 * Answers what an editor asks about places, symbols and names; `plans` are the last ones, if files are compared with snapshots;
 * `canAsk` is whether the editor asks about edits that need it.
 */
export function answer(
  connection: Connection,
  look: (uri: string) => Promise<Asked>,
  {
    uriOf,
    plans,
    canAsk,
    mayCompare,
    list,
  }: {
    readonly uriOf: UriOf;
    readonly plans: () => readonly PlanOf[];
    readonly canAsk: () => boolean;
    /** Whether the editor can ask for a comparison with a gateway. */
    readonly mayCompare: () => boolean;
    /** What is in a folder of the project. */
    readonly list: (folder: string) => Promise<readonly Entry[]>;
  },
): void {
  /** An answer about a file; none for one that the project has not. */
  const about =
    <Q extends Question, A>(find: (look: Look, file: SourceFile, question: Q) => A) =>
    async (question: Q): Promise<A | null> => {
      const { look: seen, file } = await look(question.textDocument.uri);
      return file === undefined ? null : asShown(find(seen, file, question));
    };
  const at = <Q extends Question & { readonly position: Position }, A>(
    find: (look: Look, file: SourceFile, offset: number, question: Q) => A,
  ) => about<Q, A>((seen, file, question) => find(seen, file, offsetAt(file, question.position), question));
  connection.onCompletion(async ({ textDocument, position }) => {
    const { known: seen, file } = await look(textDocument.uri);
    if (file === undefined) return null;
    const offset = offsetAt(file, position);
    const path = pathAt(seen, file, offset);
    if (path === undefined) return asShown([...completeAt(seen, file, offset)]);
    return asShown([...completePath(path, file, await list(path.folder))]);
  });
  connection.onHover(at((seen, file, offset) => hoverAt(seen, file, offset) ?? null));
  connection.onDefinition(at((seen, file, offset) => [...definitionsAt(seen, file, offset, uriOf)]));
  connection.onReferences(
    at((seen, file, offset, { context }) => [
      ...referencesAt(seen, file, offset, uriOf, { withDeclaration: context.includeDeclaration }),
    ]),
  );
  connection.onDocumentHighlight(
    at((seen, file, offset) => highlightsAt(seen, file, offset).map(({ range }) => ({ range }))),
  );
  connection.onPrepareRename(at((seen, file, offset) => orRefuse(renamableAt(seen, file, offset))));
  connection.onRenameRequest(
    at((seen, file, offset, { newName }) => {
      const isLive = (address: Address): boolean | undefined => isLiveBy(seen, plans(), address);
      const edit = orRefuse(renameAt(seen, file, offset, newName, { uriOf, isLive }));
      return canAsk() ? edit : withoutQuestions(edit);
    }),
  );
  connection.onCodeAction(async ({ textDocument, range, context: { only } }) => {
    const { look: seen, marked, file } = await look(textDocument.uri);
    if (file === undefined) return [];
    const asked = { file, range, marked: marked.get(file.path) ?? [], uriOf };
    const isWanted = ({ kind = '' }: CodeAction): boolean =>
      only?.some((one) => `${kind}.`.startsWith(`${one}.`)) ?? true;
    return asShown(actionsFor(seen, asked).filter(isWanted));
  });
  connection.onDocumentFormatting(
    about((seen, file) => {
      const text = formatFile(file, seen.catalog).value;
      return text === undefined ? [] : [...editTo(file, text)];
    }),
  );
  connection.onDocumentSymbol(about((_, file) => [...outlineOf(file)]));
  connection.onWorkspaceSymbol(async ({ query }) =>
    asShown([...findSymbols((await look('')).look, query, uriOf)]),
  );
  connection.onFoldingRanges(about((_, file) => [...foldingOf(file)]));
  connection.onCodeLens(
    about((seen, file) => [
      ...(mayCompare() ? planLenses(seen, file, plans()) : []),
      ...lensesOf(seen, file),
    ]),
  );
}

/** The edits in the form that every editor knows. */
function withoutQuestions({ documentChanges = [] }: WorkspaceEdit): WorkspaceEdit {
  const documents = documentChanges.filter((change) => TextDocumentEdit.is(change));
  return {
    changes: Object.fromEntries(
      documents.map(({ textDocument: { uri }, edits }) => [
        uri,
        edits.flatMap((edit) => ('newText' in edit ? [{ range: edit.range, newText: edit.newText }] : [])),
      ]),
    ),
  };
}

/** The same, as JSON, where a text that a person reads has no character that cannot be seen. What is put into a file stays as it is. */
export function asShown<T>(answer: T): T {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      typeof value === 'string' && READ.has(key) ? forTerminal(value) : value,
    ),
  ) as T;
}

const READ: ReadonlySet<string> = new Set(['message', 'title', 'label', 'detail', 'documentation', 'name']);

/** What is refused is an answer that the editor shows. */
function orRefuse<T extends object>(answer: T | Refusal): T {
  if ('refusal' in answer) throw new ResponseError(LSPErrorCodes.RequestFailed, forTerminal(answer.refusal));
  return answer;
}
