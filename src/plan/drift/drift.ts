import type { Acceptance } from '../../model/acceptance.ts';
import { addTo } from '../../model/collect.ts';
import { globPattern } from '../../model/text/glob.ts';
import { parsePointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { Position, Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { FieldChange } from '../diff/field-change.ts';
import { isStep, type Change } from '../change/plan.ts';
import type { ShownPlan } from '../secrets/redact.ts';

/** A field that is not as declared; what is missing on one side is left out. */
export type DriftField = { readonly path: Pointer; readonly declared?: Json; readonly live?: Json };

/** An object that is not as files have it: gone, changed, in none of them, or still there though they remove it. */
export type Drift = {
  readonly address: Address;
  readonly drift: 'missing' | 'changed' | 'unclaimed' | 'remaining';
  readonly at?: Position;
  /** Only of what was changed. */
  readonly fields: readonly DriftField[];
};

/** Drift that somebody answers for. */
export type AcceptedDrift = Drift & Pick<Acceptance, 'reason' | 'owner' | 'expires'>;

/** Drift that counts, drift that somebody answers for, and what is wrong with the answers. */
export type JudgedDrift = {
  readonly drift: readonly Drift[];
  readonly accepted: readonly AcceptedDrift[];
  readonly problems: readonly Problem[];
};

/** A plan read the other way round: not what would be done, but what somebody did outside of the files. */
export function findDrift({
  changes,
  unclaimed,
}: Pick<ShownPlan, 'changes' | 'unclaimed'>): readonly Drift[] {
  return [
    ...changes.flatMap((change) => (isStep(change) ? [] : driftOfChange(change))),
    ...unclaimed.map((address): Drift => ({ address, drift: 'unclaimed', fields: [] })),
  ].sort(({ address: one }, { address: other }) => (one < other ? -1 : 1));
}

function driftOfChange(change: Change): readonly Drift[] {
  const about = { address: change.address, ...(change.at === undefined ? {} : { at: change.at }) };
  switch (change.action) {
    case 'create':
      return [{ ...about, drift: 'missing', fields: [] }];
    case 'update':
    case 'replace':
      return [{ ...about, drift: 'changed', fields: change.fields.map(driftField) }];
    case 'delete':
      return [{ ...about, drift: 'remaining', fields: [] }];
    default:
      return change satisfies never;
  }
}

function driftField(field: FieldChange): DriftField {
  return {
    path: field.path,
    ...('after' in field ? { declared: field.after } : {}),
    ...('before' in field ? { live: field.before } : {}),
  };
}

/**
 * Sets drift apart that is accepted; `today` is `YYYY-MM-DD`. An acceptance that has expired accepts nothing and is a
 * problem; so is one that has nothing to accept, where everything was looked at.
 */
export function judgeDrift(
  found: readonly Drift[],
  acceptances: readonly Acceptance[],
  { today, complete }: { readonly today: string; readonly complete: boolean },
): JudgedDrift {
  const expired = acceptances.filter(({ expires }) => expires < today);
  const valid = acceptances
    .filter(({ expires }) => expires >= today)
    .map((acceptance) => ({ acceptance, pattern: globPattern(acceptance.address) }));
  const used = new Set<Acceptance>();
  const drift: Drift[] = [];
  const accepted: AcceptedDrift[] = [];
  for (const one of found) {
    const mine = valid.filter(({ pattern }) => pattern.test(one.address)).map(({ acceptance }) => acceptance);
    const { open, closed } = sortOut(one, mine);
    if (open !== undefined) drift.push(open);
    for (const [acceptance, fields] of closed) {
      used.add(acceptance);
      const { reason, owner, expires } = acceptance;
      accepted.push({ ...one, fields, reason, owner, expires });
    }
  }
  const unused = complete ? valid.filter(({ acceptance }) => !used.has(acceptance)) : [];
  return {
    drift,
    accepted,
    problems: [...expired.map(expiredProblem), ...unused.map(({ acceptance }) => unusedProblem(acceptance))],
  };
}

/** What of one object's drift counts, and which acceptance answers for which of its fields. */
function sortOut(
  drift: Drift,
  acceptances: readonly Acceptance[],
): { readonly open: Drift | undefined; readonly closed: ReadonlyMap<Acceptance, readonly DriftField[]> } {
  const whole = acceptances.find(({ path }) => path === undefined);
  const closed = new Map<Acceptance, DriftField[]>();
  if (drift.fields.length === 0) {
    if (whole !== undefined) closed.set(whole, []);
    return { open: whole === undefined ? drift : undefined, closed };
  }
  const open = drift.fields.filter((field) => {
    const by = acceptances.find(({ path }) => path !== undefined && isInside(path, field.path)) ?? whole;
    if (by !== undefined) addTo(closed, by, field);
    return by === undefined;
  });
  return { open: open.length === 0 ? undefined : { ...drift, fields: open }, closed };
}

/** Whether a field is the one that the pattern names, or lies below it. */
function isInside(pattern: Pointer, path: Pointer): boolean {
  const tokens = parsePointer(path);
  return parsePointer(pattern).every(
    (token, at) => at < tokens.length && (token === '*' || token === tokens[at]),
  );
}

function expiredProblem({ address, path, owner, expires, at }: Acceptance): Problem {
  return {
    code: 'expired-acceptance',
    severity: 'error',
    message: `drift of ${what(address, path)} was accepted until ${expires}`,
    at,
    hint: `have ${owner} mend it, or accept it until a later day`,
  };
}

function unusedProblem({ address, path, at }: Acceptance): Problem {
  return {
    code: 'unused-acceptance',
    severity: 'warning',
    message: `there is no drift of ${what(address, path)} to accept`,
    at,
    hint: 'take the entry out',
  };
}

function what(address: string, path: Pointer | undefined): string {
  return path === undefined ? address : `${path} of ${address}`;
}
