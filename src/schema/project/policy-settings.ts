import { printPointer, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { BuiltInName, Policy, RawPolicy } from '../../model/policy.ts';
import type { Checked, Place } from '../../model/problem.ts';
import { makePolicy, type BuiltInSettings } from './make-policy.ts';
import { checkMatch } from './read-policies.ts';

/** `policies` in the project file, valid against its schema. */
export type RawPolicySettings = {
  readonly builtIn?: Readonly<Partial<Record<BuiltInName, boolean | BuiltInSettings>>>;
  readonly files?: readonly string[];
  readonly rules?: readonly (RawPolicy & { readonly name: string })[];
};

/** The policies of a project: those in its file, and where the others are. */
export type PolicySettings = {
  readonly builtIn: readonly {
    readonly name: BuiltInName;
    readonly settings: BuiltInSettings;
    readonly place: Place;
  }[];
  /** Relative to the project file. */
  readonly files: readonly { readonly path: string; readonly place: Place }[];
  readonly rules: readonly Policy[];
};

/** The policies of a project, each with its place; globs that match nothing are problems. */
export function policySettingsIn(
  { builtIn = {}, files = [], rules = [] }: RawPolicySettings,
  kinds: KindSet,
  placeOf: (path: Pointer) => Place,
): Checked<PolicySettings> {
  const pathTo = (...tokens: readonly (string | number)[]): Pointer => printPointer(['policies', ...tokens]);
  const written = rules.map(({ name, ...raw }, at) =>
    makePolicy(name, raw, (path) => placeOf(`${pathTo('rules', at)}${path === '' ? '/name' : path}`)),
  );
  const switched = Object.entries(builtIn).flatMap(
    ([name, settings]) =>
      settings === false ? [] : [{ name: name as BuiltInName, settings: settings === true ? {} : settings }], // a key of the schema
  );
  return {
    value: {
      builtIn: switched.map((one) => ({ ...one, place: placeOf(pathTo('builtIn', one.name)) })),
      files: files.map((path, at) => ({ path, place: placeOf(pathTo('files', at)) })),
      rules: written,
    },
    problems: written.flatMap((policy) => checkMatch(policy, kinds)),
  };
}
