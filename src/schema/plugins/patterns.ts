import type { Json, Pointer } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { checkRegex } from '../../model/regex/java-regex.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';

/** Checks a regular expression that the gateway compiles. */
export function checkPattern(value: Json, path: Pointer): readonly FieldProblem[] {
  if (typeof value !== 'string' || hasPlaceholder(value)) return [];
  const judged = checkRegex(value);
  if ('broken' in judged) {
    const glob = /^[*?+]/.test(value.slice(judged.at));
    return [
      {
        code: 'invalid-pattern',
        severity: 'error',
        path,
        message: `invalid regular expression: ${judged.broken} at character ${judged.at + 1}`,
        hint: glob ? 'write .* for any text' : 'correct it, or escape special characters with \\',
      },
    ];
  }
  if (!judged.javaOnly) return [];
  return [
    {
      code: 'unjudged-pattern',
      severity: 'info',
      path,
      message: 'the regular expression has Java syntax that gwconf cannot check',
      hint: 'test it on a gateway, or avoid this syntax',
    },
  ];
}
