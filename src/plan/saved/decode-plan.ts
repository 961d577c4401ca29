import { excess, hasDuplicateKeys } from '../../model/json/extent.ts';
import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { isMac } from './digest.ts';
import { findPlanFault } from './find-plan-fault.ts';
import { canVerify, isSigned, type PlanKeys } from './signature.ts';
import { PLAN_FORMAT, sealOf, type SavedPlan } from './saved-plan.ts';

const MAKE_ONE = 'create one with gwconf plan --out FILE; use -f for files with resources';

/** The text of a saved plan in pieces. */
export function encodePlan(plan: SavedPlan): Iterable<string> {
  return jsonPieces(plan);
}

/**
 * Reads a saved plan. A newer format, another file type or an altered plan is a problem. With keys the plan must be signed with
 * the shared one and with one of the others; without any, an unchecked signature is a warning.
 */
export function decodePlan(
  text: string,
  name: string,
  kinds: KindSet,
  keys: PlanKeys = {},
): Checked<SavedPlan | undefined> {
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
  const { again, signAgain } = curesOf(value as Json); // JSON.parse makes JSON
  const format = isObject(value) ? valueOf(value, 'format') : undefined;
  if (format !== PLAN_FORMAT) {
    return typeof format === 'string' && format.startsWith('gwconf/plan@')
      ? refuse(
          `has the format ${format}; expected ${PLAN_FORMAT}`,
          `use the version of gwconf that made it, or ${again}`,
        )
      : refuse('is not a saved plan', MAKE_ONE);
  }
  if (hasDuplicateKeys(text, value)) return refuse('has a map with two equal keys', again);
  const saved = value as SavedPlan; // its shape is checked below, after what is likelier
  const { digest: written, mac, signature, ...open } = saved;
  const made = sealOf(open, keys.shared);
  if (written !== made.digest) return refuse('was altered after it was made', again);
  if (made.mac !== undefined && mac === undefined)
    return refuse(
      'is not signed, but GWCONF_PLAN_KEY is set',
      signAgain('with GWCONF_PLAN_KEY set', 'GWCONF_PLAN_KEY'),
    );
  if (made.mac !== undefined && !isMac(mac, made.mac))
    return refuse(
      'was altered, or signed with another key',
      signAgain('with the same GWCONF_PLAN_KEY', 'GWCONF_PLAN_KEY'),
    );
  const isChecked = canVerify(keys);
  if (isChecked && signature === undefined) {
    const variable = `GWCONF_PLAN_${keys.public === undefined ? 'PRIVATE' : 'PUBLIC'}_KEY`;
    return refuse(`is not signed, but ${variable} is set`, signAgain(`with ${PRIVATE_KEY} set`, PRIVATE_KEY));
  }
  if (isChecked && !isSigned(made.digest, signature, keys)) {
    const hint = signAgain('with the private key that belongs to the public one', PRIVATE_KEY);
    return refuse('was altered, or signed with another private key', hint);
  }
  const fault = findPlanFault(value as Json, kinds);
  if (fault !== undefined) return refuse(fault, `use the version of gwconf that made it, or ${again}`);
  const isUnchecked = made.mac === undefined && !isChecked && (mac ?? signature) !== undefined;
  return {
    value: saved,
    problems: [...(isUnchecked ? [unchecked(name, mac)] : []), ...(saved.warnings ?? [])],
  };
}

/** A plan can be made again, but not the undo of a run. */
function curesOf(value: Json): {
  readonly again: string;
  readonly signAgain: (how: string, variable: string) => string;
} {
  if (valueOf(value, 'undoes') === undefined)
    return { again: 'plan again', signAgain: (how) => `plan again ${how}` };
  const again = 'make a plan from files with the state that you want';
  const signed = (variable: string): string =>
    `an undo plan is signed if ${variable} is set where apply runs`;
  return { again, signAgain: (_, variable) => `${again}; ${signed(variable)}` };
}

const PRIVATE_KEY = 'GWCONF_PLAN_PRIVATE_KEY';

function unchecked(name: string, mac: string | undefined): Problem {
  return {
    code: 'unchecked-signature',
    severity: 'warning',
    message: `${name} is signed, but there is no key to check the signature`,
    hint: `set ${mac === undefined ? 'GWCONF_PLAN_PUBLIC_KEY' : 'GWCONF_PLAN_KEY'} to the key of the signature`,
  };
}
