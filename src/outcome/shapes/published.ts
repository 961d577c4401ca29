import type { TSchema, TObject } from 'typebox';
import { savedPlan } from '../../plan/saved/plan-shape.ts';
import { snapshot } from '../../plan/saved/snapshot-shape.ts';
import * as comparisons from './compare.ts';
import * as plans from './plan.ts';
import * as runs from './run.ts';
import * as files from './files.ts';
import * as gateways from './gateway.ts';
import { fleetReport } from './fleet.ts';
import { effectiveReport } from './effective.ts';
import { exactly, maybe, object, text } from '../../model/shape.ts';
import { problem } from './shared.ts';

/** The records of lists: their type, what they are, and the shape of an item. */
const RECORDS: readonly (readonly [type: string, description: string, shape: TSchema])[] = [
  ['problem', 'A problem.', problem],
  ['risk', 'A consequence of a change that deserves a look before others.', plans.risk],
  [
    'exposure',
    'Of plan and show: a client that loses a protection type, permanently or until a later change.',
    plans.exposure,
  ],
  ['weakening', 'Of plan and show: a client whose protection does less.', plans.weakening],
  ['effect', 'Of plan and show: a client whose interceptors change.', plans.effect],
  ['change', 'Of plan, show and selftest: one change, in order.', plans.change],
  ['explained', 'Of --explain: a change of the object, with why it is there.', plans.explained],
  ['entry', 'Of apply: what became of one change.', runs.entry],
  [
    'unprotected',
    'Of apply: a protection that a client lacks now, because only some changes were made.',
    runs.unprotected,
  ],
  ['drift', 'Of drift: one object that is not as declared.', comparisons.drift],
  ['accepted', 'Of drift: drift that somebody answers for.', comparisons.accepted],
  [
    'unchecked',
    'Of drift: a kind that the gateway does not serve, or a field that could not be compared.',
    comparisons.unchecked,
  ],
  ['difference', 'An object that only one side has, or that differs.', comparisons.difference],
  ['expected', 'What is meant to differ.', comparisons.expected],
  [
    'uncompared',
    'A kind that one side of diff does not have, or a field that diff could not compare.',
    comparisons.uncompared,
  ],
  [
    'normalisation',
    'Of selftest: how often a field is compared in another spelling than the gateway has it.',
    plans.normalisation,
  ],
  ['case', 'A case of a test.', files.testCase],
  ['coverage', 'What the cases are about.', files.coverage],
];

/** The reports, by what makes them, and their lists that have records of their own. */
const REPORTS: readonly (readonly [command: string, report: TObject, lists: readonly string[]])[] = [
  ['validate', files.validateReport, ['problems']],
  ['plan and show', plans.planReport, ['problems', 'risks', 'exposures', 'weakenings', 'effects', 'changes']],
  ['plan --explain and show --explain', plans.explainReport, ['problems', 'explained']],
  ['apply', runs.applyReport, ['problems', 'ledger', 'unprotected']],
  ['drift', comparisons.driftReport, ['problems', 'drift', 'accepted', 'unchecked']],
  ['selftest', plans.selftestReport, ['problems', 'normalisations', 'changes']],
  ['diff --from --to', comparisons.diffReport, ['problems', 'differences', 'expected', 'uncompared']],
  ['test', files.testReport, ['problems', 'cases', 'coverage']],
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
  'apply-report': runs.applyReport,
  'diff-report': comparisons.diffReport,
  'version-report': gateways.versionReport,
  'doctor-report': gateways.doctorReport,
  'drift-report': comparisons.driftReport,
  'effective-report': effectiveReport,
  'environments-report': files.environmentsReport,
  'explain-report': plans.explainReport,
  'export-report': gateways.exportReport,
  'fleet-report': fleetReport,
  'get-report': gateways.getReport,
  'migrate-report': files.migrateReport,
  ndjson,
  'plan-report': plans.planReport,
  'plugins-report': gateways.pluginsReport,
  'resolve-report': gateways.resolveReport,
  'run-report': runs.runReport,
  'runs-report': runs.runsReport,
  'saved-plan': savedPlan,
  'scan-report': files.scanReport,
  'selftest-report': plans.selftestReport,
  snapshot,
  'switch-report': gateways.switchReport,
  'test-report': files.testReport,
  'token-inspection': gateways.tokenInspection,
  'token-report': gateways.tokenReport,
  'validate-report': files.validateReport,
} as const satisfies Readonly<Record<string, TSchema>>;
