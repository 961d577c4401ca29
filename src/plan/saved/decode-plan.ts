import { identify } from '../../model/identity.ts';
import { excess, hasDuplicateKeys } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import {
  isObject,
  valueOf,
  type Json,
  childOf,
  isList,
  keysOf,
  parsePointer,
  printPointer,
  type Pointer,
} from '../../model/json/json.ts';
import { linePieces } from '../../model/json/pieces.ts';
import type { KindSet, Kind } from '../../model/kind.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import { kindOf, type Resource } from '../../model/resource.ts';
import { idOf, isStep } from '../change/change.ts';
import { countActions } from '../change/plan.ts';
import { secretsOf } from '../secrets/redact.ts';
import { isMac } from './digest.ts';
import { findFault } from '../../model/check.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { checks } from './saved-checks.ts';
import { PLAN_FORMAT, type SavedPlan, type SavedChange } from './saved-plan.ts';
import { sealOf } from './seal-plan.ts';
import { canVerify, isSigned, type PlanKeys } from './signature.ts';

const MAKE_ONE = 'create one with gwconf plan --out FILE; use -f for files with resources';

/** The text of a saved plan in pieces. */
export function encodePlan(plan: SavedPlan): Iterable<string> {
  return linePieces(plan);
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
    problems: [makeProblem({ code: 'invalid-plan', message: `${name} ${message}`, hint })],
  });
  const much = excess(text);
  if (much !== undefined) return refuse(much, MAKE_ONE);
  const value = readJson(text);
  if (value === undefined) return refuse('is not a saved plan: it is not JSON', MAKE_ONE);
  const { again, signAgain } = curesOf(value);
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
  const saved = value as unknown as SavedPlan; // its shape is checked below, after what is likelier
  const { digest: written, mac, signature, ...open } = saved;
  const made = sealOf(open, keys.shared);
  if (written !== made.digest) return refuse('was altered after it was made', again);
  const isChecked = canVerify(keys);
  if (made.mac !== undefined && mac === undefined) {
    const cure = signAgain('with GWCONF_PLAN_KEY set', 'GWCONF_PLAN_KEY');
    if (signature === undefined) return refuse('is not signed, but GWCONF_PLAN_KEY is set', cure);
    const other = isChecked ? '' : ', or set GWCONF_PLAN_PUBLIC_KEY in place of GWCONF_PLAN_KEY';
    return refuse('is signed by a key pair, not with GWCONF_PLAN_KEY, which is set', `${cure}${other}`);
  }
  if (made.mac !== undefined && !isMac(mac, made.mac))
    return refuse(
      'was altered, or signed with another key',
      signAgain('with the same GWCONF_PLAN_KEY', 'GWCONF_PLAN_KEY'),
    );
  if (isChecked && signature === undefined) {
    const variable = `GWCONF_PLAN_${keys.public === undefined ? 'PRIVATE' : 'PUBLIC'}_KEY`;
    const cure = signAgain(`with ${PRIVATE_KEY} set`, PRIVATE_KEY);
    if (mac === undefined) return refuse(`is not signed, but ${variable} is set`, cure);
    const other = made.mac === undefined ? `, or set GWCONF_PLAN_KEY in place of ${variable}` : '';
    return refuse(
      `is signed with GWCONF_PLAN_KEY, not by a key pair, but ${variable} is set`,
      `${cure}${other}`,
    );
  }
  if (isChecked && !isSigned(made.digest, signature, keys)) {
    const hint = signAgain('with the private key that belongs to the public one', PRIVATE_KEY);
    return refuse('was altered, or signed with another private key', hint);
  }
  const fault = findPlanFault(value, kinds);
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
  return makeProblem({
    code: 'unchecked-signature',
    message: `${name} is signed, but there is no key to check the signature`,
    hint: `set ${mac === undefined ? 'GWCONF_PLAN_PUBLIC_KEY' : 'GWCONF_PLAN_KEY'} to the key of the signature`,
  });
}

/**
 * What is wrong with a saved plan that anyone may have written, as a predicate; undefined if it is one that this version could
 * have made. Apply compares it with the gateway as well.
 */
function findPlanFault(value: Json, kinds: KindSet): string | undefined {
  const place = findFault(checks['gwconf/plan@1'](), value);
  if (place !== undefined) return `is not a saved plan of this version: ${place}`;
  const saved = value as unknown as SavedPlan; // has its shape
  for (const [at, change] of saved.changes.entries()) {
    const fault = findChangeFault(change, kinds);
    if (fault !== undefined) return `is not valid at /changes/${at}: ${fault}`;
  }
  const order = findOrderFault(saved.changes);
  if (order !== undefined) return `has changes in a wrong order: ${order}`;
  const unknown = saved.relies.find(({ address, kind }) => kind !== kindOf(address) || !kinds.has(kind));
  if (unknown !== undefined) return `relies on ${unknown.address}, of a kind that this version does not know`;
  return findCountFault(saved);
}

