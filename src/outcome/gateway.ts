import type { Plain } from '../model/shape.ts';
import type {
  exportReport,
  getReport,
  pluginsReport,
  doctorReport,
  resolveReport,
  switchReport,
  tokenReport,
  tokenInspection,
  versionReport,
} from './shapes/gateway.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** What `gwconf get` found. */
export type GetReport = Plain<typeof getReport>;

export function makeGetReport(
  {
    unavailable,
    ...found
  }: Pick<GetReport, 'result' | 'gateway' | 'snapshot' | 'summary' | 'resources'> & {
    readonly unavailable: ReadonlyMap<string, string>;
  },
  problems: readonly LocatedProblem[],
): GetReport {
  return {
    format: 'gwconf/get-report@1',
    ...found,
    unavailable: [...unavailable].map(([kind, words]) => ({ kind, words })),
    problems: problems.map(describeProblem),
  };
}

/** What `gwconf export` wrote. */
export type ExportReport = Plain<typeof exportReport>;

/** A plugin class, on a gateway and in gwconf. */
export type PluginRecord = PluginsReport['plugins'][number];

/** What `gwconf plugins` found. */
export type PluginsReport = Plain<typeof pluginsReport>;

export function makePluginsReport(
  { result, gateway, plugins }: Pick<PluginsReport, 'result' | 'gateway' | 'plugins'>,
  problems: readonly LocatedProblem[],
): PluginsReport {
  const onGateway = plugins.filter((plugin) => plugin.onGateway);
  return {
    format: 'gwconf/plugins-report@1',
    result,
    gateway,
    summary: {
      onGateway: onGateway.length,
      unknown: onGateway.filter(({ known }) => !known).length,
      notOnGateway: plugins.length - onGateway.length,
    },
    plugins,
    problems: problems.map(describeProblem),
  };
}

/** A setting as people may see it, and where it comes from. */
export type SettingRecord = DoctorReport['settings'][number];

export type FindingRecord = DoctorReport['checks'][number];

/** What `gwconf version` says of itself. */
export type VersionReport = Plain<typeof versionReport>;

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

/** What `gwconf resolve` found: which interceptors run for a client. */
export type ResolveReport = Plain<typeof resolveReport>;

/** What `gwconf cluster switch` did. */
export type SwitchReport = Plain<typeof switchReport>;

/** What `gwconf token issue` did; the token itself is in the file. */
export type TokenReport = Plain<typeof tokenReport>;

/** What `gwconf token inspect` found. */
export type TokenInspection = Plain<typeof tokenInspection>;
