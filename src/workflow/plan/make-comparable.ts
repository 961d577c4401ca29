import type { KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { DesiredState, Template } from '../../model/state.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { liveSecretPlaces, type IsSecret } from '../../plan/change/former-secrets.ts';
import { applyIgnoreRules } from '../../plan/change/ignore.ts';
import { makeMatcher, type Matcher } from '../../plan/change/select.ts';
import { countKinds } from '../../plan/checks/limits.ts';
import { isExpired } from '../../plan/checks/ownership.ts';
import type { Side, UncomparedBetween } from '../../plan/compare/compare-states.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import type { LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import {
  sealedPlaces,
  unsealFor,
  type Unsealed,
  type Restorable,
} from '../../plan/saved/restore-snapshot.ts';
import { isCi } from '../ci.ts';
import { withDigests } from '../digests.ts';
import type { Host } from '../host.ts';
import { todayOf } from '../project/input.ts';
import type { Contents } from './compare-source.ts';

/** Two sources whose resources can be compared, and what of them cannot. */
type Pair = {
  readonly from: Side;
  readonly to: Side;
  readonly uncompared: readonly UncomparedBetween[];
  readonly ignored: number;
  readonly unmanaged: number;
};

type Resources = ReadonlyMap<Address, Resource>;

/** Takes out of two sources what cannot be compared, or is not meant to be. */
export async function makeComparable(
  host: Host,
  kinds: KindSet,
  from: Contents,
  to: Contents,
  isSecret: IsSecret | undefined,
  isSelected: Matcher,
): Promise<Pair> {
  const unsealed = await unsealBoth(host, kinds, from, to);
  const adopted = adoptBoth(unsealed, from, to);
  const sides = sidesOf(from, to);
  const { ignored, ...draft } =
    sides === undefined ? { ...adopted, ignored: 0 } : ignore(kinds, adopted, sides, todayOf(host));
  const managed = sides === undefined ? draft : keepManaged(kinds, draft, sides);
  const others = [managed.to, managed.from].map((resources) =>
    countKinds([...resources.keys()].filter(isSelected)),
  );
  return {
    from: sideOf(kinds, from, managed.from, isSecret),
    to: sideOf(kinds, to, managed.to, isSecret),
    uncompared: [
      ...[from, to].flatMap(({ unavailable }, at) =>
        [...unavailable].map(([kind, words]): UncomparedBetween => ({
          reason: 'unavailable',
          side: at === 0 ? 'from' : 'to',
          kind,
          words,
          objects: others[at]?.[kind] ?? 0,
        })),
      ),
      ...withoutRepeats(managed.uncompared),
    ],
    ignored,
    unmanaged: draft.from.size + draft.to.size - managed.from.size - managed.to.size,
  };
}

function sideOf(
  kinds: KindSet,
  { source, desired, unavailable }: Contents,
  resources: Resources,
  isSecret: IsSecret | undefined,
): Side {
  const isFiles = source.type === 'files';
  const sealed = source.type === 'snapshot' ? sealedPlaces(source.snapshot, kinds) : undefined;
  return {
    resources,
    unavailable,
    placeOf: (address) => (isFiles ? desired.get(address)?.at : undefined),
    secretsOf: (address, resource, kind) =>
      isFiles
        ? secretPlaces(kind, resource, desired.get(address)?.templates)
        : [
            ...liveSecretPlaces(resource, kind, desired.get(address), isSecret),
            ...(sealed?.get(address) ?? []),
          ],
  };
}

/** Fields of files without a value have that of the other side. */
function adoptBoth({ from, to, uncompared }: Draft, left: Contents, right: Contents): Draft {
  const first = adoptFrom(to, from, left);
  const second = adoptFrom(first.resources, to, right);
  const open = [...first.open, ...second.open].filter(({ address, path }) => {
    const [one, other] = [left, right].map(({ desired }) => desired.get(address)?.templates?.get(path));
    return !isSameTemplate(one, other);
  });
  return { from: first.resources, to: second.resources, uncompared: [...uncompared, ...open] };
}

type Field = Extract<UncomparedBetween, { readonly reason: 'cannot-tell' }>;

function adoptFrom(others: Resources, resources: Resources, { source, desired }: Contents) {
  if (source.type !== 'files') return { resources, open: [] };
  const { value, problems } = adoptUnsetFields(
    withResources(desired, resources),
    { resources: others, unavailable: new Map() },
    () => '',
  );
  const open = problems.flatMap(({ address, path }): readonly Field[] =>
    address === undefined || path === undefined
      ? []
      : [{ reason: 'cannot-tell', address, path, because: 'variable' }],
  );
  return { resources: resourcesOf(value), open };
}

/** The same variables have the same values in all environments, except for those of the environment. */
function isSameTemplate(one: Template | undefined, other: Template | undefined): boolean {
  if (one === undefined || other === undefined || one.text !== other.text) return false;
  return !(one.open ?? []).some((name) => /^(?:var\.|exec:)/.test(name));
}

