import { present } from '../model/collect.ts';
import { parseJson, printJson } from '../model/json/json-text.ts';
import { canonicalText } from '../model/json/json.ts';
import { type Counts, type Exposure, type Weakening, countActions, wordCounts } from '../plan/change/plan.ts';
import { lossesOf } from '../plan/checks/exposures.ts';
import type { Problem } from '../model/problem.ts';
import { HIDDEN } from '../model/secrets/hidden.ts';
import { idOf, isStep, type ChangeId } from '../plan/change/change.ts';
import { digest } from '../plan/saved/digest.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';

/** A plan in short, for a status. */
export type PlanSummary = {
  readonly digest: string;
  readonly counts: Pick<Counts, 'create' | 'update' | 'replace' | 'delete'>;
  /** `update AliasTopic/orders@vCluster=prod` */
  readonly changes: readonly string[];
  readonly addresses: readonly string[];
  readonly losses: readonly string[];
  /** `VirtualCluster/prod is deleted with the topics inside it` */
  readonly risks: readonly string[];
};

/** What clients lose, whatever the files accept or silence: they are not of who approves. With all that a message leaves out. */
function allLossesOf({
  changes,
  exposures = [],
  weakenings = [],
}: ShownPlan): readonly Pick<Problem, 'message' | 'extent'>[] {
  const accepting = ({ accepted }: Exposure | Weakening): string =>
    accepted === undefined ? '' : ` (accepted${accepted.reason === undefined ? '' : `: ${accepted.reason}`})`;
  const open = <T extends Exposure | Weakening>(all: readonly T[], as: string): readonly T[] =>
    all.filter((one) => accepting(one) === as).map((one) => ({ ...one, accepted: undefined }));
  return [...new Set([...exposures, ...weakenings].map(accepting))].sort().flatMap((as) => {
    const told = lossesOf({ changes, exposures: open(exposures, as), weakenings: open(weakenings, as) });
    return told.map(({ message, extent }) => ({ message: message + as, ...present({ extent }) }));
  });
}

/**
 * A plan in short. Its digest is the same for the same changes with the same consequences, however often it is planned. It covers values
 * that nothing shows by where they come from: Secrets by their version, and the files by their digest.
 */
export function summaryOf(
  shown: ShownPlan,
  about: {
    readonly url: string;
    readonly environment: string | undefined;
    readonly versions: readonly string[];
    readonly files: string;
    /** The digest of the plan before it that changed something: an approval is for once, also where somebody has changed all back. */
    readonly after?: string | undefined;
    /** Warnings about the plan as a whole, which no change of it has. */
    readonly warnings: readonly Problem[];
    /** What needs to be made no more. */
    readonly made?: ReadonlySet<ChangeId>;
  },
): PlanSummary {
  const own = shown.changes.filter((change) => !isStep(change) && about.made?.has(idOf(change)) !== true);
  const changes = shown.changes.map(({ at: _, dependsOn: _d, templates: _t, ...change }) => change);
  const { url, environment = null, versions, files, after } = about;
  const losses = allLossesOf(shown);
  const risks = [
    ...about.warnings.filter(({ code }) => code === 'unjudged-order').map(({ message }) => message),
    ...shown.risks.map(({ address, message }) => `${address} ${message}`),
  ];
  // The same changes may take more from clients once others have changed the gateway.
  const approved = { changes, url, environment, versions, losses, risks, ...present({ after }) };
  const text = printJson(approved);
  const whole = parseJson(text.includes(HIDDEN) ? printJson({ ...approved, files }) : text);
  return {
    digest: `sha256:${digest(canonicalText(whole))}`,
    counts: countActions(own),
    changes: own.map(({ action, address }) => `${action} ${address}`),
    addresses: own.map(({ address }) => address),
    losses: losses.map(({ message }) => message),
    risks,
  };
}

/** `2 to create, 1 to delete` */
export function inWords(counts: PlanSummary['counts']): string {
  return wordCounts(counts) || 'nothing to change';
}
