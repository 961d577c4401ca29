/**
 * What can be said of a regular expression without the Java that the gateway compiles it with: what no reading takes,
 * and where; else which of its parts only Java can judge.
 */
export type Judgement =
  { readonly broken: string; readonly at: number } | { readonly javaOnly: readonly string[] };

/** One step over the text: where it ends, and what was met. */
type Step = {
  readonly to: number;
  /** What was passed may be repeated. */
  readonly repeatable?: boolean;
  /** A group was opened. */
  readonly opens?: boolean;
  readonly javaOnly?: readonly string[];
  readonly broken?: string;
};

/** Goes over it as java.util.regex does, whose answers of Java 17 it was held against. */
export function judgeRegex(text: string): Judgement {
  const javaOnly = new Set<string>();
  const groups: { readonly at: number; readonly looksBehind: boolean }[] = [];
  const names = new Set<string>();
  let repeatable = false;
  for (let at = 0; at < text.length;) {
    const step = stepOver(text, at, { repeatable, depth: groups.length, names });
    if (step.broken !== undefined) return { broken: step.broken, at };
    for (const part of step.javaOnly ?? []) javaOnly.add(part);
    if (javaOnly.has(COMMENTS)) return { javaOnly: [...javaOnly] }; // what follows may be a comment
    const behind = groups.at(-1)?.looksBehind === true;
    if (behind && isEndless(text.slice(at, step.to))) javaOnly.add('a lookbehind without an end');
    if (step.opens === true) {
      groups.push({ at, looksBehind: behind || /^\(\?<[=!]$/.test(text.slice(at, step.to)) });
    }
    if (text.charAt(at) === ')') groups.pop();
    repeatable = step.repeatable ?? false;
    at = step.to;
  }
  const open = groups.at(-1);
  return open === undefined
    ? { javaOnly: [...javaOnly] }
    : { broken: 'a ( that is never closed', at: open.at };
}

const COMMENTS = 'the inline flag x';

function isEndless(met: string): boolean {
  return /^(?:[*+]|\{\d+,\}|\\[1-9k])/.test(met);
}

type Before = { readonly repeatable: boolean; readonly depth: number; readonly names: Set<string> };

function stepOver(text: string, at: number, before: Before): Step {
  const char = text.charAt(at);
  switch (char) {
    case '\\':
      return overEscape(text, at, before.names);
    case '[':
      return overClass(text, at, before.names);
    case '(':
      return overOpening(text, at, before.names);
    case ')':
      if (before.depth === 0) return { to: at, broken: 'a ) without its (' };
      return { to: at + 1, repeatable: true };
    case '|':
      return { to: at + 1 };
    case '*':
    case '+':
    case '?':
    case '{':
      return overQuantifier(text, at, before);
    default:
      return { to: at + 1, repeatable: true };
  }
}

function overQuantifier(text: string, at: number, { repeatable }: Before): Step {
  const [met, least, most] = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})/.exec(text.slice(at)) ?? [];
  if (met === undefined) return { to: at, broken: 'a { that begins no repetition' };
  if (!repeatable && least === undefined)
    return { to: at, broken: `a ${met} with nothing before it to repeat` };
  if (most !== undefined && most !== '' && Number(most) < Number(least)) {
    return { to: at, broken: 'a repetition whose smallest number is above its largest' };
  }
  const suffix = /[+?]?/.exec(text.charAt(at + met.length))?.[0] ?? '';
  return {
    to: at + met.length + suffix.length,
    javaOnly: [
      ...(repeatable ? [] : ['a repetition of nothing']),
      ...(suffix === '+' ? ['a possessive quantifier'] : []),
    ],
  };
}

