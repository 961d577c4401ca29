import type { Json, Pointer } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { judgeRegex } from './java-regex.ts';

/** A regular expression that the gateway compiles. */
export function checkPattern(value: Json, path: Pointer): readonly FieldProblem[] {
  if (typeof value !== 'string' || hasPlaceholder(value)) return [];
  const judged = judgeRegex(value);
  if ('broken' in judged) {
    const glob = /^[*?+]/.test(value.slice(judged.at));
    return [
      {
        code: 'invalid-pattern',
        severity: 'error',
        path,
        message: `expected a regular expression that compiles; it has ${judged.broken}, at character ${judged.at + 1}`,
        hint: glob ? 'write .* for any text' : 'correct it, or put \\ before a character that means itself',
      },
    ];
  }
  if (!judged.javaOnly) return [];
  return [
    {
      code: 'unjudged-pattern',
      severity: 'info',
      path,
      message: 'the regular expression has syntax that only Java knows, which gwconf does not check',
      hint: 'try it on a gateway, or write it without that syntax',
    },
  ];
}

/** Whether the gateway fills in a part of the text by itself. */
export function hasPlaceholder(text: string): boolean {
  return /\$\{[^}]*\}|\{\{/.test(text);
}
