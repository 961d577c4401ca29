import { addTo } from '../../model/collect.ts';
import {
  canonicalText,
  changeAt,
  parsePointer,
  valueAt,
  type Json,
  type Pattern,
  type Pointer,
} from '../../model/json/json.ts';
import { canonicalPieces } from '../../model/json/pieces.ts';
import { knownKind, type Kind, type KindSet } from '../../model/kind.ts';
import { wholeForm } from '../../model/normal/normal-form.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { anyItem, secretPlaces } from '../../model/secrets/secrets.ts';
import { type Declared, type DesiredState, placeOf, type Template } from '../../model/state.ts';
import { packEffects, packExposures, type SavedEffect, type SavedExposure } from './saved-effects.ts';
import { digest, markOf, seal, slowDigester, type Digester } from './digest.ts';
import { signDigest, type PlanKeys } from './signature.ts';
import {
  type Change,
  countChanges,
  type Counts,
  isStep,
  listedUnmanaged,
  type Plan,
  type PlanBase,
  type Precondition,
  type SecretMarks,
  type Selection,
  formerSources,
  templatesOf,
  type Undoes,
} from '../change/plan.ts';
import { HIDDEN, hideAt, secretsOf } from '../secrets/redact.ts';

export const PLAN_FORMAT = 'gwconf/plan@1';

/** The source of a secret in a saved plan, and a digest to detect changes. */
export type SecretSource = {
  /** Salted and slow. */
  readonly digest: string;
  /** From the environment. */
  readonly template?: Template;
  /** Or from a place in a file. */
  readonly file?: string;
  readonly document?: number;
  readonly path?: Pointer;
  /** Or from the object on the gateway, at a place that matches. */
  readonly live?: Pattern;
};

/** What apply checks before it writes: a digest of the live value in the plan; secrets have slow digests. */
type Sealed = {
  readonly kind: string;
  readonly basis?: string;
  /** In an undo instead: a digest of the result of the run, without unknown fields. */
  readonly result?: string;
  /** In an undo: the same for an extra step of the run. */
  readonly halfway?: string;
  readonly secrets?: Readonly<Partial<Record<Pointer, SecretSource>>>;
};
export type SavedChange = Change & Sealed;

/** An object that changes rely on; apply checks it like changed objects. */
export type SavedPrecondition = Omit<Precondition, 'seen'> & {
  readonly kind: string;
  readonly basis: string;
};

/** A plan as a file: plain JSON without secrets and unchanged objects. */
export type SavedPlan = {
  readonly format: typeof PLAN_FORMAT;
  readonly tool: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The environment of the project file, if any. */
  readonly environment?: string;
  /** The commit that it was made of, if CI says so. */
  readonly origin?: Origin;
  /** ISO 8601; it is not applied later than this. */
  readonly expiresAt?: string;
  /** A digest of the input files, if any. */
  readonly input?: string;
  /** The run that an undo reverts. */
  readonly undoes?: Undoes;
  /** The digest of the plan of that run: so a signature tells what the run was. */
  readonly undoesPlan?: string;
  readonly gateway: string;
  /** What the causes of its changes are relative to. */
  readonly base?: PlanBase;
  readonly selection: Selection;
  readonly manages?: readonly string[];
  readonly prune?: readonly string[];
  readonly limits?: NonNullable<Plan['limits']>;
  readonly summary: Counts;
  readonly changes: readonly SavedChange[];
  readonly effects?: readonly SavedEffect[];
  /** As they were when the plan was made; apply looks again. */
  readonly exposures?: readonly SavedExposure[];
  /** Unchanged objects that changes refer to. */
  readonly relies: readonly SavedPrecondition[];
  readonly unclaimed: Plan['unclaimed'];
  /** Empty if `manages` is set: objects of others are only counted. */
  readonly unmanaged: Plan['unmanaged'];
  readonly ignored: Plan['ignored'];
  /** How many declared or live objects `--target` and `--exclude` left out. */
  readonly unselected: number;
  /** How many objects of each kind were managed; limits in percent refer to them. */
  readonly managed: Plan['managed'];
  /** What reviewers of the file should know, too. */
  readonly warnings?: readonly PlanWarning[];
  /** For the digests of secrets; random for each plan. */
  readonly salt: string;
  /** Of all fields above; detects accidental changes. */
  readonly digest: string;
  /** HMAC-SHA256 of the same with the shared key, in hex. */
  readonly mac?: string;
  /** Ed25519 signature of the digest, in base64. */
  readonly signature?: string;
};
/** A saved plan before it is signed. */
export type OpenPlan = Omit<SavedPlan, 'digest' | 'mac' | 'signature'>;

/** A warning that concerns objects that are not in the file. */
export type PlanWarning = Pick<Problem, 'message' | 'address' | 'hint'> & {
  readonly code: 'similar-names';
  readonly severity: 'warning';
};

/** Where a plan was made. */
export type Origin = { readonly repository?: string; readonly commit?: string };

/** Converts a plan for a file: without secrets, with the digests that apply checks. */
export function sealPlan(
  plan: Plan,
  desired: DesiredState,
  kinds: KindSet,
  about: Pick<
    SavedPlan,
    'tool' | 'createdAt' | 'salt' | 'environment' | 'origin' | 'expiresAt' | 'input' | 'warnings'
  >,
  slow: Digester = slowDigester(about.salt),
): OpenPlan {
  const kept = new Map<Address, Pointer[]>();
  for (const { address, path } of plan.ignored) if (path !== undefined) addTo(kept, address, path);
  return {
    format: PLAN_FORMAT,
    ...about,
    gateway: plan.gateway,
    ...(plan.base === undefined ? {} : { base: plan.base }),
    selection: plan.selection,
    ...(plan.manages === undefined ? {} : { manages: plan.manages }),
    ...(plan.prune === undefined ? {} : { prune: plan.prune }),
    ...(plan.limits === undefined ? {} : { limits: plan.limits }),
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
    ...(plan.effects === undefined ? {} : { effects: packEffects(plan.effects) }),
    ...(plan.exposures === undefined ? {} : { exposures: packExposures(plan.exposures) }),
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
  return seal(canonicalPieces(open), sharedKey);
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
export function sealWith(change: Change, kind: Kind, { checks, slow, originOf }: Sealing): SavedChange {
  const places = secretsOf(change, kind);
  const sealed = { ...hideAt(change, places), kind: kind.name, ...checks };
  if (change.action === 'delete' || places.after.size === 0) return sealed;
  const secrets = [...places.after].map((pointer): [Pointer, SecretSource] => {
    const value = valueAt(change.after, pointer) ?? null;
    return [pointer, { digest: slow(canonicalText(value)), ...originOf(pointer) }];
  });
  return { ...sealed, secrets: Object.fromEntries(secrets) };
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
export function basisOf(
  kind: Kind,
  live: Resource,
  marks: SecretMarks,
  { slow, form = wholeForm, like }: Basis,
): string {
  let covered: Json = form(kind, live);
  const given = like?.split(':')[1]?.split(',') ?? [];
  const made: string[] = [];
  for (const pointer of secretPlaces(kind, covered, formerSources(marks))) {
    covered = changeAt(covered, parsePointer(pointer), (value) => {
      if (value === undefined) return value;
      const mark = given[made.length];
      if (like !== undefined && mark === undefined) return HIDDEN; // there were fewer secrets: it differs anyway
      const cover = slow(canonicalText(value), mark);
      made.push(markOf(cover));
      return cover;
    });
  }
  const found = digest(canonicalText(covered));
  return made.length === 0 ? found : `${found}:${made.join(',')}`;
}

/** Whether a resource is the one of a basis. */
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
