import type { Entry } from '../../apply/events.ts';
import { joinPointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { LocatedProblem, Position } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import type { FieldChange } from '../../plan/diff/field-change.ts';
import type { Action, Change, SecretStatus } from '../../plan/change/plan.ts';

/** A problem as machines get it; `schemas/` publishes this and the types below. */
export type ProblemRecord = {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly also?: Position;
  readonly address?: string;
  readonly path?: string;
  readonly hint?: string;
};

export type ChangeRecord = {
  readonly action: Action;
  readonly address: string;
  readonly kind: string;
  readonly at?: Position;
  readonly stage: number;
  readonly dependsOn: readonly string[];
  readonly step?: string;
  readonly reason?: string;
  readonly because?: readonly string[];
  readonly removal?: string;
  readonly movedFrom?: string;
  readonly movedTo?: string;
  /** What became of each secret of what is updated or replaced, by its pointer. */
  readonly secrets?: Readonly<Record<string, SecretStatus>>;
  readonly fields: readonly FieldChange[];
};

export type LedgerRecord = {
  readonly address: string;
  readonly action: Action;
  readonly outcome: Entry['outcome'];
  readonly step?: string;
  readonly reason?: string;
  readonly removal?: string;
  readonly at?: Position;
  readonly by?: readonly string[];
  readonly problem?: ProblemRecord;
};

export function problemRecord({ at, frame: _, ...problem }: LocatedProblem): ProblemRecord {
  const { code, severity, message, ...rest } = problem;
  return { code, severity, message, ...at, ...rest };
}

export function changeRecord(change: Change): ChangeRecord {
  const { action, address, at, stage, dependsOn, reason } = change;
  const step = change.action === 'update' ? change.step : undefined;
  return {
    action,
    address,
    kind: kindOf(address),
    ...(at === undefined ? {} : { at }),
    stage,
    dependsOn,
    ...(step === undefined ? {} : { step }),
    ...(reason === undefined ? {} : { reason }),
    ...(change.action === 'replace' ? { because: change.because } : {}),
    ...aboutRemoval(change),
    ...('verdicts' in change ? { secrets: change.verdicts } : {}),
    fields: fieldsOf(change),
  };
}

function aboutRemoval(change: Change): Pick<ChangeRecord, 'removal' | 'movedFrom' | 'movedTo'> {
  if (change.action === 'create') {
    return change.movedFrom === undefined ? {} : { movedFrom: change.movedFrom };
  }
  if (change.action !== 'delete') return {};
  const { removal, movedTo } = change;
  return {
    ...(removal === undefined ? {} : { removal }),
    ...(movedTo === undefined ? {} : { movedTo }),
  };
}

/** The fields of a change; for what is created or deleted, each field of its spec. */
function fieldsOf(change: Change): readonly FieldChange[] {
  switch (change.action) {
    case 'create':
      return specFields(change.after.spec).map(({ path, value }) => ({ op: 'add', path, after: value }));
    case 'delete':
      return specFields(change.before.spec).map(({ path, value }) => ({ op: 'remove', path, before: value }));
    case 'update':
    case 'replace':
      return change.fields;
    default:
      return change satisfies never;
  }
}

function specFields(spec: {
  readonly [key: string]: Json;
}): readonly { readonly path: Pointer; readonly value: Json }[] {
  return Object.entries(spec).map(([key, value]) => ({
    path: joinPointer('/spec', key),
    value,
  }));
}

export function ledgerRecord(entry: Entry): LedgerRecord {
  const { address, action, outcome, step, reason, removal, at } = entry;
  return {
    address,
    action,
    outcome,
    ...(step === undefined ? {} : { step }),
    ...(reason === undefined ? {} : { reason }),
    ...(removal === undefined ? {} : { removal }),
    ...(at === undefined ? {} : { at }),
    ...(entry.outcome === 'blocked' ? { by: entry.by } : {}),
    ...(entry.outcome === 'failed' ? { problem: problemRecord(entry.problem) } : {}),
  };
}
