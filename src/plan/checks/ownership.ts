import { makeProblem, type Place, type Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Removal, IgnoreRule } from '../../model/rules.ts';
import { placeOf, type Overlay } from '../../model/state.ts';
import { compileGlob, compileRules } from '../../model/text/glob.ts';
import { list } from '../../model/text/list.ts';
import { suggest } from '../../model/text/suggest.ts';
import { makeMatcher } from '../change/select.ts';
import type { DesiredWorld, PlannedWorld } from './world.ts';
import { addTo } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import { asWritten } from '../../model/secrets/secrets.ts';

/** Where files contradict themselves, or the rules of their project. */
export function* checkOwnership(world: DesiredWorld): Generator<Problem> {
  yield* findUnmanaged(world);
  yield* findExternal(world);
  yield* findIgnored(world);
  yield* findDeclared(world);
  yield* findInvalidMoves(world);
}

type Named = { readonly address: Address; readonly verb: 'declared' | 'removed'; readonly place: Place };

/** What files declare or remove, with its place. */
function* listWritten({ desired, declared = desired, removals }: DesiredWorld): Generator<Named> {
  for (const one of declared.values())
    yield { address: one.address, verb: 'declared', place: placeOf(one, '/metadata/name') };
  for (const { address, place } of removals) yield { address, verb: 'removed', place };
}

function* findUnmanaged(world: DesiredWorld): Generator<Problem> {
  const { manages } = world.rules;
  if (manages === undefined) return;
  const isManaged = makeMatcher(manages, world.kinds);
  // `*@vCluster=prod` ends where the scope goes on.
  const wider = manages.map((own) => `${own},*`).map((glob) => ({ glob, isMatch: compileGlob(glob) }));
  for (const { address, verb, place } of listWritten(world)) {
    if (isManaged(address)) continue;
    const near = wider.find(({ isMatch }) => isMatch(address))?.glob;
    yield makeProblem({
      code: 'not-managed',
      message: `${address} is ${verb} but not matched by manages: ${list(manages)}`,
      at: place,
      address,
      hint:
        near === undefined
          ? 'take it out, or add it to manages in gwconf.yaml'
          : `add ${near} to manages in gwconf.yaml, for scopes with a group or a user; or take it out`,
    });
  }
}

function* findExternal(world: DesiredWorld): Generator<Problem> {
  const { external = [] } = world.rules;
  if (external.length === 0) return;
  const rulesFor = compileRules(external, ({ address }) => address);
  for (const { address, verb, place } of listWritten(world)) {
    const [found] = rulesFor(address);
    if (found === undefined) continue;
    const message = `${address} is ${verb}, but it is external: others manage it`;
    yield contradiction(address, message, place, found.place, 'keep one of the two');
  }
}

function* findIgnored({ removals, rules }: DesiredWorld): Generator<Problem> {
  const whole = (rules.ignore ?? []).filter(({ path }) => path === undefined);
  const rulesFor = compileRules(whole, ({ address }) => address);
  for (const { address, place } of removals) {
    const [found] = rulesFor(address);
    if (found === undefined) continue;
    const message = `${address} is removed, and ignore leaves it alone`;
    yield contradiction(address, message, place, found.place, 'keep one of the two');
  }
}

function* findDeclared({ desired, declared = desired, removals }: DesiredWorld): Generator<Problem> {
  for (const { address, to, place } of removals) {
    const found = to === undefined ? declared.get(address) : undefined;
    if (found === undefined) continue;
    const message = `${address} is removed, and declared as well`;
    yield contradiction(address, message, place, placeOf(found, '/metadata/name'), 'remove one of the two');
  }
}

function contradiction(address: Address, message: string, at: Place, also: Place, hint: string): Problem {
  return makeProblem({ code: 'contradiction', message, at, also, address, hint });
}

