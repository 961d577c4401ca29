import { groupBy } from '../../model/collect.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import { valueAt, type Json } from '../../model/json/json.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { isSound, kindOf, parseAddress, printAddress, type Address } from '../../model/resource.ts';
import { placeOf } from '../../model/state.ts';
import { compileGlobs, compileRules } from '../../model/text/glob.ts';
import { isAscii, spellOut } from '../../model/text/confusables.ts';
import { KnownNames } from '../../model/text/known-names.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isBuiltIn } from '../change/select.ts';
import { isPlanned, type World, type PlannedWorld } from './world.ts';

/**
 * References to what is not there. Without a plan the gateway may still have it: each is a warning, unless the rules say
 * that others manage it. With a plan, to what will not be on the gateway: each is an error.
 */
export function* checkReferences(world: World): Generator<Problem> {
  const { desired, declared = desired, kinds, rules } = world;
  const planned = isPlanned(world) ? world : undefined;
  const isExternal = compileGlobs((rules.external ?? []).map(({ address }) => address));
  let known: ReadonlyMap<string, readonly Address[]> | undefined;
  let count = 0;
  const suggestFor = (address: Address): string | undefined => {
    known ??= groupBy([...declared.keys(), ...(planned?.live.resources.keys() ?? [])], kindOf);
    // Suggestions for the first few only: each costs time, and ten thousand help as little.
    return count < 50 ? suggest(address, known.get(kindOf(address)) ?? []) : undefined;
  };
  const isThere = (to: Address): boolean =>
    planned === undefined
      ? isExternal(to)
      : planned.live.resources.has(to) && planned.changes.get(to)?.action !== 'delete';
  for (const one of declared.values()) {
    const { address, resource } = one;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || planned?.isSelected(address) === false) continue;
    for (const { to, path } of referencesOf(resource, kind)) {
      if (isThere(to) || isBuiltIn(to, kinds) || !isSound(one, [path])) continue;
      const isLeftOut = declared.has(to);
      if (isLeftOut && (planned?.isSelected(to) !== false || !planned.changes.has(address))) continue;
      const isDeleted = planned?.live.resources.has(to) === true;
      const near = isLeftOut || isDeleted ? undefined : suggestFor(to);
      const state = isLeftOut
        ? 'is declared but left out of this plan, and the gateway does not have it'
        : `no file declares${isDeleted ? ' and this plan deletes' : planned === undefined ? '' : ' and the gateway does not have'}`;
      yield {
        code: 'dangling-reference',
        severity: planned === undefined ? 'warning' : 'error',
        message: `${address} refers to ${to}, which ${state}`,
        at: placeOf(one, path),
        address,
        path,
        hint: isLeftOut
          ? `select ${to} too`
          : `declare ${to}${near === undefined ? '' : `; or did you mean ${near}?`}`,
        maybe: near && nameInPlaceOf(valueAt(resource, path), to, near),
      };
      count += 1;
    }
  }
}

/** The name that makes a reference to one object one to another, where the name alone does. */
function nameInPlaceOf(written: Json | undefined, to: Address, near: string): string | undefined {
  const [before, after] = [parseAddress(to), parseAddress(near)];
  if (before === undefined || after === undefined || written !== before.name) return undefined;
  return printAddress({ ...before, name: after.name }) === near ? after.name : undefined;
}

/**
 * Declared names that look like another of the same kind and virtual cluster, declared or on the gateway. Names in plain ASCII
 * are compared without case only: 0 and O, or 1 and l, are in many honest names.
 */
export function* checkSimilarNames(world: World): Generator<Problem> {
  const { desired, declared = desired } = world;
  const planned = isPlanned(world) ? world : undefined;
  const others = [...(planned?.live.resources.keys() ?? [])].filter(
    (address) => !declared.has(address) && planned?.changes.get(address)?.action !== 'delete',
  );
  const known = new KnownNames([...others, ...declared.keys()].every(isAscii), keyOf);
  for (const address of others) known.add(address);
  for (const one of declared.values()) {
    const { address } = one;
    const other = known.add(address);
    if (other === undefined || planned?.isSelected(address) === false) continue;
    const isCase = address.toLowerCase() === other.toLowerCase();
    yield makeProblem({
      code: 'similar-names',
      message: isCase
        ? `${address} differs from ${other} only in upper and lower case`
        : `${spellOut(address)} looks like ${spellOut(other)}`,
      at: placeOf(one, '/metadata/name'),
      address,
      path: '/metadata/name',
      hint: 'rename one of them, unless both are intended',
    });
  }
}

