/**
 * The result for a regular expression, which the gateway compiles with Java: a certain error and its offset, or whether it has
 * syntax that only Java supports.
 */
export type CheckedRegex =
  | { readonly broken: string; readonly at: number }
  | {
      readonly javaOnly: boolean;
      /** All of it, or up to a flag that allows comments. */
      readonly tokens: readonly Token[];
    };

/** Reads it as java.util.regex does; compared with the results of Java 17. */
export function checkRegex(text: string): CheckedRegex {
  const open: number[] = [];
  const names = new Set<string | undefined>();
  const tokens: Token[] = [];
  let javaOnly = false;
  let repeatable = false;
  for (let at = 0; at < text.length;) {
    const token = text.charAt(at) === '[' ? readClass(text, at) : readToken(text, at);
    if ('broken' in token) return { broken: token.broken, at: token.at ?? at };
    const { met, type, name } = token;
    tokens.push(token);
    if (type === 'quantifier' && !repeatable && !met.startsWith('{'))
      return { broken: `a ${met} with nothing to repeat`, at };
    if (type === 'open' && name !== undefined && names.has(name))
      return { broken: 'a duplicate group name', at };
    if (type === 'close' && open.pop() === undefined) return { broken: 'an unmatched )', at };
    if (type === 'comments') return { javaOnly: true, tokens }; // what follows may be a comment
    if (type === 'open') open.push(at);
    names.add(name);
    javaOnly ||= token.javaOnly === true || (type === 'quantifier' && !repeatable);
    repeatable = type === 'atom' || type === 'close';
    at += met.length;
  }
  const unclosed = open.at(-1);
  return unclosed === undefined ? { javaOnly, tokens } : { broken: 'an unclosed (', at: unclosed };
}

export type Token = {
  readonly type: 'atom' | 'quantifier' | 'open' | 'close' | 'other' | 'comments';
  readonly met: string;
  /** Of a group. */
  readonly name?: string | undefined;
  readonly javaOnly?: boolean;
};
type Broken = { readonly broken: string; readonly at?: number };

// The first match counts. JavaScript reads java-only tokens differently or rejects them.
const TOKENS: readonly (readonly [RegExp, Token['type'], ('java-only' | Broken)?])[] = [
  [/\\Q[^]*?(?:\\E|$)/y, 'atom', 'java-only'],
  [/\\(?:[pP](?:\{[^}]{1,1000}\}|[A-Za-z])|[AZzGRXhHVea]|N\{[^}]{1,1000}\}|b\{g\})/y, 'atom', 'java-only'],
  [/\\(?:[xu]\{[\da-fA-F]+\}|0[0-7]{0,3})/y, 'atom', 'java-only'],
  [/\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[^]|k<[A-Za-z\d]{1,1000}>|[bBdDsSwWnrtfv]|[^A-Za-z])/y, 'atom'],
  [/\\$/y, 'other', { broken: 'a \\ at the end' }],
  [/\\/y, 'other', { broken: 'an unknown escape' }],
  [/(?:[*+?]|\{\d+(?:,\d*)?\})\+/y, 'quantifier', 'java-only'],
  [/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y, 'quantifier'],
  [/\{/y, 'other', { broken: 'a { without a count' }],
  [/\((?!\?)|\(\?(?:[:=!]|<[=!])/y, 'open'],
  [/\(\?>|\(\?[idmsuU]*(?:-[idmsuxU]*)?:/y, 'open', 'java-only'],
  [/\(\?[idmsuU]*(?:-[idmsuxU]*)?\)/y, 'other', 'java-only'],
  [/\(\?[idmsuxU]*(?:-[idmsuxU]*)?[:)]/y, 'comments'],
  [/\(\?<(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)>/uy, 'open'],
  [/\(/y, 'other', { broken: 'an invalid (?' }],
  [/\)/y, 'close'],
  [/\|/y, 'other'],
  [/[^]/y, 'atom'],
];

function readToken(text: string, at: number): Token | Broken {
  for (const [shape, type, note] of TOKENS) {
    shape.lastIndex = at;
    const found = shape.exec(text);
    if (found === null) continue;
    const [met] = found;
    if (typeof note === 'object') return note;
    const [, least, most] = /^\{(\d+),(\d+)\}/.exec(met) ?? [];
    if (Number(most) < Number(least)) return { broken: 'a repetition with its minimum above its maximum' };
    return { type, met, name: found.groups?.['name'], javaOnly: note === 'java-only' };
  }
  return { type: 'other', met: text.slice(at) };
}

/** Reads a character class, with nested ones. */
function readClass(text: string, from: number): Token | Broken {
  let javaOnly = false;
  let depth = 0;
  for (let at = from; at < text.length;) {
    const [met = '', opens, closes, escape, range = '', last = ''] =
      /^(?:(\[\^?\]?)|(\])|(\\)|(.)-([^\\[\]&])|&&|.)/su.exec(text.slice(at, at + 5)) ?? [];
    const token = escape === undefined ? undefined : readToken(text, at);
    if (token !== undefined && 'broken' in token) return { ...token, at };
    if (range > last) return { broken: 'a character range with its end before its start' };
    if (opens !== undefined) depth += 1;
    if (closes !== undefined) depth -= 1;
    javaOnly ||=
      depth > 1 || met === '&&' || token?.javaOnly === true || /^\\[bBk1-9]/.test(token?.met ?? '');
    at += (token?.met ?? met).length;
    if (depth === 0) return { type: 'atom', met: text.slice(from, at), javaOnly };
  }
  return { broken: 'an unclosed [' };
}
