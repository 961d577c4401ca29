import type {
  AnnotatedTextEdit,
  Range,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-types';
import { removalsOf } from '../declare/propose-removals.ts';
import { addTo, getOrAdd } from '../model/collect.ts';
import { printPointer, valueOf } from '../model/json/json.ts';
import type { Place, Problem, SourceFile } from '../model/problem.ts';
import { fitsInPath, kindOf, parseAddress, printAddress, type Address } from '../model/resource.ts';
import { TEST_FILE_ENDING } from '../model/test-case.ts';
import { hasEnding } from '../model/text/file-ending.ts';
import { list } from '../model/text/list.ts';
import { fieldOf } from '../schema/fields.ts';
import { inFull } from '../schema/load/address.ts';
import { violationsOf } from '../schema/validate.ts';
import { fileOf } from '../schema/yaml/places.ts';
import type { Look } from './look.ts';
import { printText } from './offers.ts';
import { mentionsAt, mentionsOf, namesIn, textOf, type Mention } from './names.ts';
import { rangeBetween, rangeOf, type UriOf } from './ranges.ts';
import { referencesOf } from './referred.ts';

/** Why something cannot be renamed. */
export type Refusal = { readonly refusal: string };

/** The name at an offset that can be changed in all files. */
export function renamableAt(
  look: Look,
  file: SourceFile,
  offset: number,
): { readonly range: Range; readonly placeholder: string } | Refusal {
  const found = namedAt(look, file, offset);
  if ('refusal' in found) return found;
  return { range: rangeBetween(file, textOf(found).span), placeholder: parseAddress(found.of)?.name ?? '' };
}

function namedAt(look: Look, file: SourceFile, offset: number): Mention | Refusal {
  const [mention] = mentionsAt(look, file, offset);
  if (mention === undefined || mention.by === 'glob') return { refusal: 'this is not the name of an object' };
  const isDeclared = mentionsOf(look, mention.of).some(({ as }) => as === 'declaration');
  return isDeclared ? mention : { refusal: `no file declares ${mention.of}` };
}

/**
 * Renames an object wherever files name it. Adds a document that says to the gateway what moved to each file that declares an object
 * whose address changes: the environments that have the one have the other. `isLive` says whether the gateway has an object; where that
 * is not known, the editor asks whether the documents are wanted.
 */
export function renameAt(
  look: Look,
  file: SourceFile,
  offset: number,
  name: string,
  { uriOf, isLive }: { readonly uriOf: UriOf; readonly isLive: (address: Address) => boolean | undefined },
): WorkspaceEdit | Refusal {
  const found = namedAt(look, file, offset);
  if ('refusal' in found) return found;
  const refusal = whyNot(look, found.of, name);
  if (refusal !== undefined) return { refusal };
  const moves = movesOf(look, found.of, name);
  const edits = new Map<string, (TextEdit | AnnotatedTextEdit)[]>();
  for (const [from, to] of moves) {
    for (const mention of mentionsOf(look, from)) {
      if (mention.by === 'glob' || (mention.by !== 'address' && from !== found.of)) continue;
      const { text, span } = textOf(mention);
      const { file: there } = mention.document;
      const written = newTextOf(mention, text, mention.by === 'address' ? to : name);
      if (written === undefined) {
        const line = rangeBetween(there, span).start.line + 1;
        return { refusal: `${there.path}:${line} does not have the name as it is; rename it there by hand` };
      }
      addTo(edits, there.path, {
        range: rangeBetween(there, span),
        newText: printText(written, there.text[span.from - 1]),
      });
    }
  }
  const moved = [...moves]
    .filter(([from]) => isLive(from) !== false)
    .map(([address, to]) => ({ address, to }));
  for (const [there, ofFile] of byFile(look, moved)) {
    const text = removalsOf(ofFile, look.catalog);
    if (text !== '') addTo(edits, there.path, appended(there, text));
  }
  const missed = missedBy(look, moves);
  const isSure = moved.every(({ address }) => isLive(address) === true);
  return {
    documentChanges: Array.from(edits, ([path, all]): TextDocumentEdit => ({
      textDocument: { uri: uriOf(path), version: null },
      edits: all,
    })),
    changeAnnotations: {
      [MOVED]: {
        label: 'Add a Removal document with moved',
        needsConfirmation: !isSure || missed !== undefined,
        description: [
          isSure
            ? 'The gateway has the object: it is deleted once the renamed one exists.'
            : 'Only if the gateway has the object: it is deleted once the renamed one exists.',
          ...(missed === undefined ? [] : [missed]),
        ].join(' '),
      },
    },
  };
}

type Move = { readonly address: Address; readonly to: Address };

/** Moves by the files that declare what is moved. */
function byFile(look: Look, moves: readonly Move[]): ReadonlyMap<SourceFile, readonly Move[]> {
  const files = new Map<string, SourceFile>(); // one that is in two layers is two
  const found = new Map<SourceFile, Move[]>();
  for (const move of moves) {
    for (const { as, document } of mentionsOf(look, move.address)) {
      if (as !== 'declaration') continue;
      const file = getOrAdd(files, document.file.path, () => document.file);
      addTo(found, file, move);
    }
  }
  return found;
}

/** A rule or a test that matches an object by a glob, and does not match its new address. */
function missedBy(look: Look, moves: ReadonlyMap<Address, Address>): string | undefined {
  const { globs } = namesIn(look);
  const missed = globs.filter(({ matches }) =>
    [...moves].some(([from, to]) => matches(from) && !matches(to)),
  );
  if (missed.length === 0) return undefined;
  const places = missed.map((glob) => {
    const { file } = glob.document;
    return `${file.path}:${rangeBetween(file, textOf(glob).span).start.line + 1}`;
  });
  return `The new address is not matched by what matches the old one at ${list(places)}.`;
}

const MOVED = 'moved';

/** A text with another name in it; undefined where it has not the old one as it is, such as with a variable. */
function newTextOf({ of, by }: Mention, text: string, after: string): string | undefined {
  if (by === 'address') return text === of ? after : undefined;
  const name = parseAddress(of)?.name ?? '';
  if (text === name) return after;
  if (by === 'principal') return text === `User:${name}` ? `User:${after}` : undefined;
  return by === 'pattern' && text === asPattern(name) ? asPattern(after) : undefined;
}

function asPattern(topic: string): string {
  return topic.replaceAll('.', '\\.');
}

function appended(file: SourceFile, text: string): AnnotatedTextEdit {
  // Before the last line break: what is put behind it is another line to editors in which it ends the last one.
  const end = file.text.replace(/\r?\n$/, '').length;
  const range = rangeBetween(file, { from: end, to: end });
  return { range, newText: `\n---\n${text.trimEnd()}`, annotationId: MOVED };
}

function whyNot(look: Look, address: Address, name: string): string | undefined {
  const kind = look.catalog.kinds.get(kindOf(address));
  const identity = parseAddress(address);
  if (kind === undefined || identity === undefined) return `${address} cannot be renamed`;
  if (name === identity.name) return 'the name is the same';
  const unread = unreadIn(look);
  if (unread !== undefined) {
    const line = rangeOf(unread).start.line + 1;
    return `${fileOf(unread).path}:${line} has an error, so not all names are known; mend it first`;
  }
  // Files would take it for a variable, or for all that it matches.
  if (name.includes('${') || name.includes('*')) return 'a name with ${ or * is to be written by hand';
  const field = fieldOf(kind.schema.metadata, 'name');
  const [violation] = violationsOf({ properties: { name: field ?? {} } }, { name });
  if (violation !== undefined) {
    const form = valueOf(field, 'patternErrorMessage');
    return `this cannot be the name of a ${kind.name}${typeof form === 'string' ? `: expected ${form}` : ''}`;
  }
  if (kind.removal !== 'body' && !fitsInPath(name)) return 'this name does not fit in a URL';
  if (kind.builtIn.includes(name)) return `${kind.name}/${name} always exists`;
  const after = inFull(kind, name, identity.scope);
  const isTaken =
    namesIn(look)
      .byAddress.get(after)
      ?.some(({ as }) => as === 'declaration') === true;
  return isTaken ? `${after} is declared already` : undefined;
}

/** The place of an error because of which names are not known: of a document that was not read, or of gwconf.yaml, which says what is read. */
function unreadIn(look: Look): Place | undefined {
  const { byFile } = namesIn(look);
  const isRead = (at: Place): boolean =>
    !('document' in at) ||
    byFile.get(at.document.file.path)?.some(({ document }) => document.offset === at.document.offset) ===
      true;
  const errorsIn = (problems: readonly Problem[], hidesNames: (at: Place) => boolean): readonly Place[] =>
    problems.flatMap(({ severity, code, at }) =>
      severity === 'error' && at !== undefined && (code === 'invalid-yaml' || hidesNames(at)) ? [at] : [],
    );
  return [
    ...errorsIn(look.problems, (at) => !hasEnding(fileOf(at).path, TEST_FILE_ENDING)),
    ...look.environments.flatMap(({ problems }) => errorsIn(problems, (at) => !isRead(at))),
  ][0];
}

/** The objects whose addresses change with a name, and the new ones: the object itself, and those whose scope it is in. */
function movesOf(look: Look, address: Address, name: string): ReadonlyMap<Address, Address> {
  const moves = new Map<Address, Address>();
  const [own, identity] = [look.catalog.kinds.get(kindOf(address)), parseAddress(address)];
  if (own === undefined || identity === undefined) return moves;
  moves.set(address, inFull(own, name, identity.scope));
  for (const { declared } of look.environments) {
    for (const [other, { resource }] of declared) {
      const kind = look.catalog.kinds.get(kindOf(other));
      const theirs = parseAddress(other);
      if (kind === undefined || theirs === undefined || moves.has(other)) continue;
      const paths = referencesOf(kind, resource).filter(({ to }) => to === address);
      const axes = kind.axes.filter(({ tokens }) =>
        paths.some(({ path }) => path === printPointer(['metadata', ...tokens])),
      );
      if (axes.length === 0) continue;
      const changed = Object.fromEntries(axes.map((axis) => [axis.name, name]));
      moves.set(other, printAddress({ ...theirs, scope: { ...theirs.scope, ...changed } }));
    }
  }
  return moves;
}