function* findInvalidMoves({ desired, declared = desired, removals }: DesiredWorld): Generator<Problem> {
  const ends = new Map<Address, Removal>();
  let suggestions = 0;
  for (const removal of removals) {
    const { address: from, to, place } = removal;
    if (to === undefined) continue;
    const invalid = (message: string, hint: string, at: Place, also?: Place): Problem => ({
      ...makeProblem({ code: 'invalid-move', message, at }),
      ...(also === undefined ? {} : { also }),
      ...{ address: from, hint },
    });
    if (from === to.address) {
      yield invalid(`${from} is moved to itself`, 'remove the entry', place);
      continue;
    }
    const moved = `${from} is moved to ${to.address}`;
    if (kindOf(from) !== kindOf(to.address)) {
      const message = `${from} cannot become ${to.address}, which is of another kind`;
      yield invalid(message, 'name two of one kind', to.place);
    }
    if (!declared.has(to.address)) {
      // Suggestions for the first few only: each compares all addresses.
      const near = suggestions++ < 50 ? nearest(to.address, declared) : undefined;
      const hint = `declare ${to.address}${near === undefined ? '' : `; or did you mean ${near}?`}`;
      yield { ...invalid(`${moved}, which no file declares`, hint, to.place), maybe: near };
    }
    const still = declared.get(from);
    if (still !== undefined) {
      const also = placeOf(still, '/metadata/name');
      yield invalid(`${moved}, and still declared`, 'remove its declaration', place, also);
    }
    const before = ends.get(from);
    if (before !== undefined)
      yield invalid(`${from} is moved twice`, 'keep one of the two', place, before.place);
    ends.set(from, removal);
  }
}

/** Objects that are on the gateway and become one: of a client, an interceptor or a topic only one can go on. */
export function* checkMerges({ changes, removals }: PlannedWorld): Generator<Problem> {
  const taken = new Map<Address, Removal>();
  for (const removal of removals) {
    const { address, to, place } = removal;
    const change = changes.get(address);
    if (to === undefined || change?.action !== 'delete' || change.movedTo !== to.address) continue;
    const other = taken.get(to.address);
    taken.set(to.address, removal);
    if (other === undefined) continue;
    yield makeProblem({
      code: 'invalid-move',
      message: `${other.address} and ${address} are both on the gateway, and both are moved to ${to.address}`,
      at: place,
      also: other.place,
      address,
      hint: 'keep one of the two under moved, and list the other under remove',
    });
  }
}

function nearest(address: Address, declared: ReadonlyMap<Address, unknown>): string | undefined {
  const known = [...declared.keys()].filter((other) => kindOf(other) === kindOf(address));
  return suggest(address, known);
}

/** A run that deletes what no file declares, where no rule says what the files are responsible for. */
export function* checkPrune({ prune, rules }: DesiredWorld): Generator<Problem> {
  if (prune !== true || rules.manages !== undefined) return;
  yield makeProblem({
    code: 'prune-without-manages',
    message: 'prune deletes only what manages matches, and manages is not set',
    hint: "add --manages GLOB, for example --manages '*@vCluster=payments*', or manages in gwconf.yaml",
  });
}

/** Expired removals; each document is reported once. */
export function* checkExpiredRemovals({ removals, today }: DesiredWorld): Generator<Problem> {
  const seen = new Set<object>();
  for (const { address, expires, place } of removals) {
    const document = 'document' in place ? place.document : place;
    if (expires === undefined || today === undefined || expires >= today || seen.has(document)) continue;
    seen.add(document);
    yield makeProblem({
      code: 'expired-removal',
      message: `the removal of ${address} expired after ${expires}`,
      at: 'document' in place ? { ...place, path: '/spec/expires' } : place,
      address,
      hint: 'remove the document',
    });
  }
}

/** Temporary objects of runs that stopped, which the project does not let this plan delete. */
export function* checkLeftovers({
  desired,
  live,
  rules: { manages },
  kinds,
}: PlannedWorld): Generator<Problem> {
  if (manages === undefined) return;
  const isManaged = makeMatcher(manages, kinds);
  for (const [address, resource] of live.resources) {
    const isLeft = kinds.get(kindOf(address))?.isBridge?.(resource) === true && !desired.has(address);
    if (!isLeft || isManaged(address)) continue;
    yield {
      code: 'not-managed',
      severity: 'warning',
      message: `a run that stopped left ${address} behind, and it is not matched by manages: ${list(manages)}`,
      address,
      hint: 'resume or undo that run, or delete it where it is managed',
    };
  }
}

