import {
  canonicalText,
  parsePointer,
  placesOf,
  valueAt,
  type Pattern,
  type Pointer,
  isTextOrNumber,
  sameJson,
} from '../../model/json/json.ts';
import { type Kind, knownKind, type KindSet } from '../../model/kind.ts';
import { requestBody, normalForm } from '../../model/normal/normal-form.ts';
import type { Resource, Address } from '../../model/resource.ts';
import { anyItem, secretPlaces } from '../../model/secrets/secrets.ts';
import type { Template } from '../../model/state.ts';
import { diffResources } from '../change/diff-resources.ts';
import {
  type Change,
  type ChangeId,
  type DraftChange,
  formerSources,
  marksOf,
  templatesOf,
  afterOf,
  beforeOf,
  idOf,
  isStep,
} from '../change/change.ts';
import type { Loss } from '../change/plan.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import { assessChanges } from '../exposure/assess.ts';
import { orderSafely } from '../exposure/order-safely.ts';
import { makeBridge } from '../order/extra-steps.ts';
import type { KnownSecrets } from '../secrets/hide-in-chains.ts';

/** The source of a former secret: the gateway, at any index of its list, or the environment. */
export type SecretOrigin = { readonly live: Pattern } | { readonly template: Template };

/** A change that reverts another one, the sources of its secrets, and what is not restored. */
export type Reversal = {
  readonly change: DraftChange;
  readonly origins: ReadonlyMap<Pointer, SecretOrigin>;
  readonly losses: readonly Loss[];
};

/** Reverts a change of a run, given with its secrets; a Loss if that is impossible. */
export function reverseChange(made: Change, kind: Kind): Reversal | Loss {
  const { address } = made;
  if (made.action === 'create') {
    const { after, templates } = made;
    const change = { action: 'delete', address, before: after, ...(templates && { templates }) } as const;
    return { change, origins: new Map(), losses: [] };
  }
  const former = requestBody(kind, made.before); // without fields that the gateway sets
  const { origins, lost } = originsOf(former, made, kind);
  if (lost !== undefined) {
    const reason = `gwconf does not store its secret at ${lost}; to restore it, declare it in a file with this secret, and run gwconf apply`;
    return { address, leftOut: true, reason };
  }
  const templates = { ...made.templates, ...templatesAt(origins) };
  const about = {
    ...{ address, ...marksOf(made) },
    ...(Object.keys(templates).length === 0 ? {} : { templates }),
  };
  const change: DraftChange | undefined =
    made.action === 'delete'
      ? { action: 'create', ...about, after: former }
      : diffResources(made.after, former, kind, about);
  if (change === undefined) throw new Error(`${address} was not changed`);
  const losses = [
    ...(made.action === 'update' || kind.holds === undefined ? [] : [`is restored without ${kind.holds}`]),
    ...conditions(origins),
  ].map((reason) => ({ address, leftOut: false, reason }));
  return { change, origins, losses };
}

/** The source of each secret in the former value; `lost` is the first without one. */
function originsOf(
  former: Resource,
  made: Exclude<Change, { action: 'create' }>,
  kind: Kind,
): { readonly origins: ReadonlyMap<Pointer, SecretOrigin>; readonly lost: Pointer | undefined } {
  const sources = formerSources(made);
  const left = made.action === 'delete' ? undefined : made.after;
  const kept = left === undefined ? new Set<Pointer>() : secretPlaces(kind, left, sources);
  const onGateway = new Map([...kept].map((place) => [canonicalText(valueAt(left, place) ?? null), place]));
  const known = secretPlaces(kind, former, sources);
  const origins = new Map<Pointer, SecretOrigin>();
  for (const place of known) {
    const text = canonicalText(valueAt(former, place) ?? null);
    // Only where it stayed is a former secret still known to be one.
    const isStill = kept.has(place) && canonicalText(valueAt(left, place) ?? null) === text;
    const isFormer = made.formerSecrets?.includes(anyItem(place)) === true;
    const live = isStill ? place : isFormer ? undefined : onGateway.get(text);
    const template = templateAt(place, made);
    if (live !== undefined) origins.set(place, { live: anyItem(live) });
    else if (template !== undefined) origins.set(place, { template });
    else return { origins, lost: place };
  }
  // A place that has a secret now may have had one before.
  const lost = [...kept]
    .flatMap((place) => placesOf(former, parsePointer(anyItem(place))))
    .find(({ pointer, value }) => !known.has(pointer) && isTextOrNumber(value));
  return { origins, lost: lost?.pointer };
}

/** The template of a place; if its list has changed, the only template of a matching place. */
function templateAt(place: Pointer, { templates }: Change): Template | undefined {
  const all = [...templatesOf(templates)].filter(([pointer]) => anyItem(pointer) === anyItem(place));
  const exact = all.find(([pointer]) => pointer === place);
  const texts = new Set(all.map(([, { text }]) => text));
  return (exact ?? (texts.size === 1 ? all[0] : undefined))?.[1];
}

