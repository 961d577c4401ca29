import type { TSchema, TObject } from 'typebox';
import { savedPlan } from '../../plan/saved/plan-shape.ts';
import { snapshot } from '../../plan/saved/snapshot-shape.ts';
import { applyReport, entry, unprotected } from './apply.ts';
import { diffReport, difference, expected, uncompared } from './diff.ts';
import {
  doctorReport,
  exportReport,
  getReport,
  pluginsReport,
  resolveReport,
  switchReport,
  tokenInspection,
  tokenReport,
  versionReport,
} from './gateway.ts';
import { fleetReport } from './fleet.ts';
import { driftReport, accepted, drift, unchecked } from './drift.ts';
import { effectiveReport } from './effective.ts';
import { explainReport, explained } from './explain.ts';
import { environmentsReport, testReport, validateReport, coverage, testCase } from './files.ts';
import { migrateReport, scanReport } from './migrate.ts';
import { planReport, change, effect, exposure, risk, weakening } from './plan.ts';
import { runReport, runsReport } from './run.ts';
import { selftestReport, normalisation } from './selftest.ts';
import { exactly, maybe, object, text } from '../../model/shape.ts';
import { problem } from './shared.ts';

/** The records of lists: their type, what they are, and the shape of an item. */
const RECORDS: readonly (readonly [type: string, description: string, shape: TSchema])[] = [
  ['problem', 'A problem.', problem],
  ['risk', 'A consequence of a change that deserves a look before others.', risk],
  [
    'exposure',
    'Of plan and show: a client that loses a protection type, permanently or until a later change.',
    exposure,
  ],
  ['weakening', 'Of plan and show: a client whose protection does less.', weakening],
  ['effect', 'Of plan and show: a client whose interceptors change.', effect],
  ['change', 'Of plan, show and selftest: one change, in order.', change],
  ['explained', 'Of --explain: a change of the object, with why it is there.', explained],
  ['entry', 'Of apply: what became of one change.', entry],
  [
    'unprotected',
    'Of apply: a protection that a client lacks now, because only some changes were made.',
    unprotected,
  ],
  ['drift', 'Of drift: one object that is not as declared.', drift],
  ['accepted', 'Of drift: drift that somebody answers for.', accepted],
  [
    'unchecked',
    'Of drift: a kind that the gateway does not serve, or a field that could not be compared.',
    unchecked,
  ],
  ['difference', 'An object that only one side has, or that differs.', difference],
  ['expected', 'What is meant to differ.', expected],
  [
    'uncompared',
    'A kind that one side of diff does not have, or a field that diff could not compare.',
    uncompared,
  ],
  [
    'normalisation',
    'Of selftest: how often a field is compared in another spelling than the gateway has it.',
    normalisation,
  ],
  ['case', 'A case of a test.', testCase],
  ['coverage', 'What the cases are about.', coverage],
];

/** The reports, by what makes them, and their lists that have records of their own. */
const REPORTS: readonly (readonly [command: string, report: TObject, lists: readonly string[]])[] = [
  ['validate', validateReport, ['problems']],
  ['plan and show', planReport, ['problems', 'risks', 'exposures', 'weakenings', 'effects', 'changes']],
  ['plan --explain and show --explain', explainReport, ['problems', 'explained']],
  ['apply', applyReport, ['problems', 'ledger', 'unprotected']],
  ['drift', driftReport, ['problems', 'drift', 'accepted', 'unchecked']],
  ['selftest', selftestReport, ['problems', 'normalisations', 'changes']],
  ['diff --from --to', diffReport, ['problems', 'differences', 'expected', 'uncompared']],
  ['test', testReport, ['problems', 'cases', 'coverage']],
  ['a command for several environments', fleetReport, ['problems', 'environments']],
];

const version = object(
  {
    type: exactly('version'),
    format: text(undefined, {
      pattern: '^gwconf/(validate|plan|explain|apply|diff|drift|selftest|test|fleet)-report@1$',
    }),
    tool: text('gwconf and its version.'),
  },
  'The first line: which report the lines make up, and what wrote it.',
);

/** Of several environments, the lines of each come one after another. */
const ofSeveral = maybe(text('Of a command for several environments: which one.'));

/** Lines of `-o ndjson`. */
const ndjson: TSchema = {
  title: 'One line of -o ndjson',
  description:
    'Each line is a JSON object whose type says what it is. Minor versions may add types, too. Minor versions of gwconf may add fields; consumers pass over those that they do not know.',
  oneOf: [
    version,
    ...RECORDS.flatMap(([type, description, shape]) =>
      alternativesOf(shape).map((one) => recordOf(type, description, one)),
    ),
    ...REPORTS.map(([command, report, lists]) => summaryOf(command, report, lists)),
  ],
};

/** The maps that a shape is one of. */
function alternativesOf(shape: TSchema): readonly TObject[] {
  return 'oneOf' in shape ? (shape.oneOf as readonly TObject[]) : [shape as TObject]; // as the shapes of lists are
}

function recordOf(
  type: string,
  description: string,
  { properties, ...rest }: TObject & { definition?: string },
): TSchema {
  const { definition: _, required, ...others } = rest;
  return {
    ...others,
    description,
    required: ['type', ...required],
    properties: { type: exactly(type), environment: ofSeveral, ...properties },
  };
}

/** The last line: what is left of a report without its lists. */
function summaryOf(command: string, report: TObject, lists: readonly string[]): TSchema {
  const fields = Object.entries(report.properties).filter(([name]) => !lists.includes(name));
  return recordOf('summary', `The last line of ${command}.`, object(Object.fromEntries(fields)));
}

/** The shapes of all that gwconf writes for programs, by the names of their schemas in `schemas/`. */
export const SHAPES = {
  'apply-report': applyReport,
  'diff-report': diffReport,
  'version-report': versionReport,
  'doctor-report': doctorReport,
  'drift-report': driftReport,
  'effective-report': effectiveReport,
  'environments-report': environmentsReport,
  'explain-report': explainReport,
  'export-report': exportReport,
  'fleet-report': fleetReport,
  'get-report': getReport,
  'migrate-report': migrateReport,
  ndjson,
  'plan-report': planReport,
  'plugins-report': pluginsReport,
  'resolve-report': resolveReport,
  'run-report': runReport,
  'runs-report': runsReport,
  'saved-plan': savedPlan,
  'scan-report': scanReport,
  'selftest-report': selftestReport,
  snapshot,
  'switch-report': switchReport,
  'test-report': testReport,
  'token-inspection': tokenInspection,
  'token-report': tokenReport,
  'validate-report': validateReport,
} as const satisfies Readonly<Record<string, TSchema>>;
