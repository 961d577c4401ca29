import { compileClassGlobs } from '../../effective/protection.ts';
import { parsePointer, valueAt, type Pointer } from '../../model/json/json.ts';
import { meets, type Kind } from '../../model/kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf, type Resource } from '../../model/resource.ts';
import type { ProtectRule } from '../../model/rules.ts';
import { isSecretPlace } from '../../model/secrets/secrets.ts';
import { placeOf } from '../../model/state.ts';
import { compileGlob, compileRules } from '../../model/text/glob.ts';
import { beforeOf, type DraftChange } from '../change/change.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import type { PlannedWorld } from './world.ts';

/** Changes that would delete, replace or weaken what a rule or its own document protects. */
export function* checkProtection({
  changes,
  desired,
  removals,
  rules: { protect = [] },
  kinds,
}: Pick<PlannedWorld, 'changes' | 'desired' | 'removals' | 'rules' | 'kinds'>): Generator<Problem> {
  const rules = protect.map((rule) => ({ ...rule, matches: matcherOf(rule) }));
  const rulesFor = compileRules(rules, ({ address = '*' }) => address);
  const placesOfRemovals = new Map(removals.map(({ address, place }) => [address, place]));
  for (const change of changes.values()) {
    const { address } = change;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || isTemporary(change, kind)) continue;
    const declared = desired.get(address);
    const matching = rulesFor(address).filter(({ matches }) => matches(change, kind));
    const harm = matching.length > 0 || declared?.protect === true ? harmOf(change, kind) : undefined;
    if (harm === undefined) continue;
    const at = declared === undefined ? placesOfRemovals.get(address) : placeOf(declared, harm.path);
    const found = matching.filter(({ secrets }) => harm.isRotation !== true || secrets === true);
    const guards = found.map((rule) => ({ by: `the rule ${textOf(rule)}`, place: rule.place }));
    if (declared?.protect === true && harm.isRotation !== true)
      guards.unshift({
        by: 'protect: true beside its metadata',
        place: placeOf(declared, '/protect', 'key'),
      });
    for (const { by, place } of guards.slice(0, MOST_GUARDS))
      yield makeProblem({
        code: 'protected',
        message: `${address} would be ${harm.words}, and is protected by ${by}`,
        ...(at === undefined ? { at: place } : { at, also: place }),
        address,
        path: harm.path,
        extent: { of: by, each: harm.each },
        hint: 'revert the change, in the files or on the gateway; if it is meant, end the protection first, in a pull request of its own',
      });
  }
}

/** Whether it deletes what a run has left behind. */
function isTemporary(change: DraftChange, kind: Kind): boolean {
  return change.action === 'delete' && kind.isBridge?.(change.before) === true;
}

/** Of one object, in messages. */
const MOST_GUARDS = 5;

type Harm = {
  readonly words: string;
  readonly path: Pointer;
  /** All that it does. */
  readonly each: readonly string[];
  /** Whether only values of secrets change. */
  readonly isRotation?: boolean;
};

function harmOf(change: DraftChange, kind: Kind): Harm | undefined {
  switch (change.action) {
    case 'create':
      return undefined;
    case 'delete':
      return { words: 'deleted', path: '/metadata/name', each: [change.action] };
    case 'replace':
      return {
        ...{ words: 'deleted and created anew', path: change.because[0] ?? '' },
        each: [change.action, ...textsOf(change.fields)],
      };
    case 'update': {
      const fields = change.fields.filter(({ path }) =>
        kind.guarded.some((pattern) => meets(pattern, parsePointer(path))),
      );
      const weakened = fields.find((field) => !isRotation(field, change.after, kind));
      const field = weakened ?? fields[0];
      if (field === undefined) return undefined;
      return {
        ...{ words: `changed in ${field.path}`, path: field.path, each: textsOf(fields) },
        isRotation: weakened === undefined,
      };
    }
    default:
      return change satisfies never;
  }
}

function textsOf(fields: readonly FieldDifference[]): readonly string[] {
  return fields.map((field) => JSON.stringify(field));
}

/** Whether a secret gets another value; one that is new, removed or emptied is not rotated. */
function isRotation(field: FieldDifference, after: Resource, kind: Kind): boolean {
  if (field.op !== 'set') return false;
  const isText = [field.before, field.after].every((value) => typeof value === 'string' && value !== '');
  return isText && isSecretPlace(kind, after, field.path);
}

/** Matches kind and plugin class: that of the live object, since the file may declare another. */
function matcherOf({ kind, pluginClass }: ProtectRule): (change: DraftChange, of: Kind) => boolean {
  const isKind = kind === undefined ? undefined : compileGlob(kind);
  const isClass = pluginClass === undefined ? undefined : compileClassGlobs([pluginClass]);
  return (change, { name, variants }) => {
    const before = beforeOf(change);
    const picked = variants === undefined || before === undefined ? undefined : valueAt(before, variants.by);
    return (
      isKind?.(name) !== false && (isClass === undefined || (typeof picked === 'string' && isClass(picked)))
    );
  };
}

function textOf({ kind, address, pluginClass, secrets, reason }: ProtectRule): string {
  const keys = Object.entries({ kind, address, pluginClass, secrets });
  const given = keys.filter(([, value]) => value !== undefined);
  const text = `{ ${given.map(([key, value]) => `${key}: ${String(value)}`).join(', ')} }`;
  return reason === undefined ? text : `${text} (${reason})`;
}
