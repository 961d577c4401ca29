import type { Json, Pointer } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { checkRegex, type Token } from '../../model/regex/java-regex.ts';
import { isSecretText } from '../../model/secrets/secret-texts.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';

/** Checks a regular expression that the gateway compiles; what is wrong would quote it, so not one with a secret in it. */
export function checkPattern(value: Json, path: Pointer): readonly FieldProblem[] {
  if (typeof value !== 'string' || hasPlaceholder(value) || isSecretText(value)) return [];
  const judged = checkRegex(value);
  if ('broken' in judged) {
    const meant = regexOf(value);
    const cure =
      meant === undefined
        ? { hint: 'correct it, or escape special characters with \\' }
        : { hint: `write ${meant}`, instead: meant };
    const message = `invalid regular expression: ${judged.broken} at character ${judged.at + 1}`;
    return [{ code: 'invalid-pattern', path, message, ...cure }];
  }
  const glob = readAsGlob(judged.tokens);
  if (glob !== undefined) {
    const message = `${value} looks like a glob, but is a regular expression: ${glob.means}`;
    const hint = `write ${glob.meant}; in a regular expression .* is any text`;
    return [{ code: 'unlikely-pattern', path, message, hint, instead: glob.meant }];
  }
  if (!judged.javaOnly) return [];
  return [
    {
      code: 'unjudged-pattern',
      path,
      message: 'the regular expression has Java syntax that gwconf cannot check',
      hint: 'test it on a gateway, or avoid this syntax',
    },
  ];
}

/** The regular expression that a glob stands for; undefined for what is no glob. */
function regexOf(glob: string): string | undefined {
  const meant = glob
    .replaceAll(/\{([^{},]{1,100}(?:,[^{},]{1,100})+)\}/g, (_, of: string) => `(${of.replaceAll(',', '|')})`)
    .replaceAll(/(?<![.)\]\\])\*+/g, '.*')
    .replaceAll(/^\?+/g, (any) => '.'.repeat(any.length));
  return meant === glob || 'broken' in checkRegex(meant) ? undefined : meant;
}

const MEANS: Readonly<Record<string, string>> = {
  '*': 'any number of',
  '+': 'one or more',
  '?': 'an optional',
};
const PLAIN = /^(?:\w|-|\\[.-])$/;

/**
 * What was meant where a * repeats one letter, digit or separator, as in customers-*, or a ? or + the separator at the end. Names
 * have no such repetitions.
 */
function readAsGlob(
  tokens: readonly Token[],
): { readonly means: string; readonly meant: string } | undefined {
  let means: string | undefined;
  const meant = tokens.map(({ type, met }, at) => {
    const [before, after, then] = [tokens[at - 1]?.met ?? '', tokens[at + 1], tokens[at + 2]];
    const isGlob =
      type === 'quantifier' &&
      PLAIN.test(before) &&
      (met === '*'
        ? !(after?.met === '.' && then?.type === 'quantifier')
        : /[._-]$/.test(before) && /^(?:\?+|\+)$/.test(met) && (after === undefined || after.met === '$'));
    if (!isGlob) return met;
    means ??= `${before}${met} is ${MEANS[met.charAt(0)] ?? ''} ${before}`;
    return met.startsWith('?') ? '.'.repeat(met.length) : `.${met}`;
  });
  const isNoGlob = tokens.some(({ met }) => met.startsWith('(?'));
  return means === undefined || isNoGlob ? undefined : { means, meant: meant.join('') };
}
