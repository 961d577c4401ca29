import { byKey } from '../../model/collect.ts';
import { excess, hasDuplicateKeys } from '../../model/json/extent.ts';
import { parseJson, printJson, readJson } from '../../model/json/json-text.ts';
import {
  canonicalText,
  changeAt,
  isObject,
  parsePointer,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { makeProblem, type Checked } from '../../model/problem.ts';
import { kindOf, type Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import type { Plain } from '../../model/shape.ts';
import type { Declared, DesiredState, LiveState } from '../../model/state.ts';
import type { Listed } from '../checks/unlisted-values.ts';
import { digest, slowDigester, type Digester } from './digest.ts';
import { checks } from './saved-checks.ts';
import type { snapshot } from './snapshot-shape.ts';
import { liveSecretPlaces, type IsSecret } from '../change/former-secrets.ts';
import { forTerminal } from '../../model/text/escape.ts';

export const SNAPSHOT_FORMAT = 'gwconf/snapshot@1';

/** The state of a gateway as a file, for users without access to it: plain JSON without secrets. */
export type LiveSnapshot = Omit<Plain<typeof snapshot>, 'resources'> & {
  readonly resources: readonly SealedResource[];
};

/** The time of a snapshot, ISO 8601, and its age. */
export type SnapshotAge = { readonly takenAt: string; readonly ageSeconds: number };

/** A live resource with placeholders for secrets, and a salted slow digest of each by place. */
export type SealedResource = {
  readonly resource: Resource;
  readonly secrets?: Readonly<Partial<Record<Pointer, string>>>;
};

/**
 * Replaces every secret in the live state by its digest. Values that `desired` has from variables are secret too, at any index
 * of their list, and so is what `isSecret` recognises, unless files have it as it is.
 */
export function takeLiveSnapshot(
  live: LiveState,
  desired: DesiredState,
  kinds: KindSet,
  about: Pick<LiveSnapshot, 'tool' | 'takenAt' | 'gateway' | 'environment' | 'kinds' | 'salt'>,
  {
    slow = slowDigester(about.salt),
    isSecret,
    listed,
  }: {
    readonly slow?: Digester;
    readonly isSecret?: IsSecret | undefined;
    readonly listed?: Listed;
  } = {},
): LiveSnapshot {
  const inOrder = [...live.resources].sort(byKey);
  const { salt, ...named } = about;
  const open = {
    format: SNAPSHOT_FORMAT,
    ...named,
    resources: inOrder.map(([address, resource]) =>
      sealResource({ ...resource, kind: kindOf(address) }, desired.get(address), kinds, slow, isSecret),
    ),
    unavailable: Object.fromEntries(live.unavailable),
    ...(listed === undefined
      ? {}
      : { listed: Object.fromEntries([...listed].map(([kind, names]) => [kind, [...names].sort()])) }),
    salt,
  } as const;
  return { ...open, digest: digestOf(open) };
}

function sealResource(
  resource: Resource,
  declared: Declared | undefined,
  kinds: KindSet,
  slow: Digester,
  isSecret: IsSecret | undefined,
): SealedResource {
  const kind = kinds.get(resource.kind);
  if (kind === undefined) throw new Error(`unknown kind ${resource.kind}`);
  const secrets: Partial<Record<Pointer, string>> = {};
  let covered: Json = resource;
  for (const pointer of liveSecretPlaces(resource, kind, declared, isSecret)) {
    const value = valueAt(resource, pointer);
    if (value === undefined) continue;
    secrets[pointer] = slow(canonicalText(value));
    covered = changeAt(covered, parsePointer(pointer), () => HIDDEN);
  }
  // Hiding secrets keeps the resource valid.
  return Object.keys(secrets).length === 0 ? { resource } : { resource: covered as Resource, secrets };
}

/** The text of a snapshot file: one resource per line, for readable diffs. */
export function encodeLiveSnapshot({ resources, ...rest }: LiveSnapshot): string {
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, '');
  const lines = resources.map((one) => `\n    ${printJson(one)}`);
  return forTerminal(`${head},\n  "resources": [${lines.join(',')}${lines.length === 0 ? '' : '\n  '}]\n}\n`);
}

/** Reads a snapshot. A newer format, another file type or an altered snapshot is a problem. */
export function decodeLiveSnapshot(
  text: string,
  name: string,
  kinds: KindSet,
): Checked<LiveSnapshot | undefined> {
  const refuse = (message: string, hint: string): Checked<undefined> => ({
    value: undefined,
    problems: [makeProblem({ code: 'invalid-snapshot', message, hint })],
  });
  const cure = 'create one with gwconf snapshot --out FILE';
  const much = excess(text);
  if (much !== undefined) return refuse(`${name} ${much}`, cure);
  const value = readJson(text);
  if (value === undefined) return refuse(`${name} is not a snapshot: it is not JSON`, cure);
  const format = isObject(value) ? valueOf(value, 'format') : undefined;
  if (typeof format !== 'string' || !format.startsWith('gwconf/snapshot@')) {
    return refuse(`${name} is not a snapshot`, cure);
  }
  if (format !== SNAPSHOT_FORMAT) {
    return refuse(
      `${name} has the format ${format}; expected ${SNAPSHOT_FORMAT}`,
      'use the version of gwconf that created it, or create it again',
    );
  }
  if (hasDuplicateKeys(text, value))
    return refuse(`${name} has a map with two equal keys`, 'create it again');
  const { digest: written, ...open } = value as unknown as LiveSnapshot; // checked below
  if (written !== digestOf(open))
    return refuse(`${name} was altered after it was created`, 'create it again');
  if (!isSnapshot(value, kinds)) {
    return refuse(
      `${name} contains data that this version does not know`,
      'use the version of gwconf that created it, or create it again',
    );
  }
  return { value: { ...open, digest: written }, problems: [] };
}

/** Anyone can compute the digest, so the content is also checked. */
function isSnapshot(value: Json, kinds: KindSet): boolean {
  if (!checks[SNAPSHOT_FORMAT]()(value)) return false;
  const { takenAt, resources } = value as unknown as LiveSnapshot; // has its shape
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(takenAt) &&
    resources.every((sealed) => isSealed(sealed, kinds))
  );
}

function isSealed({ resource, secrets = {} }: SealedResource, kinds: KindSet): boolean {
  const places = Object.keys(secrets) as Pointer[]; // by its shape
  return kinds.has(resource.kind) && places.every((place) => valueAt(resource, place) === HIDDEN);
}

function digestOf(open: Omit<LiveSnapshot, 'digest'>): string {
  return digest(canonicalText(parseJson(printJson(open)))); // as it will be read
}
