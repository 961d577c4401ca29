import { makeProblem, type Problem } from '../../model/problem.ts';
import { findKeyFault, splitKeys, type PlanKeys } from '../../plan/saved/signature.ts';
import { UsageError, type Io } from '../io.ts';
import { readVariable, unreadableSetting, type Variable } from './settings.ts';

/** The keys of saved plans, with the variables that hold them and their names in doctor. */
export const PLAN_KEYS = [
  { name: 'shared', variable: 'GWCONF_PLAN_KEY', title: 'plan key' },
  { name: 'private', variable: 'GWCONF_PLAN_PRIVATE_KEY', title: 'private plan key' },
  { name: 'public', variable: 'GWCONF_PLAN_PUBLIC_KEY', title: 'public plan key' },
] as const;

type Name = (typeof PLAN_KEYS)[number]['name'];

/** Each key with where it is set, or what is wrong with it. */
export type FoundKeys = {
  readonly [name in Name]: Variable | (Pick<Variable, 'origin'> & { readonly problem: Problem }) | undefined;
};

/** The keys that saved plans are signed and checked with; `signKey` is a file. Throws a UsageError for one that cannot be used. */
export async function readPlanKeys(io: Io, signKey?: string): Promise<PlanKeys> {
  const found = await findPlanKeys(io, signKey);
  const valueOf = (name: Name): string | undefined => {
    const key = found[name];
    if (key !== undefined && 'problem' in key) throw new UsageError(key.problem.message);
    return key?.value;
  };
  const publicKeys = valueOf('public');
  return {
    shared: valueOf('shared'),
    private: valueOf('private'),
    public: publicKeys === undefined ? undefined : splitKeys(publicKeys),
  };
}

/** The same keys for a report. */
export async function findPlanKeys(io: Io, signKey?: string): Promise<FoundKeys> {
  const [shared, own, others] = await Promise.all(
    PLAN_KEYS.map(({ variable }) => readVariable(variable, io)),
  );
  const found = {
    shared: shared ?? findLost('shared', io),
    private: await readPem(
      signKey === undefined
        ? (own ?? findLost('private', io))
        : { value: `@${signKey}`, origin: '--sign-key' },
      io,
    ),
    public: others === undefined ? findLost('public', io) : await readPem(others, io),
  };
  const faults = {
    shared: (key: string) =>
      key.length < SHORTEST_KEY
        ? `is too short: expected at least ${SHORTEST_KEY} characters, as openssl rand -hex 32 prints them`
        : undefined,
    private: (key: string) => findKeyFault(key, 'private'),
    public: (keys: string) =>
      splitKeys(keys)
        .map((key) => findKeyFault(key, 'public'))
        .find((fault) => fault !== undefined),
  };
  const check = (name: Name): FoundKeys[Name] => {
    const key = found[name];
    if (key === undefined || 'problem' in key) return key;
    if (name !== 'public') io.masker.learn(key.value);
    const fault = faults[name](key.value);
    return fault === undefined ? key : { origin: key.origin, problem: unusable(name, key.origin, fault) };
  };
  return { shared: check('shared'), private: check('private'), public: check('public') };
}

/** An empty variable of a key: a secret that the job lost must not turn signing or checking off. */
function findLost(name: Name, io: Io): FoundKeys[Name] {
  const variable = PLAN_KEYS.find((key) => key.name === name)?.variable ?? '';
  const origin = [variable, `${variable}_FILE`].find((one) => io.env(one) === '');
  if (origin === undefined) return undefined;
  return {
    origin,
    problem: unusable(name, origin, `is empty: set the key, or unset the variable to ${WITHOUT[name]}`),
  };
}

const WITHOUT: Readonly<Record<Name, string>> = {
  shared: 'accept any plan',
  private: 'save plans without a signature',
  public: 'accept any plan',
};

/** A shorter key could be guessed from a plan that it signed. */
const SHORTEST_KEY = 32;

/** Reads the file of a key that is given as `@FILE`. */
async function readPem(key: FoundKeys[Name], io: Io): Promise<FoundKeys[Name]> {
  if (key === undefined || 'problem' in key || !key.value.startsWith('@')) return key;
  const path = key.value.slice(1);
  try {
    return { value: await io.readNamedFile(path), origin: key.origin };
  } catch (error) {
    return { origin: key.origin, problem: unreadableSetting(path, key.origin, error, true) };
  }
}

function unusable(name: Name, origin: string, fault: string): Problem {
  const hint =
    name === 'shared'
      ? 'use a longer key, both where plans are made and where they are applied'
      : 'make a key pair with gwconf keygen --out FILE: FILE is the private key, FILE.pub the public one';
  return makeProblem({ code: 'invalid-value', message: `the key in ${origin} ${fault}`, hint });
}