/** What rules of the environment ignore on its gateway is the same there and in its files. */
function ignore(
  kinds: KindSet,
  draft: Draft,
  { files, gateway }: Sides,
  today: string,
): Draft & { readonly ignored: number } {
  const { environment } = files.contents.source;
  if (environment === undefined || environment !== gateway.contents.source.environment)
    return { ...draft, ignored: 0 };
  const rules = (files.contents.source.workspace.environment?.ignore ?? []).filter(
    (rule) => !isExpired(rule, today),
  );
  const { desired, isIgnored, ignored } = applyIgnoreRules(
    withResources(files.contents.desired, draft[files.side]),
    { resources: draft[gateway.side], unavailable: new Map() },
    rules,
    kinds,
  );
  const rest = new Map([...draft[gateway.side]].filter(([address]) => !isIgnored(address)));
  return { ...draft, [files.side]: resourcesOf(desired), [gateway.side]: rest, ignored: ignored.length };
}

/** Leaves out objects that only a gateway has, and that its environment does not manage. */
function keepManaged(kinds: KindSet, draft: Draft, { files, gateway }: Sides): Draft {
  const { manages, external = [] } = gateway.contents.source.workspace.environment ?? {};
  const isManaged = manages === undefined ? () => true : makeMatcher(manages, kinds);
  const isExternal = compileGlobs(external.map(({ address }) => address));
  const declared = draft[files.side];
  const kept = [...draft[gateway.side]].filter(
    ([address]) => declared.has(address) || (isManaged(address) && !isExternal(address)),
  );
  return { ...draft, [gateway.side]: new Map(kept) };
}

type SideContents = { readonly side: 'from' | 'to'; readonly contents: Contents };
/** Files, and the gateway or snapshot that they are compared with. */
type Sides = { readonly files: SideContents; readonly gateway: SideContents };

/** Undefined for other sources. */
function sidesOf(from: Contents, to: Contents): Sides | undefined {
  const [left, right]: [SideContents, SideContents] = [
    { side: 'from', contents: from },
    { side: 'to', contents: to },
  ];
  const [isLeft, isRight] = [from, to].map(({ source }) => source.type === 'files');
  if (isLeft === isRight) return undefined;
  return isLeft === true ? { files: left, gateway: right } : { files: right, gateway: left };
}

function withResources(desired: DesiredState, resources: Resources): DesiredState {
  return new Map(
    [...desired].map(([address, declared]) => [
      address,
      { ...declared, resource: resources.get(address) ?? declared.resource },
    ]),
  );
}

function resourcesOf(desired: DesiredState): Resources {
  return new Map([...desired].map(([address, { resource }]) => [address, resource]));
}

function withoutRepeats(fields: readonly UncomparedBetween[]): readonly UncomparedBetween[] {
  return [...new Map(fields.map((field) => [JSON.stringify(field), field])).values()];
}

/** The resources of both sides, and what of them cannot be compared. */
type Draft = {
  readonly from: Resources;
  readonly to: Resources;
  readonly uncompared: readonly UncomparedBetween[];
};

/** The resources of snapshots, with secrets restored that the other side has. */
async function unsealBoth(host: Host, kinds: KindSet, from: Contents, to: Contents): Promise<Draft> {
  const [left, right] = [from.source, to.source];
  if (left.type === 'snapshot' && right.type === 'snapshot')
    return unsealTwo(kinds, left.snapshot, right.snapshot);
  if (left.type === 'snapshot') {
    const { resources, others, uncompared } = await unsealBeside(host, kinds, left.snapshot, to);
    return { from: resources, to: others, uncompared };
  }
  if (right.type === 'snapshot') {
    const mirrored = await unsealBoth(host, kinds, to, from);
    return { ...mirrored, from: mirrored.to, to: mirrored.from };
  }
  return { from: from.resources, to: to.resources, uncompared: [] };
}

/** In CI, a snapshot may have guesses of the secrets of a gateway, so these are not compared with it. */
function unsealBeside(
  host: Host,
  kinds: KindSet,
  snapshot: LiveSnapshot,
  { source, resources, desired }: Contents,
): Promise<Unsealed> {
  const others = restorable(resources, desired);
  if (source.type === 'live' && isCi(host.env))
    return Promise.resolve(unsealFor(snapshot, others, kinds, undefined));
  return withDigests(host, snapshot.salt, (slow) => unsealFor(snapshot, others, kinds, slow));
}

/** Each snapshot has its own salt, so the digests of two cannot be compared; those of one and the same are equal. */
function unsealTwo(kinds: KindSet, left: LiveSnapshot, right: LiveSnapshot): Draft {
  const unseal = (snapshot: LiveSnapshot, others: Resources): Unsealed =>
    unsealFor(snapshot, restorable(others), kinds, undefined);
  const first = unseal(left, unseal(right, new Map()).resources);
  const second = unseal(right, first.resources);
  const uncompared = left.digest === right.digest ? [] : [...first.uncompared, ...second.uncompared];
  return { from: second.others, to: first.others, uncompared };
}

function restorable(
  resources: Resources,
  desired: DesiredState = new Map(),
): ReadonlyMap<Address, Restorable> {
  return new Map(
    [...resources].map(([address, resource]) => [address, { ...desired.get(address), resource }]),
  );
}
