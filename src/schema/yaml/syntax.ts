import {
  isAlias,
  isScalar,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type Pair,
  type YAMLError,
} from 'yaml';
import { memoize } from '../../model/collect.ts';
import type { SourceFile } from '../../model/problem.ts';

/** The limit does not depend on the size of the stack. */
export const MOST_LEVELS = 200;
export const TOO_DEEP = `the nesting is deeper than ${MOST_LEVELS} levels`;

/** The syntax of so many values, in lines or between commas, needs 1.5 GB of memory, and that of twice as many marks the same. */
const MOST_VALUES = 1_500_000;
const MOST_MARKS = 2 * MOST_VALUES;
export const TOO_MANY_VALUES = `the file has more than ${MOST_VALUES / 1e6} million values and lines, or ${MOST_MARKS / 1e6} million marks of YAML`;

/** Whether a text has more values than memory could hold the syntax of. */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= MOST_VALUES) return false;
  let values = 0;
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (STARTS_VALUE.has(code)) values += 1;
    else if (BEFORE_BLANK.has(code) && isBlank(text.charCodeAt(at + 1))) marks += 1;
    else if (NAMES_VALUE.has(code)) marks += 2;
  }
  return values > MOST_VALUES || marks > MOST_MARKS;
}

/** A line break, a comma, and the brackets that open. */
const STARTS_VALUE = new Set([0x0a, 0x0d, 0x2c, 0x5b, 0x7b]);
/** A dash, a question mark and a colon: a line can have any number of them. */
const BEFORE_BLANK = new Set([0x2d, 0x3f, 0x3a]);
/** The marks of anchors, tags and aliases. */
const NAMES_VALUE = new Set([0x26, 0x21, 0x2a]);

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

type Documents = readonly Document.Parsed[];
let last: { readonly file: SourceFile; readonly documents: Documents } | undefined;

/** The syntax of a file; nothing for one with too many values. Only that of the last file is kept, because it needs 50 times the memory of the text. */
export function syntaxOf(file: SourceFile): Documents {
  if (last?.file === file) return last.documents;
  const documents = readDocuments(file.text);
  last = { file, documents };
  return documents;
}

/** The syntax of a text; nothing for one with too many values. */
export function readDocuments(text: string): Documents {
  if (hasTooManyValues(text)) return [];
  // readMap finds duplicate keys; the check of the package is quadratic.
  const options = { merge: true, prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const;
  const found = parseAllDocuments(text, options);
  return 'empty' in found ? [] : found;
}

/** The target of each alias: the last anchor of its name before it. One walk for all aliases. */
export const targetsOf = memoize((document: Document.Parsed): ReadonlyMap<Node, Node> => {
  const anchored = new Map<string, Node>();
  const found = new Map<Node, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchored.get(node.source);
        if (target !== undefined) found.set(node, target);
      } else if (node.anchor !== undefined) {
        anchored.set(node.anchor, node);
      }
    },
  });
  return found;
});

export function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

/** Words for a file of Helm or the like, which other programs make YAML of. */
export const TEMPLATE: SyntaxWords = {
  message: 'a template is not YAML',
  hint: 'render it first, such as with helm template, and name the result; put quotes around text with braces: "{{…}}"',
};

/** Whether a text begins within the braces of a template: `{{ .Values.name }}`, `{{- if …`. */
export function isTemplate(text: string): boolean {
  return (
    /^\{{0,2}-? *(?:\.[A-Za-z$]|(?:if|range|with|end|include|define|template) ).*\}\}/.test(text) ||
    /^\{{0,2}-? *end *-?\}\}/.test(text)
  );
}

/** A syntax error in our words: nothing in them is from the file, which may hold a secret. */
type SyntaxWords = { readonly message: string; readonly hint: string };

/** `line` is the text from the place of the error to the end of its line. */
export function wordSyntax(
  { code, message }: Pick<YAMLError, 'code' | 'message'>,
  line: string,
): SyntaxWords {
  if (isTemplate(line)) return TEMPLATE;
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && !/:\s/.test(line)) return DEEPER;
  const words = WORDS[code];
  return 'hint' in words ? words : (words.special.find(({ said }) => said.test(message)) ?? words.other);
}

/** Words for some messages of the parser that have one code, and for the others. */
type Several = {
  readonly special: readonly (SyntaxWords & { readonly said: RegExp })[];
  readonly other: SyntaxWords;
};

const INDENT: SyntaxWords = {
  message: 'the indentation does not fit the lines above',
  hint: 'indent the keys of one map, and the items of one list, equally, with spaces',
};
const DEEPER: SyntaxWords = {
  message: 'the next line is indented more than this one',
  hint: 'indent both lines equally, or put quotes around text of several lines',
};
const BRACKETS: SyntaxWords = {
  message: 'a brace or bracket is not closed',
  hint: 'add the missing } or ]',
};
const SPACE: SyntaxWords = {
  message: 'a space is missing',
  hint: 'put a space before #, and after a colon, a comma, an anchor and a tag',
};

