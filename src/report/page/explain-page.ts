import { formatCount } from '../../model/text/list.ts';
import type { ExplainedChange, ExplainReport } from '../../outcome/explain.ts';
import { CAUSE_WORDS } from './causes.ts';
import { signOf } from './changes.ts';
import { factOf, listSection, makeEntry, makePage, notesOf, plainLine } from './make-page.ts';
import type { Group, Page } from './page.ts';
import { snapshotFacts } from './plan-page.ts';

/** Why a plan changes an object, and what its changes wait for; or why it leaves the object alone. */
export function pageOfExplanation(report: ExplainReport): Page {
  const { result, gateway, environment, snapshot, address, summary, explained, unchanged } = report;
  const linesOf = (one: ExplainedChange): readonly string[] => linesOfChange(one, summary);
  return makePage(report, {
    title: `Explanation of ${address}`,
    tone: result === 'changes' || result === 'no-changes' ? 'calm' : 'alarm',
    facts: [
      { label: 'Gateway', text: gateway, isCode: true },
      ...factOf('Environment', environment),
      ...(snapshot === undefined ? [] : snapshotFacts(snapshot)),
    ],
    blocks: [
      ...(explained.length === 0
        ? []
        : [
            {
              block: 'groups' as const,
              list: explained.map((one): Group => ({
                title: `${signOf(one.action)} ${one.change}`,
                lines: linesOf(one),
              })),
              sections: () =>
                listSection(
                  'Changes',
                  '!',
                  explained.map((one) =>
                    makeEntry(one.change, {
                      sign: signOf(one.action),
                      isRisky: true,
                      lines: () => linesOf(one).map(plainLine),
                    }),
                  ),
                ),
            },
          ]),
      ...notesOf(
        'Left alone',
        'reason',
        'sentences',
        unchanged.map(({ message }) => ({ text: message })),
      ),
    ],
  });
}

function linesOfChange(
  { why, causes, order, at, position, stage, dependsOn, requiredBy }: ExplainedChange,
  summary: ExplainReport['summary'],
): readonly string[] {
  const { changes, firstStage } = summary;
  const after =
    firstStage === 0 ? '' : `, which starts after the ${formatCount(firstStage, 'change')} of stage 1`;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['reason', [why]],
    ...(causes === undefined ? [] : [['cause', causes.map(wordCause)] as const]),
    ...(order === undefined ? [] : [['order', [order]] as const]),
    ['file', [at === undefined ? 'none' : `${at.file}:${at.line}`]],
    ['position', [`${position} of ${changes}, in stage ${stage}${stage === 1 ? '' : ` (deletes)${after}`}`]],
    ['depends on', listNames(dependsOn)],
    ['required by', listNames(requiredBy)],
  ];
  return rows.flatMap(([label, [first = 'nothing', ...rest]]) => [
    `${`${label}:`.padEnd(13)}${first}`,
    ...rest.map((text) => `${' '.repeat(13)}${text}`),
  ]);
}

function wordCause({ cause, path }: NonNullable<ExplainedChange['causes']>[number]): string {
  return path === undefined ? CAUSE_WORDS[cause] : `${CAUSE_WORDS[cause]}: ${path}`;
}

const MOST_NAMES = 20;

function listNames(changes: ExplainedChange['dependsOn']): readonly string[] {
  const listed = changes
    .slice(0, MOST_NAMES)
    .map(({ change, action }) => (action === undefined ? change : `${action} ${change}`));
  return changes.length > MOST_NAMES ? [...listed, `and ${changes.length - MOST_NAMES} more`] : listed;
}
