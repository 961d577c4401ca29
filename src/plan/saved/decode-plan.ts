import { excess } from '../../model/json/extent.ts';
import { isObject, valueOf } from '../../model/json/json.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { isMac } from './digest.ts';
import { PLAN_FORMAT, sealOf, type SavedPlan } from './saved-plan.ts';

const MAKE_ONE = 'create one with gwconf plan --out FILE; use -f for files with resources';

/** The text of a saved plan in pieces. */
export function encodePlan(plan: SavedPlan): Iterable<string> {
  return jsonPieces(plan);
}

/**
 * Reads a saved plan. A newer format, another file type or an altered plan is a problem. With a key the plan must be signed with
 * it; without one, an unchecked signature is a warning.
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
  const saved = value as SavedPlan; // the digest below proves that sealPlan made it
  const { digest: written, mac: signature, ...open } = saved;
  const made = sealOf(open, key);
  if (written !== made.digest) return refuse('was altered after it was made', 'plan again');
  if (made.mac === undefined)
    return { value: saved, problems: signature === undefined ? [] : [unchecked(name)] };
  if (signature === undefined) {
    return refuse('is not signed, but GWCONF_PLAN_KEY is set', 'plan again with GWCONF_PLAN_KEY set');
  }
  if (!isMac(signature, made.mac)) {
    return refuse('was altered, or signed with another key', 'plan again with the same GWCONF_PLAN_KEY');
  }
  return { value: saved, problems: [] };
}

function unchecked(name: string): Problem {
  return {
    code: 'unchecked-signature',
    severity: 'warning',
    message: `${name} is signed, but there is no key to check the signature`,
    hint: 'set GWCONF_PLAN_KEY to the key of the signature',
  };
}