/** Whether the last day of the rule has passed. */
export function isExpired({ until }: Pick<IgnoreRule, 'until'>, today: string | undefined): boolean {
  return until !== undefined && today !== undefined && until < today;
}

/** Rules that have expired: what they ignored would be changed. */
export function* checkExpiredRules(world: Pick<DesiredWorld, 'rules' | 'today'>): Generator<Problem> {
  for (const rule of world.rules.ignore ?? []) {
    if (!isExpired(rule, world.today)) continue;
    yield makeProblem({
      code: 'expired-acceptance',
      message: `${nameOf(rule)} was ignored until ${rule.until ?? ''}`,
      at: rule.place,
      hint: `have ${rule.owner ?? 'its owner'} remove it, or set a later day`,
    });
  }
}

/** Rules that ignore nothing: a typing mistake, or an object that is gone. */
export function* checkUnusedRules({ unusedRules }: PlannedWorld): Generator<Problem> {
  for (const rule of unusedRules)
    yield makeProblem({
      code: 'unmatched-ignore',
      message:
        rule.path === undefined
          ? `nothing that is declared or live matches ${rule.address} of an ignore rule`
          : `${nameOf(rule)} is ignored, and nothing that is declared or live has it`,
      at: rule.place,
      hint: 'correct or remove the rule',
    });
}

/** Changes that would be refused for a value that a rule on what to ignore takes from the gateway. */
export function* checkIgnoredValues(world: PlannedWorld): Generator<Problem> {
  const { desired, changes, kinds, ignored, context = {} } = world;
  const rules = new Map<Address, Pointer[]>();
  for (const { address, path } of ignored)
    if (path !== undefined && changes.has(address)) addTo(rules, address, path);
  for (const [address, paths] of rules) {
    const declared = desired.get(address);
    const checked = declared && kinds.get(kindOf(address))?.check({ resource: asWritten(declared) }, context);
    const broken = checked?.find(({ severity }) => severity === 'error');
    if (declared === undefined || broken === undefined) continue;
    const [are, keep, it] = paths.length === 1 ? ['is', 'keeps its', 'it'] : ['are', 'keep their', 'them'];
    yield {
      code: broken.code,
      severity: 'error',
      message: `${address}: ${broken.message}; ${list(paths)} ${are} ignored and ${keep} value on the gateway`,
      at: placeOf(declared, broken.path, broken.on ?? 'value'),
      address,
      path: broken.path,
      hint: `take the rule for ${list(paths)} of ${address} out of ignore in gwconf.yaml, or keep what depends on ${it} as it is on the gateway`,
    };
  }
}

/** What a rule is about, in words. */
export function nameOf({ address, path }: Pick<IgnoreRule, 'address' | 'path'>): string {
  return path === undefined ? address : `${path} of ${address}`;
}

/** Which file changes documents of which other one, once for both: an error if it must not, a note where nobody says that it may. */
export function* checkOverlays({ desired, declared = desired, rules }: DesiredWorld): Generator<Problem> {
  const pairs = new Map<string, { readonly over: Overlay; readonly base: string; readonly of: Address[] }>();
  for (const { address, document, overlays } of declared.values())
    for (const over of overlays ?? []) {
      const base = document.file.path;
      const key = JSON.stringify([over.document.file.path, base]);
      const pair = pairs.get(key) ?? { over, base, of: [] };
      pair.of.push(address);
      pairs.set(key, pair);
    }
  for (const { over, base, of } of pairs.values()) {
    const { path } = over.document.file;
    const at = { document: over.document, path: '/overlay', on: 'key' } as const;
    if (rules.overlays === undefined)
      yield makeProblem({
        code: 'overlaid-file',
        message: `${path} changes what ${base} declares: ${list(of)}`,
        at,
        hint: 'list the files and folders that may do so as overlays in gwconf.yaml',
      });
    else if (!rules.overlays.some((one) => isIn(path, one)))
      yield makeProblem({
        code: 'overlay-not-allowed',
        message: `${path} must not change what ${base} declares: ${list(of)}`,
        at,
        hint: `move the change to ${base}, or add ${path} to overlays in gwconf.yaml`,
      });
  }
}

function isIn(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}
