import {
  canonicalText,
  changeAt,
  isObject,
  parsePointer,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../model/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { wholeForm } from '../model/normal-form.ts';
import type { Checked, Problem } from '../model/problem.ts';
import { kindOf, type Resource } from '../model/resource.ts';
import { anyItem, secretPlaces } from '../model/secrets.ts';
import type { Declared, DesiredState, Template } from '../model/state.ts';
import { placeOf } from '../model/state.ts';
import { digest, slowDigester } from './digest.ts';
import { countChanges, templatesOf, type Change, type Counts, type Plan, type Selection } from './plan.ts';
import { hideSecrets } from './redact.ts';

export const PLAN_FORMAT = 'gwconf/plan@1';

/** Where a secret of a saved plan comes from, and a digest that tells whether it is still the same. */
export type SecretSource = {
  /** Salted and slow. */
  readonly digest: string;
  /** Filled in again from the environment. */
  readonly template?: Template;
  /** Or read again from where it stands in a file. */
  readonly file?: string;
  readonly document?: number;
  readonly path?: Pointer;
};

/** What apply checks before it writes: a digest of the live value that the plan saw, secrets digested slowly. */
type Sealed = {
  readonly kind: string;
  readonly basis?: string;
  readonly secrets?: Readonly<Partial<Record<Pointer, SecretSource>>>;
};
export type SavedChange = Change & Sealed;

/** A plan as a file: plain JSON without secrets, and without what does not change. */
export type SavedPlan = {
  readonly format: typeof PLAN_FORMAT;
  readonly tool: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The environment of the project file, where there was one. */
  readonly environment?: string;
  readonly gateway: string;
  readonly selection: Selection;
  readonly prune?: readonly string[];
  readonly summary: Counts;
  readonly changes: readonly SavedChange[];
  readonly unmanaged: Plan['unmanaged'];
  /** How many declared or live objects `--target` and `--exclude` left out. */
  readonly unselected: number;
  /** For the digests of secrets; drawn anew for each plan. */
  readonly salt: string;
  /** Over all of the above. */
  readonly digest: string;
};

/** Makes a plan fit to be kept: every secret leaves it, what apply must check again enters it. */
export function sealPlan(
  plan: Plan,
  desired: DesiredState,
  kinds: KindSet,
  about: Pick<SavedPlan, 'tool' | 'createdAt' | 'salt' | 'environment'>,
): SavedPlan {
  const slow = slowDigester(about.salt);
  const open = {
    format: PLAN_FORMAT,
    ...about,
    gateway: plan.gateway,
    selection: plan.selection,
    ...(plan.prune === undefined ? {} : { prune: plan.prune }),
    summary: countChanges(plan),
    changes: plan.changes.map((change) => sealChange(change, desired.get(change.address), kinds, slow)),
    unmanaged: plan.unmanaged,
    unselected: plan.unselected.length,
  } as const;
  return { ...open, digest: digestOf(open) };
}

function sealChange(
  change: Change,
  declared: Declared | undefined,
  kinds: KindSet,
  slow: (secret: string) => string,
): SavedChange {
  const kind = kinds.get(kindOf(change.address));
  if (kind === undefined) throw new Error(`${change.address} is of a kind that this plan does not know`);
  const basis =
    change.action === 'create' ? {} : { basis: basisOf(kind, change.before, change.templates, slow) };
  const secrets = change.action === 'delete' ? {} : sourcesOf(change, declared, kind, slow);
  const sealed = { ...hideSecrets(change, kinds), kind: kind.name, ...basis };
  return Object.keys(secrets).length === 0 ? sealed : { ...sealed, secrets };
}

/**
 * The digest of a live resource by which apply knows it again. Where `templates` say that a field is filled in from the
 * environment, what stood there before is digested slowly too, wherever in its list that was.
 */
export function basisOf(
  kind: Kind,
  live: Resource,
  templates: Change['templates'],
  slow: (secret: string) => string,
): string {
  const anywhere = new Map(
    [...templatesOf(templates)].map(([pointer, template]) => [anyItem(pointer), template]),
  );
  let covered: Json = wholeForm(kind, live);
  for (const pointer of secretPlaces(kind, covered as Resource, anywhere)) {
    covered = changeAt(covered, parsePointer(pointer), (value) =>
      value === undefined ? value : slow(canonicalText(value)),
    );
  }
  return digest(canonicalText(covered));
}

function sourcesOf(
  change: Exclude<Change, { action: 'delete' }>,
  declared: Declared | undefined,
  kind: Kind,
  slow: (secret: string) => string,
): Partial<Record<Pointer, SecretSource>> {
  const templates = templatesOf(change.templates);
  const sources: Partial<Record<Pointer, SecretSource>> = {};
  for (const pointer of secretPlaces(kind, change.after, templates)) {
    const value = valueAt(change.after, pointer);
    if (value === undefined) continue;
    const template = templates.get(pointer);
    sources[pointer] = {
      digest: slow(canonicalText(value)),
      ...(template === undefined ? fileOf(declared, pointer) : { template }),
    };
  }
  return sources;
}

function fileOf(declared: Declared | undefined, pointer: Pointer): Partial<SecretSource> {
  const place = declared === undefined ? undefined : placeOf(declared, pointer);
  if (place === undefined || !('document' in place)) return {};
  return { file: place.document.file.path, document: place.document.index, path: place.path };
}

export function encodePlan(plan: SavedPlan): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** Reads a saved plan; a newer format, another sort of file, or one that was altered is a problem. */
export function decodePlan(text: string, name: string): Checked<SavedPlan | undefined> {
  const refuse = (message: string, hint: string): Checked<undefined> => ({
    value: undefined,
    problems: [{ code: 'invalid-plan', severity: 'error', message, hint }],
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(`${name} is not a saved plan: it is not JSON`, 'make one with gwconf plan --out FILE');
  }
  const format = isObject(value) ? valueOf(value, 'format') : undefined;
  if (format !== PLAN_FORMAT) {
    return typeof format === 'string' && format.startsWith('gwconf/plan@')
      ? refuse(
          `${name} has the format ${format}; expected ${PLAN_FORMAT}`,
          'use the version of gwconf that made it, or plan again',
        )
      : refuse(`${name} is not a saved plan`, 'make one with gwconf plan --out FILE');
  }
  const { digest: written, ...open } = value as SavedPlan; // the digest below holds it to what sealPlan made
  if (written !== digestOf(open)) {
    return refuse(`${name} was altered after it was made`, 'plan again');
  }
  return { value: { ...open, digest: written }, problems: [] };
}

function digestOf(open: Omit<SavedPlan, 'digest'>): string {
  return digest(canonicalText(JSON.parse(JSON.stringify(open)) as Json)); // as it will be read
}

/** Gives a source its value: from the environment, or from the file again; undefined when it is not there. */
export type ResolveSecret = (source: SecretSource) => Json | undefined;

/** Puts the secrets back, each held against its digest; all that cannot be resolved are problems. */
export function unsealPlan(saved: SavedPlan, resolve: ResolveSecret): Checked<readonly SavedChange[]> {
  const slow = slowDigester(saved.salt);
  const problems: Problem[] = [];
  const value = saved.changes.map((change): SavedChange => {
    if (change.action === 'delete' || change.secrets === undefined) return change;
    let after: Json = change.after;
    for (const [pointer, source] of Object.entries(change.secrets) as [Pointer, SecretSource][]) {
      const secret = resolve(source);
      const same = secret !== undefined && slow(canonicalText(secret)) === source.digest;
      if (same) after = changeAt(after, parsePointer(pointer), () => secret);
      else problems.push(unresolved(change, pointer, source, secret === undefined));
    }
    return { ...change, after: after as Resource }; // only secrets have come back
  });
  return { value, problems };
}

function unresolved(change: SavedChange, path: Pointer, source: SecretSource, missing: boolean): Problem {
  const from =
    source.template === undefined ? (source.file ?? 'the gateway') : source.template.variables.join(', ');
  return {
    code: 'secret-unavailable',
    severity: 'error',
    message: missing
      ? `the secret at ${path} of ${change.address} came from ${from}, which does not have it now`
      : `the secret at ${path} of ${change.address} is not the one that was planned with`,
    address: change.address,
    path,
    hint: missing ? `make ${from} available to apply as it was to plan` : 'plan again',
  };
}
