import type { Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { findUses } from '../scan/scan.ts';
import type { UnreadCall, Uses } from './request.ts';

/** What uses v1, and no call was read from: another program calls it, or a script that is run elsewhere. */
export function unreadIn({ found, read }: Uses): readonly UnreadCall[] {
  return [...found].flatMap(([place, call]) => (read.has(place) ? [] : [call]));
}

function unreadAt(file: string, line: number, path: string): UnreadCall {
  return { file, line, path, why: 'it uses v1, and no call was read there', needsRecording: true };
}

type Found = ReturnType<typeof findUses>;

/** Uses outside of comments; a /health is no call to be converted. */
function codeIn(text: string): readonly (Found[number] & { readonly before: string })[] {
  return findUses({ text }).flatMap((use) => {
    const start = Math.max(text.lastIndexOf('\n', use.offset) + 1, use.offset - LONGEST);
    const before = text.slice(start, use.offset);
    return use.area === 'health' || /(?:^|\s)(?:#|\/\/)/.test(before) ? [] : [{ ...use, before }];
  });
}

/** Uses as a URL or the value of a key, and not in a sentence. */
function usesIn(text: string): Found {
  return codeIn(text).filter(({ offset, before }) => {
    // As a program writes it to a socket: DELETE /admin/… HTTP/1.1
    const isRequest = /^\S+ HTTP\/\d/.test(text.slice(offset, offset + LONGEST));
    return isRequest || offset === 0 || /(?:\S|:\s+|^\s*(?:GET|POST|PUT|DELETE|PATCH)\s+)$/.test(before);
  });
}

/** As far as a path and what is before it in its line matter. */
const LONGEST = 1000;

/** All uses in a text that no reader is for. */
export function usesOf({ path, text }: SourceFile): Uses {
  const file = { path, text }; // one object, of which positions are remembered
  const found = usesIn(text).map((use) => {
    const { line } = positionAt(file, use.offset);
    return [`${path}:${line}:${use.offset}`, unreadAt(path, line, use.text)] as const;
  });
  return { found: new Map(found), read: new Set() };
}

/** The uses in lines of a file that are not in the lines which a reader has made of them. */
export function usesLeftOut(file: SourceFile, made: readonly string[]): Uses {
  const lines = file.text.split('\n');
  const left = lines.map((line, at) => (findUses({ text: made[at] ?? '' }).length > 0 ? '' : line));
  return usesOf({ path: file.path, text: left.join('\n') });
}

/** The uses in texts of a document that are no scripts. That of a variable is read where a script uses it. */
export function usesBeside(root: Tree, file: SourceFile, scripts: ReadonlySet<Tree>): Uses {
  const found = new Map<string, UnreadCall>();
  const add = (written: Json, at: Tree, isVariable: boolean): void => {
    for (const { text, offset } of typeof written === 'string' ? usesIn(decoded(written)) : []) {
      const { line } = positionAt(file, at.offset);
      const place = isVariable ? placeOfValue(file.path, text) : `${file.path}:${at.offset}:${offset}`;
      found.set(place, unreadAt(file.path, line, text));
    }
  };
  const visit = (tree: Tree, name: string, isVariable: boolean): void => {
    if (scripts.has(tree)) return;
    add(tree.value, tree, isVariable);
    for (const [key, child] of tree.children) {
      if (name !== 'paths') add(key, child, false); // those of a description of an API
      visit(child, key, isVariable || VARIABLES.includes(key));
    }
  };
  visit(root, '', false);
  return { found, read: new Set() };
}

/** The text of a Secret or of binary data: `L2FkbWlu…`. */
function decoded(written: string): string {
  const isEncoded = written.length % 4 === 0 && /^[A-Za-z\d+/]{20,}={0,2}$/.test(written);
  return isEncoded ? Buffer.from(written, 'base64').toString() : written;
}

export const VARIABLES = ['variables', 'environment', 'env'];

/** The path as far as no variable is in it. */
function placeOfValue(file: string, text: string): string {
  const [plain = ''] = /^[\w./~@=+,%-]*/.exec(text) ?? [];
  return `${file}:${plain === text ? plain : plain.slice(0, plain.lastIndexOf('/') + 1)}`;
}

/** Starts a mark, which has the length of the word that it stands for. */
const MARK = '\uE004';
const MARKS = /\uE004([\uE100-\uE13F]{4})/g;
const LENGTH = 5;

/** Whether a text of a file could be taken for one with marks. */
export function hasMark(text: string): boolean {
  return text.includes(MARK);
}

/** Follows uses in scripts to where their texts go: each has a mark in place of its first word. */
export type Tracer = ReturnType<typeof makeTracer>;

export function makeTracer() {
  const found = new Map<string, UnreadCall>();
  const read = new Set<string>();
  const marks: { readonly place: string; readonly word: string }[] = [];
  const replace = (text: string, note?: Set<string>): string =>
    hasMark(text)
      ? text.replaceAll(MARKS, (_, digits: string) => {
          const number = Array.from(digits).reduce((sum, one) => sum * 64 + one.charCodeAt(0) - 0xe100, 0);
          const { place = '', word = '' } = marks[number] ?? {};
          note?.add(place);
          return word;
        })
      : text;
  const mark = (text: string, placeOf: (use: Found[number]) => string): string => {
    let marked = '';
    for (const use of codeIn(text)) {
      const at = use.offset + (/^[\\/]*/.exec(text.slice(use.offset, use.offset + 3))?.[0].length ?? 0);
      const number = marks.push({ place: placeOf(use), word: text.slice(at, at + LENGTH) }) - 1;
      const digits = [18, 12, 6, 0].map((bits) => String.fromCharCode(0xe100 + ((number >> bits) & 63)));
      marked += `${text.slice(marked.length, at)}${MARK}${digits.join('')}`;
    }
    return `${marked}${text.slice(marked.length)}`;
  };
  return {
    uses: { found, read } satisfies Uses,
    /** A script with marks. */
    markScript: (text: string, path: string, lineAt: (offset: number) => number): string =>
      mark(text, (use) => {
        const line = lineAt(use.offset);
        const place = `${path}:${line}:${use.offset}`;
        found.set(place, unreadAt(path, line, use.text));
        return place;
      }),
    /** The value of a variable that a file sets for its scripts. */
    markValue: (text: string, path: string): string => mark(text, (use) => placeOfValue(path, use.text)),
    /** A text without marks, for a comparison. */
    show: (text: string): string => replace(text),
    /** A text without marks, where its uses have become a call or are certainly none. */
    take: (text: string): string => replace(text, read),
  };
}
