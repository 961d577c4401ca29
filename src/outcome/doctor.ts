import type { Plain } from '../model/shape.ts';
import type { doctorReport } from './shapes/doctor.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** A setting as people may see it, and where it comes from. */
export type SettingRecord = DoctorReport['settings'][number];

export type FindingRecord = DoctorReport['checks'][number];

/** What `gwconf doctor` found. */
export type DoctorReport = Plain<typeof doctorReport>;

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