function overOpening(text: string, at: number, names: Set<string>): Step {
  const rest = text.slice(at);
  if (!rest.startsWith('(?')) return { to: at + 1, opens: true };
  const [plain] = /^\(\?(?:[:=!]|<[=!])/.exec(rest) ?? [];
  if (plain !== undefined) return { to: at + plain.length, opens: true };
  if (rest.startsWith('(?>')) return { to: at + 3, opens: true, javaOnly: ['an atomic group'] };
  const [flags, on = '', end] = /^\(\?([idmsuxU]*)(?:-[idmsuxU]*)?([:)])/.exec(rest) ?? [];
  if (flags !== undefined) {
    const javaOnly = on.includes('x') ? COMMENTS : 'inline flags';
    return { to: at + flags.length, opens: end === ':', javaOnly: [javaOnly] };
  }
  const [named, name = ''] = /^\(\?<([^>]{0,1000})>/.exec(rest) ?? [];
  if (named === undefined || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) {
    return { to: at, broken: 'a (? that begins no group' };
  }
  if (names.has(name)) return { to: at, broken: 'a second group of the same name' };
  names.add(name);
  const javaOnly = /^[A-Za-z][A-Za-z0-9]*$/.test(name)
    ? []
    : ['a group name of more than letters and digits'];
  return { to: at + named.length, opens: true, javaOnly };
}

// The first that fits. Where no words stand beside it, JavaScript reads it as Java does.
const ESCAPES: readonly (readonly [RegExp, string?])[] = [
  [/^\\Q.*?(?:\\E|$)/s, String.raw`quoted text in \Q…\E`],
  [/^\\[pP](?:\{[^}]{1,1000}\}|[A-Za-z])/, String.raw`a class such as \p{Alpha}`],
  [/^\\[AZzGRXhHVea]/, String.raw`an escape such as \A, \Z or \h`],
  [
    /^\\(?:N\{[^}]{1,1000}\}|[xu]\{[0-9a-fA-F]+\}|b\{g\}|0[0-7]{0,3})/,
    String.raw`an escape such as \x{…} or \0…`,
  ],
  [/^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c.)/s],
  [/^\\[bBdDsSwWnrtfv]/],
  [/^\\[^A-Za-z]/s],
];

function overEscape(text: string, at: number, names: ReadonlySet<string>): Step {
  const rest = text.slice(at);
  const [reference, name = ''] = /^\\k<([A-Za-z0-9]{1,1000})>/.exec(rest) ?? [];
  if (reference !== undefined) {
    const javaOnly = names.has(name) ? [] : ['a reference to a group that is not named before it'];
    return { to: at + reference.length, repeatable: true, javaOnly };
  }
  for (const [shape, javaOnly] of ESCAPES) {
    const [met] = shape.exec(rest) ?? [];
    if (met === undefined) continue;
    return { to: at + met.length, repeatable: true, javaOnly: javaOnly === undefined ? [] : [javaOnly] };
  }
  return {
    to: at,
    broken: rest === '\\' ? 'a \\ at its end' : 'a \\ before a letter that it gives no meaning',
  };
}

function overClass(text: string, from: number, names: ReadonlySet<string>): Step {
  const javaOnly = new Set<string>();
  let depth = 0;
  let empty = true; // the first ] of a class means itself
  for (let at = from; at < text.length;) {
    const char = text.charAt(at);
    if (char === '[') {
      depth += 1;
      if (depth > 1) javaOnly.add('a character class inside another');
      empty = true;
      at += text.charAt(at + 1) === '^' ? 2 : 1;
      continue;
    }
    const wasEmpty = empty;
    empty = false;
    if (char === ']' && !wasEmpty) {
      depth -= 1;
      at += 1;
      if (depth === 0) return { to: at, repeatable: true, javaOnly: [...javaOnly] };
    } else if (char === '\\') {
      const step = overEscape(text, at, names);
      if (step.broken !== undefined) return step;
      for (const part of step.javaOnly ?? []) javaOnly.add(part);
      if (/[bBk1-9]/.test(text.charAt(at + 1)))
        javaOnly.add(String.raw`an escape such as \b in a character class`);
      at = step.to;
    } else if (text.startsWith('&&', at)) {
      javaOnly.add('an intersection of character classes');
      at += 2;
    } else {
      const range = /^(.)-([^\\[\]&])/su.exec(text.slice(at, at + 5));
      if (range !== null && (range[1] ?? '') > (range[2] ?? '')) {
        return { to: from, broken: 'a range of characters whose end comes before its beginning' };
      }
      at += range?.[0].length ?? 1;
    }
  }
  return { to: from, broken: 'a [ that is never closed' };
}
