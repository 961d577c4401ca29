import type { CodeLens, Diagnostic, Range } from 'vscode-languageserver-types';
import { addTo } from '../model/collect.ts';
import { printPointer } from '../model/json/json.ts';
import type { Place, SourceFile } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { Removal } from '../model/rules.ts';
import { formatCount, list } from '../model/text/list.ts';
import { placeOf, type Declaration } from '../model/state.ts';
import type { Change } from '../plan/change/change.ts';
import { listedUnmanaged } from '../plan/change/plan.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { fileOf } from '../schema/yaml/places.ts';
import { environmentsWith, type Look } from './look.ts';
import { rangeOf } from './ranges.ts';

/** What a plan of one environment would change. */
export type PlanOf = {
  readonly name: string;
  readonly plan: ShownPlan;
  /** Whether an error keeps it from being applied, such as an object of a kind that the gateway does not have. */
  readonly isBlocked: boolean;
  /** How many fields have no known value here, such as secrets, and were not compared. */
  readonly cannotTell: number;
  readonly declared: ReadonlyMap<Address, Declaration>;
  readonly removals: readonly Removal[];
  /** When the gateway was read. */
  readonly takenAt: string;
};

/**
 * The changes of plans at the lines that make them, by the path of the file. What no file declares is at the document that removes it,
 * or else at the environment in gwconf.yaml.
 */
export function markPlans(
  { project }: Pick<Look, 'project'>,
  plans: readonly PlanOf[],
): ReadonlyMap<string, readonly Diagnostic[]> {
  const byFile = new Map<string, Diagnostic[]>();
  for (const one of plans) {
    const { name, plan, takenAt } = one;
    const start = project.environments.size === 1 ? '' : `${name}: `;
    const whole = environmentPlace(project, name);
    const lines = plan.changes.flatMap((change) => linesOf(change, one));
    const left = [...plan.unclaimed, ...listedUnmanaged(plan)];
    if (left.length > 0) lines.push([undefined, leftAlone(left)]);
    for (const [place = whole, message] of lines)
      if (place !== undefined)
        addTo(byFile, fileOf(place).path, {
          range: rangeOf(place),
          severity: 3,
          source: 'gwconf plan',
          message: `${start}${message}\nas of ${minuteOf(takenAt)}`,
        });
  }
  return byFile;
}

/** The lines of a change, if files have them, and what each does. Extra steps of the order are part of another change. */
function linesOf(
  change: Change,
  { declared, removals }: PlanOf,
): (readonly [place: Place | undefined, message: string])[] {
  if ('step' in change) return [];
  const { address } = change;
  const one = declared.get(address);
  const whole = one && placeOf(one, '/metadata/name');
  switch (change.action) {
    case 'create':
      return [[whole, `create ${address}`]];
    case 'delete':
      return [[removals.find((removal) => removal.address === address)?.place, `delete ${address}`]];
    case 'replace':
      return [
        [whole, `delete ${address} and create it again: ${change.because.join(', ')} cannot change in place`],
      ];
    case 'update':
      return change.fields.map(({ op, path }) => [
        one && placeOf(one, path),
        `${WORDS[op]} ${path} of ${address}`,
      ]);
    default:
      return change satisfies never;
  }
}

function leftAlone(addresses: readonly Address[]): string {
  const objects = addresses.length === 1 ? 'object of the gateway is' : 'objects of the gateway are';
  return `${addresses.length} ${objects} in no file, and left alone: ${list(addresses)}`;
}

/** The name of an environment in gwconf.yaml. */
function environmentPlace({ written }: Look['project'], name: string): Place | undefined {
  const place = written?.placeOf(printPointer(['environments', name]));
  return place !== undefined && 'document' in place ? { ...place, on: 'key' } : place;
}

/** `2026-11-26 14:03 UTC` */
function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Compares files with the gateway of an environment as it is now: its argument is the name of the environment. */
export const COMPARE = 'gwconf.compare';

/** A file that more environments have would begin with more lenses than lines. */
const MOST_LENSES = 3;

/**
 * Above the first document of a file, and at each environment in gwconf.yaml, what to click to compare with a gateway, and what came of
 * it last.
 */
export function planLenses(look: Look, { path }: SourceFile, plans: readonly PlanOf[]): readonly CodeLens[] {
  const { project } = look;
  const places = [...project.environments.keys()].flatMap((name): readonly (readonly [string, Range])[] => {
    const place = environmentPlace(project, name);
    return place !== undefined && fileOf(place).path === path ? [[name, rangeOf(place)]] : [];
  });
  const having = environmentsWith(look, path).flatMap(({ name }) => name ?? []);
  const above = having.length > MOST_LENSES ? [] : having.map((name) => [name, TOP] as const);
  return [...places, ...above].map(([name, range]): CodeLens => {
    const known = plans.find((one) => one.name === name);
    const title =
      known === undefined ? `compare with the gateway of ${name}` : `${describePlan(known)} · compare again`;
    return { range, command: { title, command: COMPARE, arguments: [name] } };
  });
}

const TOP: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** `prod: 2 changes, as of 2026-11-26 14:03 UTC` */
export function describePlan({ name, plan, isBlocked, cannotTell, takenAt }: PlanOf): string {
  const count = plan.changes.filter((change) => !('step' in change)).length;
  const where = cannotTell === 0 ? '' : ' in what was compared';
  const found = isBlocked
    ? 'blocked by errors, which gwconf plan shows'
    : `${count === 0 ? 'no changes' : formatCount(count, 'change')}${where}`;
  return `${name}: ${found}, as of ${minuteOf(takenAt)}`;
}

const WORDS = { add: 'add', remove: 'remove', set: 'change' };

/** Whether a gateway has an object, by the plans of the environments that declare it; undefined if some of them have no plan. */
export function isLiveBy(
  { environments }: Look,
  plans: readonly PlanOf[],
  address: Address,
): boolean | undefined {
  const planned = plans.filter(({ declared }) => declared.has(address));
  const isCreated = ({ plan }: PlanOf): boolean =>
    plan.changes.some((one) => one.action === 'create' && one.address === address);
  if (!planned.every(isCreated)) return true;
  return planned.length < environments.filter(({ declared }) => declared.has(address)).length
    ? undefined
    : false;
}