function findChangeFault(change: SavedChange, kinds: KindSet): string | undefined {
  const { address } = change;
  const name = kindOf(address);
  const kind = kinds.get(name);
  if (kind?.removal === undefined) return `${name} is not a kind that this version can change`;
  if (change.kind !== name) return `${address} is not of the kind ${change.kind}`;
  const bodies = [
    ...('before' in change ? [change.before] : []),
    ...('after' in change ? [change.after] : []),
  ];
  for (const body of bodies) {
    const fault = findBodyFault(body, kind);
    if (fault !== undefined) return `${address} has an invalid body: ${fault}`;
    if (identify(kind, body) !== address) return `the body of ${address} is that of ${identify(kind, body)}`;
  }
  const isTemporary = change.action !== 'update' && isStep(change);
  if (isTemporary && !bodies.every((body) => kind.isBridge?.(body)))
    return `${address} is no temporary object`;
  if (change.action === 'delete') return undefined;
  if (change.after.apiVersion !== kind.apiVersion || change.after.kind !== name)
    return `${address} is not written as ${kind.apiVersion} ${name}`;
  return findSecretFault(change, kind);
}

/** Why the body is not a resource of its kind. A hidden value may stand for one of another type. */
function findBodyFault(body: Resource, kind: Kind): string | undefined {
  try {
    kind.read(isOpen(body) ? body : withoutHidden(body, { properties: kind.schema }));
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

/** Every hidden value must have a source, and every secret must be hidden. */
function findSecretFault(change: Exclude<SavedChange, { action: 'delete' }>, kind: Kind): string | undefined {
  const sources = new Set(Object.keys(change.secrets ?? {}));
  const hidden = new Set<string>(isOpen(change.after) ? [] : hiddenIn(change.after));
  const lost = [...hidden].find((place) => !sources.has(place));
  if (lost !== undefined) return `nothing gives the hidden value at ${lost} of ${change.address}`;
  const ambiguous = [...hidden].find((place) =>
    parsePointer(place as Pointer).some((token) => /^\*+$/.test(token)),
  );
  if (ambiguous !== undefined)
    return `${change.address} has a hidden value under a key that is a wildcard: ${ambiguous}`;
  const misplaced = [...sources].find((place) => !hidden.has(place));
  if (misplaced !== undefined) return `${change.address} has no hidden value at ${misplaced}`;
  const open = [...secretsOf(change, kind).after].find((place) => !sources.has(place));
  return open === undefined ? undefined : `the secret at ${open} of ${change.address} is not hidden`;
}

/** Whether nothing in a value is hidden. Nearly all are so, and this copies nothing. */
function isOpen(value: Json): boolean {
  if (isList(value)) return value.every(isOpen);
  return isObject(value) ? Object.values(value).every(isOpen) : value !== HIDDEN;
}

function withoutHidden(value: Json, schema: Json | undefined): Json {
  if (value === HIDDEN) return standInOf(schema);
  if (isList(value)) return value.map((item) => withoutHidden(item, valueOf(schema, 'items')));
  if (!isObject(value)) return value;
  const properties = valueOf(schema, 'properties');
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutHidden(item, valueOf(properties, key))]),
  );
}

/** A value of the type that is hidden. */
function standInOf(schema: Json | undefined): Json {
  const types = [valueOf(schema, 'type') ?? []].flat();
  if (types.includes('number') || types.includes('integer')) return 0;
  return types.includes('boolean') ? false : HIDDEN;
}

function hiddenIn(value: Json, path: string[] = [], found: Pointer[] = []): readonly Pointer[] {
  if (value === HIDDEN) found.push(printPointer(path));
  for (const key of keysOf(value)) {
    path.push(key);
    hiddenIn(childOf(value, key), path, found);
    path.pop();
  }
  return found;
}

function findOrderFault(changes: readonly SavedChange[]): string | undefined {
  const stages = new Map<string, number>();
  const steps = new Set<string>();
  for (const change of changes) {
    const { address, stage, dependsOn } = change;
    const id = idOf(change);
    if (stages.has(id)) return `${id} is changed twice`;
    const missing = dependsOn.find((other) => !stages.has(other));
    if (missing !== undefined) return `${id} comes before ${missing}`;
    if (stage === 2 && change.action !== 'delete') return `${id} is in the stage of deletes`;
    if (stage === 1 && dependsOn.some((other) => stages.get(other) === 2)) return `${id} waits for stage 2`;
    if (isStep(change) && change.action !== 'delete' && steps.has(address))
      return `${address} has two extra steps`;
    if (isStep(change) && change.action !== 'delete') steps.add(address);
    else steps.delete(address);
    stages.set(id, stage);
  }
  const [open] = steps;
  return open === undefined ? undefined : `the extra step of ${open} has no change after it`;
}

function findCountFault({
  changes,
  summary,
  ignored,
  unclaimed,
  unmanaged,
  manages,
}: SavedPlan): string | undefined {
  const counts: Readonly<Record<string, number>> = {
    ...countActions(changes),
    ignored: ignored.length,
    unclaimed: unclaimed.length,
    ...(manages === undefined ? { unmanaged: unmanaged.length } : {}),
  };
  const wrong = Object.entries(counts).find(([name, found]) => valueOf(summary, name) !== found);
  return wrong === undefined ? undefined : `has a wrong summary: ${wrong[0]}`;
}