const WORDS: Readonly<Record<YAMLError['code'], SyntaxWords | Several>> = {
  ALIAS_PROPS: {
    message: 'an alias has an anchor or a tag',
    hint: 'remove what is between the key and the *',
  },
  BAD_ALIAS: {
    message: 'the name of an anchor or alias is missing, or ends with a colon',
    hint: 'put quotes around text that starts with * or &; put a space between an alias and a colon',
  },
  BAD_COLLECTION_TYPE: { message: 'a tag does not fit its value', hint: 'remove the tag' },
  BAD_DIRECTIVE: {
    message: 'a line that starts with % is not a directive of YAML',
    hint: 'remove the line, or put quotes around the text',
  },
  BAD_DQ_ESCAPE: {
    message: 'a backslash in double quotes starts an escape that YAML does not have',
    hint: 'use single quotes, or write two backslashes',
  },
  BAD_INDENT: {
    special: [
      { said: /end with a/, ...BRACKETS },
      {
        said: /Block scalar/,
        message: 'text after | or > is not indented',
        hint: 'indent all lines of the text by more than their key',
      },
    ],
    other: INDENT,
  },
  BAD_PROP_ORDER: {
    message: 'an anchor or tag is before the - or : that it belongs after',
    hint: 'move it to the start of the value',
  },
  BAD_SCALAR_START: {
    message: 'text starts with a character that YAML reserves, such as @, ` or %',
    hint: 'put quotes around it',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    special: [
      {
        said: /sequence/,
        message: 'a list starts on the line of its key',
        hint: 'put each item on its own line below, or all of them in [ ]',
      },
    ],
    other: {
      message: 'text has a colon and a space in it, or a map starts on the line of its key',
      hint: 'put quotes around the text, or put the map on the next line, indented',
    },
  },
  BLOCK_IN_FLOW: {
    message: 'a comma is missing in braces or brackets, or they are not closed',
    hint: 'put a comma between the entries, or add the missing } or ]',
  },
  DUPLICATE_KEY: { message: 'a key is in the map twice', hint: 'keep one of the two' },
  IMPOSSIBLE: { message: 'the text is not YAML', hint: 'correct this line' },
  KEY_OVER_1024_CHARS: {
    message: 'a key has more than 1,024 characters',
    hint: 'end the key with a colon on its line',
  },
  MISSING_CHAR: {
    special: [
      { said: /closing/, message: 'a quote is not closed', hint: 'add the quote that is missing' },
      { said: /end with a|Expected .* to end/, ...BRACKETS },
      {
        said: /Missing ,/,
        message: 'something is missing between two entries in braces or brackets',
        hint: 'put a comma between the entries, a colon after the key, or quotes around the text',
      },
      {
        said: /map values/,
        message: 'a line has no colon after its key',
        hint: 'write key: value, or put quotes around text of several lines',
      },
      {
        said: /without - indicator/,
        message: 'a line between the items of a list does not start with a dash',
        hint: 'start it with - , or indent it as part of the item above',
      },
      { said: /indicator line/, message: 'a directive is not followed by ---', hint: 'add a line with ---' },
      {
        said: /directives-end/,
        message: 'a map or list starts on the line of ---',
        hint: 'put it on the next line',
      },
      {
        said: /explicit indentation/,
        message: 'the first line of a text after | or > is indented too much',
        hint: 'indent its lines equally',
      },
      {
        said: /newline/,
        message: 'a list starts on the line of its anchor or tag',
        hint: 'put it on the next line',
      },
    ],
    other: SPACE,
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a line has no colon after its key, so it continues on the next line',
    hint: 'write key: value, with a space after the colon; indent the lines of a text; write --- between resources',
  },
  MULTIPLE_ANCHORS: { message: 'a value has two anchors', hint: 'keep one of the two' },
  MULTIPLE_DOCS: { message: 'the file has several documents', hint: 'keep one of them' },
  MULTIPLE_TAGS: { message: 'a value has two tags', hint: 'keep one of the two' },
  NON_STRING_KEY: { message: 'a key is not text', hint: 'put quotes around it' },
  RESOURCE_EXHAUSTION: { message: TOO_DEEP, hint: 'reduce the nesting' },
  TAB_AS_INDENT: { message: 'a line is indented with a tab', hint: 'use spaces' },
  TAG_RESOLVE_FAILED: { message: 'a tag that YAML does not have', hint: 'remove the tag' },
  UNEXPECTED_TOKEN: {
    special: [
      {
        said: /block-seq-ind/,
        message: 'a list starts on the line of its key',
        hint: 'put each item on its own line below, or all of them in [ ]',
      },
      {
        said: /Unexpected (?:,|empty item)/,
        message: 'a comma has no entry before it',
        hint: 'remove the comma',
      },
      {
        said: /flow|[[\]{}]/,
        message: 'a brace or bracket is not expected here',
        hint: 'remove it, open or close its pair, or put quotes around the text',
      },
      {
        said: /header|Not a YAML token/,
        message: 'text follows | or > on its line',
        hint: 'put the text on the next line, indented',
      },
      {
        said: /node end/,
        message: 'text follows a value that is complete',
        hint: 'put quotes around all of the text, with two quotes for one inside; or put it on its own line',
      },
    ],
    other: {
      message: 'the text is not expected here',
      hint: 'correct this line, or put quotes around the text',
    },
  },
};
