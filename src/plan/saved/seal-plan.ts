import { addTo, present } from '../../model/collect.ts';
import {
  canonicalText,
  changeAt,
  parsePointer,
  valueAt,
  type Json,
  type Pointer,
  anyItem,
} from '../../model/json/json.ts';
import { canonicalPieces } from '../../model/json/pieces.ts';
import { knownKind, type Kind, type KindSet } from '../../model/kind.ts';
import { wholeForm, normalForm } from '../../model/normal/normal-form.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { type Declared, type DesiredState, placeOf, type Template } from '../../model/state.ts';
import { type Change, isStep, type SecretMarks, formerSources, templatesOf } from '../change/change.ts';
import { countChanges, listedUnmanaged, type Plan, type Precondition, scopeOf } from '../change/plan.ts';
import { hideAt, secretsOf } from '../secrets/redact.ts';
import type { Undo } from '../undo/undo.ts';
import { digest, markOf, digestPieces, slowDigester, type Digester } from './digest.ts';
import {
  packEffects,
  packExposures,
  packWeakenings,
  PLAN_FORMAT,
  type OpenPlan,
  type SavedChange,
  type SavedPlan,
  type SavedPrecondition,
  type Sealed,
  type SecretSource,
} from './saved-plan.ts';
import { signDigest, type PlanKeys } from './signature.ts';

/** Converts a plan for a file: without secrets, with the digests that apply checks. */
export function sealPlan(
  plan: Plan,
  desired: DesiredState,
  kinds: KindSet,
  about: Pick<
    SavedPlan,
    | 'tool'
    | 'createdAt'
    | 'salt'
    | 'environment'
    | 'partOf'
    | 'origin'
    | 'expiresAt'
    | 'kinds'
    | 'input'
    | 'warnings'
    | 'topics'
  >,
  slow: Digester = slowDigester(about.salt),
): OpenPlan {
  const kept = new Map<Address, Pointer[]>();
  for (const { address, path } of plan.ignored) if (path !== undefined) addTo(kept, address, path);
  return {
    format: PLAN_FORMAT,
    ...about,
    ...scopeOf(plan),
    summary: countChanges(plan),
    changes: plan.changes.map((change) => {
      const { address } = change;
      return sealChange(
        change,
        { declared: desired.get(address), kept: kept.get(address) ?? [] },
        kinds,
        slow,
      );
    }),
    ...present({
      effects: plan.effects && packEffects(plan.effects),
      exposures: plan.exposures && packExposures(plan.exposures),
      weakenings: plan.weakenings && packWeakenings(plan.weakenings),
    }),
    relies: plan.relies.map((relied) => sealPrecondition(relied, kinds, slow)),
    unclaimed: plan.unclaimed,
    unmanaged: listedUnmanaged(plan),
    ignored: plan.ignored,
    unselected: plan.unselected.length,
    managed: plan.managed,
  };
}

/** With a digest, and a signature of each key. */
export function sign(open: OpenPlan, keys: PlanKeys = {}): SavedPlan {
  const sealed = sealOf(open, keys.shared);
  if (keys.private === undefined) return { ...open, ...sealed };
  return { ...open, ...sealed, signature: signDigest(sealed.digest, keys.private) };
}

/** Digest and HMAC of the plan as JSON. */
export function sealOf(open: OpenPlan, sharedKey?: string): Pick<SavedPlan, 'digest' | 'mac'> {
  return digestPieces(canonicalPieces(open), sharedKey);
}

/** A digest of input files that can be public: short secrets in them cannot be guessed from it. */
export function inputDigest(files: readonly SourceFile[]): (slow: Digester) => string {
  const contents = canonicalText(files.map(({ path, text }) => [path, digest(text)]));
  return (slow) => slow(contents, 'input');
}

/** The source of the new value of a change: a file, except for ignored fields, which keep their live value. */
type SecretOrigin = { readonly declared: Declared | undefined; readonly kept: readonly Pointer[] };

function sealChange(change: Change, origin: SecretOrigin, kinds: KindSet, slow: Digester): SavedChange {
  const kind = knownKind(change.address, kinds);
  const checks = change.action === 'create' ? {} : { basis: basisOf(kind, change.before, change, { slow }) };
  return sealWith(change, kind, { checks, slow, originOf: sourcesIn(change, origin) });
}

type Sealing = {
  readonly checks: Pick<Sealed, 'basis' | 'result' | 'halfway'>;
  readonly slow: Digester;
  /** The source of a secret in its new value. */
  readonly originOf: (pointer: Pointer) => Partial<SecretSource>;
};

/** A change without its secrets, but with digest and source of each in its new value. */
function sealWith(change: Change, kind: Kind, { checks, slow, originOf }: Sealing): SavedChange {
  const places = secretsOf(change, kind);
  const sealed = { ...hideAt(change, places), kind: kind.name, ...checks };
  if (change.action === 'delete' || places.after.size === 0) return sealed;
  const secrets = [...places.after].map((pointer): [Pointer, SecretSource] => {
    const value = valueAt(change.after, pointer) ?? null;
    const origin = originOf(pointer);
    return [pointer, { digest: slow(canonicalText(value), undefined, isMixed(origin)), ...origin }];
  });
  return { ...sealed, secrets: Object.fromEntries(secrets) };
}

