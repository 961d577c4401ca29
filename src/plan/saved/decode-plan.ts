import { excess } from '../../model/json/extent.ts';
import { isObject, valueOf } from '../../model/json/json.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { isMac } from './digest.ts';
import { PLAN_FORMAT, sealOf, type SavedPlan } from './saved-plan.ts';

const MAKE_ONE = 'make one with gwconf plan --out FILE; files of resources are named with -f';

/** The text of a saved plan in pieces. */
export function encodePlan(plan: SavedPlan): Iterable<string> {
  return jsonPieces(plan);
}

/**
 * Reads a saved plan; a newer format, another sort of file, or one that was altered is a problem. With a key it must be
 * signed with that key; without one, that a signature was not checked is a warning.
 */
export function decodePlan(text: string, name: string, key?: string): Checked<SavedPlan | undefined> {
  const refuse = (message: string, hint: string): Checked<undefined> => ({
    value: undefined,
    problems: [{ code: 'invalid-plan', severity: 'error', message: `${name} ${message}`, hint }],
  });
  const much = excess(text);
  if (much !== undefined) return refuse(much, MAKE_ONE);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('is not a saved plan: it is not JSON', MAKE_ONE);
  }
  const format = isObject(value) ? valueOf(value, 'format') : undefined;
  if (format !== PLAN_FORMAT) {
    return typeof format === 'string' && format.startsWith('gwconf/plan@')
      ? refuse(
          `has the format ${format}; expected ${PLAN_FORMAT}`,
          'use the version of gwconf that made it, or plan again',
        )
      : refuse('is not a saved plan', MAKE_ONE);
  }
  const saved = value as SavedPlan; // the digest below holds it to what sealPlan made
  const { digest: written, mac: signature, ...open } = saved;
  const made = sealOf(open, key);
  if (written !== made.digest) return refuse('was altered after it was made', 'plan again');
  if (made.mac === undefined)
    return { value: saved, problems: signature === undefined ? [] : [unchecked(name)] };
  if (signature === undefined) {
    return refuse('is not signed, and a key for signatures is set', 'plan again with GWCONF_PLAN_KEY set');
  }
  if (!isMac(signature, made.mac)) {
    return refuse(
      'was altered, or signed with another key',
      'plan again with the GWCONF_PLAN_KEY of this place',
    );
  }
  return { value: saved, problems: [] };
}

function unchecked(name: string): Problem {
  return {
    code: 'unchecked-signature',
    severity: 'warning',
    message: `${name} is signed, and there is no key to check the signature`,
    hint: 'set GWCONF_PLAN_KEY to the key that it was signed with',
  };
}
