import type { JsonObject } from '../model/json/json.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** A setting as people may see it, and where it comes from. */
export type SettingRecord = { readonly name: string; readonly value: string; readonly origin: string };

export type FindingRecord = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error' | 'not-checked';
  readonly message: string;
  readonly hint?: string | undefined;
  readonly values?: JsonObject;
};

/** What `gwconf doctor` found. */
export type DoctorReport = {
  readonly format: 'gwconf/doctor-report@1';
  readonly result: 'ok' | 'no-gateway' | 'error' | 'blocked' | 'stale';
  readonly gateway: string;
  readonly summary: Readonly<Record<'ok' | 'warning' | 'error' | 'notChecked', number>>;
  readonly settings: readonly SettingRecord[];
  /** How many objects it has; absent where they could not be listed. */
  readonly objects?: number | undefined;
  readonly unavailable: readonly { readonly kind: string; readonly words: string }[];
  readonly checks: readonly FindingRecord[];
  readonly problems: readonly ProblemRecord[];
};

export function makeDoctorReport(
  {
    result,
    gateway,
    settings,
    objects,
    unavailable,
    checks,
  }: Pick<DoctorReport, 'result' | 'gateway' | 'settings' | 'objects' | 'checks'> & {
    readonly unavailable: ReadonlyMap<string, string>;
  },
  problems: readonly LocatedProblem[],
): DoctorReport {
  const count = (wanted: FindingRecord['status']): number =>
    checks.filter(({ status }) => status === wanted).length;
  return {
    format: 'gwconf/doctor-report@1',
    result,
    gateway,
    summary: {
      ok: count('ok'),
      warning: count('warning'),
      error: count('error'),
      notChecked: count('not-checked'),
    },
    settings,
    objects,
    unavailable: [...unavailable].map(([kind, words]) => ({ kind, words })),
    checks,
    problems: problems.map(describeProblem),
  };
}
