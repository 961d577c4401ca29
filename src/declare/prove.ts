import type { Context } from '../model/kind.ts';
import type { Catalog } from '../model/own-kind.ts';
import { makeProblem, ACCEPTABLE, type Position, type Problem, type SourceFile } from '../model/problem.ts';
import type { Pointer } from '../model/json/json.ts';
import type { Address } from '../model/resource.ts';
import type { LiveState } from '../model/state.ts';
import type { IsSecret } from '../plan/change/former-secrets.ts';
import { adoptUnsetFields } from '../plan/diff/unset-fields.ts';
import { makePlan } from '../plan/make-plan.ts';
import { redact, type ShownPlan } from '../plan/secrets/redact.ts';
import { load } from '../schema/load/load.ts';
import { positionOf } from '../schema/load/locate.ts';
import { variablesFrom } from '../schema/yaml/interpolate.ts';
import type { SecretVariable } from './declared.ts';

export type ProofOptions = {
  /** The URL of the gateway that `live` was read from. */
  readonly gateway: string;
  readonly context?: Context;
  readonly variables?: readonly SecretVariable[];
  readonly isSecret?: IsSecret | undefined;
  /** The addresses that the files must declare. */
  readonly expected?: readonly Address[];
  /** Whether what gwconf finds wrong is among `odd` alone. */
  readonly acceptsOdd?: boolean;
};

export type Proof = {
  readonly shown: ShownPlan;
  /** The differences from the gateway that the files leave. */
  readonly problems: readonly Problem[];
  /** Why the files cannot be planned although they express all of it. */
  readonly refusals: readonly Problem[];
  /** What gwconf finds wrong and the gateway has. */
  readonly odd: readonly Odd[];
};

/** A value or field of the gateway that gwconf finds wrong; a comment on the line above it ignores that. */
export type Odd = {
  readonly at: Position;
  readonly problem: Problem & { readonly address: Address; readonly path: Pointer };
};

/** Loads files that declare a live state, and plans them against it. */
export function proveFiles(
  files: readonly SourceFile[],
  live: LiveState,
  catalog: Catalog,
  { gateway, context, variables = [], isSecret, expected = [], acceptsOdd = false }: ProofOptions,
): Proof {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  const loaded = load(
    files,
    catalog,
    // A secret whose value is not known leaves its field as it is.
    variablesFrom((name) => values.get(name), { missing: 'open' }),
    context,
  );
  const { value: desired } = adoptUnsetFields(loaded.value, live, (name) => `set ${name}`);
  const { value: plan, problems: found } = makePlan(desired, live, catalog.kinds, { gateway, isSecret });
  const shown = redact(plan, catalog.kinds);
  const missing = expected.filter((address) => !loaded.declared.has(address));
  return {
    shown,
    problems: [
      ...loaded.problems
        .filter((one) => one.severity === 'error' && !(acceptsOdd && oddIn(one).length > 0))
        .map(asRefusal),
      ...missing.map((address) => phantom(address, `${address} is not in the files`)),
      ...shown.changes.map((change) => {
        const fields = 'fields' in change ? change.fields.map(({ path }) => path) : [];
        const where = fields.length === 0 ? '' : ` at ${fields.join(', ')}`;
        return phantom(change.address, `${change.address} differs from itself${where}`);
      }),
    ],
    refusals: found.filter(({ severity }) => severity === 'error').map(withoutPlace),
    odd: loaded.problems.flatMap(oddIn),
  };
}

function oddIn({ at, address, path, ...problem }: Problem): readonly Odd[] {
  const isTold = problem.severity === 'error' || problem.code === 'unknown-field';
  if (!isTold || !ACCEPTABLE.has(problem.code)) return [];
  if (at === undefined || address === undefined || path === undefined) return [];
  return [{ at: positionOf(at), problem: asRefusal({ ...problem, address, path }) as Odd['problem'] }]; // it has both
}

const REPORT = 'please report it, with this output and the version of the gateway';

function asRefusal(problem: Problem): Problem {
  const { address, message, code, path = '' } = problem;
  // v1 takes names that v2 refuses, such as CN=alice; groups and interceptors refer to them.
  const isOfName = code === 'invalid-value' && /^\/metadata\/|^\/spec\/members\/\d+\/name$/.test(path);
  const isNamed = address === undefined || message.includes(address);
  return {
    ...withoutPlace(problem),
    message: isNamed ? message : `${address}: ${message}`,
    hint: isOfName ? RENAME : `the gateway has it, so gwconf should take it: ${REPORT}`,
  };
}

/** The cure of a name that v2 refuses. */
export const RENAME = 'v1 made this name, and v2 refuses it: gwconf migrate gives it another';

/** The place of a problem is in a text that was made up, and may hold secrets. */
function withoutPlace({ at: _, also: __, ...problem }: Problem): Problem {
  return problem;
}

function phantom(address: Address, message: string): Problem {
  return makeProblem({ code: 'phantom-difference', message, address, hint: REPORT });
}
