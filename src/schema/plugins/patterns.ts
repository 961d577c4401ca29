import type { Json, Pointer } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { judgeRegex } from './java-regex.ts';

/** What is wrong with a regular expression of the gateway's, or cannot be told without its Java. */
export function patternFaults(value: Json, path: Pointer): readonly FieldProblem[] {
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
  if (judged.javaOnly.length === 0) return [];
  return [
    {
      code: 'unjudged-pattern',
      severity: 'info',
      path,
      message: `the regular expression has Java syntax that gwconf cannot judge: ${judged.javaOnly.join(', ')}`,
      hint: 'try it on a gateway, or write it without',
    },
  ];
}

/** Whether the gateway fills in a part of the text by itself. */
export function hasPlaceholder(text: string): boolean {
  return /\$\{[^}]*\}|\{\{/.test(text);
}