function templatesAt(origins: ReadonlyMap<Pointer, SecretOrigin>): Change['templates'] {
  return Object.fromEntries(
    [...origins].flatMap(([place, origin]) => ('template' in origin ? [[place, origin.template]] : [])),
  );
}

function conditions(origins: ReadonlyMap<Pointer, SecretOrigin>): readonly string[] {
  const variables = new Set(
    [...origins.values()].flatMap((origin) => ('template' in origin ? origin.template.variables : [])),
  );
  return [...variables].sort().map((name) => `is restored only while ${name} has its former value`);
}

/**
 * The changes of an undo in an order for what its run has left, which may have stopped anywhere: the order was worked out for a run
 * that ends. They stay as they are if no principal lacks protection on the way, or if another order would not change that. It has
 * temporary copies where they are needed, and deletes those of an earlier try; `seal` makes these steps ready.
 */
export function orderLeft<C extends Change>(
  undo: readonly C[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  seal: (step: Change) => C,
  protection: ProtectionRules = {},
  known: KnownSecrets = {},
): readonly C[] {
  const isAsIn = (address: Address, one: Resource | undefined, other: Resource | undefined): boolean => {
    if (one === undefined || other === undefined) return one === other;
    const kind = knownKind(address, kinds);
    return sameJson(normalForm(kind, one), normalForm(kind, other));
  };
  const isOpen = (change: C): boolean => !isAsIn(change.address, live.get(change.address), afterOf(change));
  const copies = findCopies(undo, kinds);
  const isCopy = (address: Address, body: Resource | undefined): boolean =>
    body !== undefined && isAsIn(address, body, copies.get(address)?.body);
  const found = new Set([...copies.keys()].filter((address) => isCopy(address, live.get(address))));
  for (const one of undo) if (one.action === 'create') found.delete(one.address);
  // The delete of a copy of the run itself has the same id.
  const changes = [
    ...undo.filter(({ address }) => !found.has(address)),
    ...[...copies].flatMap(([address, { own, remove }]) =>
      found.has(address) ? [seal({ ...remove, dependsOn: [own], stage: 2 })] : [],
    ),
  ];

  const made = new Set(changes.filter((one) => !isStep(one) && !isOpen(one)).map(({ address }) => address));
  const left = changes.filter(({ address }) => !made.has(address));
  const gaps = countGaps(assessChanges(live, left, kinds, protection, known).exposures);
  if (gaps === 0) return changes;

  const isTemporary = (change: C): boolean =>
    isStep(change) && change.action === 'delete' && live.has(change.address);
  const drafts = left
    .filter((change) => !isStep(change) || isTemporary(change))
    .map((change): DraftChange => {
      const now = live.get(change.address);
      return change.action === 'create' || now === undefined ? change : { ...change, before: now };
    });
  const { changes: anew, cycles, exposures } = orderSafely(drafts, live, kinds, protection, undefined, known);
  const kept = new Map(changes.map((change) => [idOf(change), change]));
  const placed = anew.flatMap((change): readonly C[] => {
    const own = kept.get(idOf(change));
    const isSame = own !== undefined && (!isStep(change) || sameBody(own, change));
    if (isSame) return [{ ...own, dependsOn: change.dependsOn, stage: change.stage }];
    // What the undo cannot copy, the next try would not find again; and what is live may hold a secret that it knows of.
    const isNewCopy = isStep(change) && isCopy(change.address, afterOf(change) ?? beforeOf(change));
    return isNewCopy ? [seal(change)] : [];
  });
  if (cycles.length > 0 || placed.length < anew.length || countGaps(exposures) >= gaps) return changes;
  const rest = changes
    .filter(({ address }) => made.has(address))
    .map((change) => ({ ...change, dependsOn: [], stage: 1 as const }));
  return [...rest, ...placed];
}

type Copy = { readonly body: Resource; readonly own: ChangeId; readonly remove: DraftChange };

/** The temporary copies of what the updates of an undo find, by address; an object with a secret has none. */
function findCopies(undo: readonly Change[], kinds: KindSet): ReadonlyMap<Address, Copy> {
  return new Map(
    undo.flatMap((change) => {
      const bridge = makeBridge(change, kinds);
      const body = bridge && afterOf(bridge.create);
      if (bridge === undefined || body === undefined) return [];
      return [[bridge.create.address, { body, own: idOf(change), remove: bridge.remove }] as const];
    }),
  );
}

function countGaps(exposures: readonly { readonly lasting: boolean }[]): number {
  return exposures.filter(({ lasting }) => !lasting).length;
}

function sameBody(one: Change, other: Change): boolean {
  return one.action === other.action && sameJson(afterOf(one) ?? null, afterOf(other) ?? null);
}