/** Whether a text may be a part of the value, also by way of a variable of the project. */
function isMixed({ template }: { readonly template?: Template | undefined }): boolean {
  return template !== undefined && !/^\$\{(?!var\.)[^${}]*\}$/.test(template.text);
}

/** A precondition with the digest that apply checks. */
export function sealPrecondition(
  { seen, ...relied }: Precondition,
  kinds: KindSet,
  slow: Digester,
): SavedPrecondition {
  const kind = knownKind(relied.address, kinds);
  return { ...relied, kind: kind.name, basis: basisOf(kind, seen, relied, { slow }) };
}

type Basis = {
  readonly slow: Digester;
  readonly form?: (kind: Kind, resource: Resource) => Resource;
  /** An earlier basis, whose salts are used again. */
  readonly like?: string;
};

/**
 * The digest of a live resource, for apply, and the marks of the digests of its secrets: former values at
 * its marks are secret too, at any index of their list.
 */
function basisOf(
  kind: Kind,
  live: Resource,
  marks: SecretMarks,
  { slow, form = wholeForm, like }: Basis,
): string {
  let covered: Json = form(kind, live);
  const given = like?.split(':')[1]?.split(',') ?? [];
  const made: string[] = [];
  const mixed = new Set(
    [...templatesOf(marks.templates)].flatMap(([place, template]) =>
      isMixed({ template }) ? [anyItem(place)] : [],
    ),
  );
  for (const pointer of secretPlaces(kind, covered, formerSources(marks))) {
    covered = changeAt(covered, parsePointer(pointer), (value) => {
      if (value === undefined) return value;
      const mark = given[made.length];
      if (like !== undefined && mark === undefined) return HIDDEN; // there were fewer secrets: it differs anyway
      const cover = slow(canonicalText(value), mark, mixed.has(anyItem(pointer)));
      made.push(markOf(cover));
      return cover;
    });
  }
  const found = digest(canonicalText(covered));
  return made.length === 0 ? found : `${found}:${made.join(',')}`;
}

export function isBasisOf(
  basis: string,
  kind: Kind,
  live: Resource,
  marks: SecretMarks,
  options: Omit<Basis, 'like'>,
): boolean {
  return basisOf(kind, live, marks, { ...options, like: basis }) === basis;
}

function sourcesIn(change: Change, { declared, kept }: SecretOrigin): Sealing['originOf'] {
  const templates = templatesOf(change.templates);
  return (pointer) => {
    if (kept.some((path) => pointer === path || pointer.startsWith(`${path}/`)))
      return { live: anyItem(pointer) };
    const template = isStep(change) ? undefined : templates.get(pointer);
    if (template !== undefined) return { template };
    // Other secrets were carried over from the gateway.
    const written = !isStep(change) && valueAt(declared?.resource, pointer) !== undefined;
    return written ? fileOf(declared, pointer) : { live: anyItem(pointer) };
  };
}

function fileOf(declared: Declared | undefined, pointer: Pointer): Partial<SecretSource> {
  const place = declared === undefined ? undefined : placeOf(declared, pointer);
  if (place === undefined || !('document' in place)) return {};
  return { file: place.document.file.path, document: place.document.index, path: place.path };
}

/**
 * Converts an undo to a saved plan for the same gateway and environment, stored beside the journal of `run`. Apply checks that
 * each object has the result of the run, or that of an extra step.
 */
export function sealUndo(
  undo: Undo,
  run: string,
  kinds: KindSet,
  about: Pick<
    SavedPlan,
    'tool' | 'createdAt' | 'salt' | 'environment' | 'gateway' | 'origin' | 'kinds' | 'undoesPlan'
  >,
  slow: Digester,
): OpenPlan {
  const nothing = { unclaimed: [], unmanaged: [], ignored: [] };
  return {
    format: PLAN_FORMAT,
    ...about,
    undoes: { run, losses: undo.losses },
    selection: { target: [], exclude: [] },
    summary: countChanges({ ...nothing, changes: undo.changes, unchanged: [] }),
    changes: undo.changes.map((change) => sealChangeOfUndo(change, undo, kinds, slow)),
    ...nothing,
    relies: [],
    unselected: 0,
    managed: {},
  };
}

/** An extra step of an undo that is planned when it is made. */
export function sealStepOfUndo(step: Change, kinds: KindSet, salt: string): SavedChange {
  return sealChangeOfUndo(step, { reversals: new Map(), halfway: new Map() }, kinds, slowDigester(salt));
}

function sealChangeOfUndo(
  change: Change,
  { reversals, halfway }: Pick<Undo, 'reversals' | 'halfway'>,
  kinds: KindSet,
  slow: Digester,
): SavedChange {
  const { address } = change;
  const kind = knownKind(address, kinds);
  // Fields that the gateway adds are unknown in advance, so only known fields are checked.
  const between = halfway.get(address);
  const origins = reversals.get(address)?.origins;
  const checks = {
    ...('before' in change
      ? { result: basisOf(kind, change.before, change, { slow, form: normalForm }) }
      : {}),
    ...(between === undefined ? {} : { halfway: basisOf(kind, between, change, { slow, form: normalForm }) }),
  };
  const originOf = (pointer: Pointer): Partial<SecretSource> =>
    isStep(change) ? { live: anyItem(pointer) } : (origins?.get(pointer) ?? {});
  return sealWith(change, kind, { checks, slow, originOf });
}