/**
 * Virtual clusters of which the name of one begins with that of another: whatever begins with the name of a virtual cluster is for its
 * clients.
 */
export function* checkClusterNames(world: World): Generator<Problem> {
  const { desired, declared = desired, kinds } = world;
  const planned = isPlanned(world) ? world : undefined;
  const kept = [...(planned?.live.resources.keys() ?? [])].filter(
    (address) => !declared.has(address) && planned?.changes.get(address)?.action !== 'delete',
  );
  const isCluster = (address: Address): boolean =>
    kinds.get(kindOf(address))?.builtIn.includes(PASSTHROUGH) === true && !isBuiltIn(address, kinds);
  const addresses = new Map(
    [...kept, ...declared.keys()].flatMap((address) =>
      isCluster(address) ? [[parseAddress(address)?.name ?? '', address] as const] : [],
    ),
  );
  for (const [name, longer] of addresses) {
    const start = Array.from(name, (_, at) => name.slice(0, at)).findLast((text) => addresses.has(text));
    const shorter = start === undefined ? undefined : addresses.get(start);
    const one = declared.get(longer) ?? (shorter === undefined ? undefined : declared.get(shorter));
    if (start === undefined || shorter === undefined || one === undefined) continue;
    if (planned?.isSelected(one.address) === false) continue;
    yield makeProblem({
      code: 'shared-prefix',
      message: `the name of ${longer} begins with that of ${shorter}: clients of ${start} have the topics of ${name}, too, as ${name.slice(start.length)}…, without its interceptors and ACLs`,
      at: placeOf(one, '/metadata/name'),
      address: one.address,
      path: '/metadata/name',
      hint: 'use names of which none begins with another, unless that is intended',
    });
  }
}

/** The address with all but its virtual cluster changed: similar virtual clusters have a warning of their own. */
function keyOf(address: Address, change: (text: string) => string): string {
  const [name = '', scope = ''] = address.split('@');
  const axes = scope.split(',').map((axis) => (axis.startsWith('vCluster=') ? axis : change(axis)));
  return `${change(name)}@${axes.join(',')}`;
}

/** A search for a similar address takes time, and the first few are enough. */
const MOST_SUGGESTIONS = 10;

/** Globs of `--target`, and addresses of `--exclude`, that match nothing, such as a typing mistake. */
export function* checkSelection(
  world: Pick<PlannedWorld, 'selection' | 'removals' | 'kinds'> & {
    readonly desired: ReadonlyMap<Address, unknown>;
    readonly live: { readonly resources: ReadonlyMap<Address, unknown> };
  },
): Generator<Problem> {
  const { selection, desired, live, removals, kinds } = world;
  // A glob of --exclude may be there in case that something matches.
  const excluded = selection.exclude.filter((written) => !written.includes('*'));
  const given = [...fromFlag('target', selection.target), ...fromFlag('exclude', excluded)];
  if (given.length === 0) return;
  const found = [...desired.keys(), ...live.resources.keys(), ...removals.map(({ address }) => address)];
  const known = new Set(found.filter((address) => !isBuiltIn(address, kinds)));
  const findMatching = compileRules(given, ({ glob }) => glob);
  const matched = new Set<Given>();
  for (const address of known) {
    for (const one of findMatching(address)) matched.add(one);
    if (matched.size === given.length) return;
  }
  for (const [at, { flag, written, glob }] of given.filter((one) => !matched.has(one)).entries()) {
    const near = at < MOST_SUGGESTIONS ? suggest(glob, known) : undefined;
    yield makeProblem({
      code: 'unmatched-target',
      // `import` has its globs without a flag.
      message: `${flag === 'target' ? '' : '--exclude '}${written} matches no object in the files or on the gateway`,
      hint:
        near === undefined
          ? 'use addresses as plan prints them; * matches any text'
          : `did you mean ${near}?`,
    });
  }
}

type Given = { readonly flag: 'target' | 'exclude'; readonly written: string; readonly glob: string };

function fromFlag(flag: Given['flag'], globs: readonly string[]): readonly Given[] {
  return globs.map((written) => ({ flag, written, glob: written.replace(/^!/, '') }));
}
