import { isSecretKey } from '../../model/secrets/secret-texts.ts';
import { compileAllowed, excludedBy } from '../../model/text/glob.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Environment, Exec } from '../../schema/project/project.ts';
import { isReserved } from '../../model/text/placeholder.ts';
import { isSource, type SourceFault, type Variables, type Sourced } from '../../schema/yaml/interpolate.ts';
import { isCi } from '../ci.ts';
import type { Host } from '../host.ts';
import { isInStore, storeOf } from './stores.ts';

export const ALLOWED = 'GWCONF_ALLOWED_VARIABLES';
export const PUBLIC = 'GWCONF_PUBLIC_VARIABLES';

/** Which environment variables files can use, besides those that are shown: globs, of which a leading `!` excludes; undefined if all. */
export type VariableRule = {
  readonly allowed: readonly string[] | undefined;
  readonly shown: readonly string[];
};

/**
 * In CI, a pull request can change files and gwconf.yaml. So the job lists the variables that they can use, and those whose
 * values can be shown; elsewhere gwconf.yaml may list the latter.
 */
export function readVariableRule(
  env: Host['env'],
  environment: Environment | undefined,
  publicVariables: readonly string[] = [],
): VariableRule {
  const shown = [...publicVariables, ...(globsIn(env(PUBLIC)) ?? [])];
  // Empty allows none: a job may fail to fill it.
  const allowed = globsIn(env(ALLOWED)) ?? (isCi(env) ? [] : undefined);
  if (allowed !== undefined) return { allowed, shown };
  return { allowed, shown: [...shown, ...(environment?.publicVariables ?? [])] };
}

/** Globs for the secrets of stores that files can ask for; in CI none, unless the job says so. Undefined: all. */
export function readSourceRule(env: Host['env']): readonly string[] | undefined {
  return globsIn(env('GWCONF_ALLOWED_SOURCES')) ?? (isCi(env) ? [] : undefined);
}

/** The variables of an environment; `note` gets the values that must not be shown. */
export function makeVariables(
  host: Host,
  environment: Environment | undefined,
  rule: VariableRule,
  note: (secret: string) => void,
): Variables {
  const own = new Map(Object.entries(environment?.variables ?? {}));
  const { isPublic, isAllowed } = compileRule(rule);
  const valueOf: Variables['valueOf'] = (name) => {
    if (name.startsWith('var.')) return own.get(name.slice('var.'.length));
    const value = host.env(name);
    if (value !== undefined && !isPublic(name)) note(value);
    return value;
  };
  return {
    valueOf,
    isPublic,
    typed: [...own.keys()],
    publish: (names) => publishing(names.join(', '), rule.allowed !== undefined, environment),
    refuse: (name) =>
      isAllowed(name)
        ? undefined
        : {
            code: 'variable-not-allowed',
            message: `the environment variable ${name} is not allowed here`,
            hint: `if files can use it, add ${name} to ${ALLOWED} where the variables of the job are set`,
          },
    source: leaveSourcesOpen(environment),
    missing: 'fault',
  };
}

/** What a job excludes from those that files can use, they cannot use as a public one, either. */
export function compileRule({ allowed = ['*'], shown }: VariableRule): {
  readonly isPublic: (name: string) => boolean;
  readonly isAllowed: (name: string) => boolean;
} {
  const isPublic = compileAllowed(shown);
  const isListed = compileAllowed(allowed);
  const isKept = compileAllowed(['*', ...excludedBy(allowed).map((glob) => `!${glob}`)]);
  return { isPublic, isAllowed: (name) => isListed(name) || (isPublic(name) && isKept(name)) };
}

/** How a variable or source that files leave open gets a value. */
export function cureFor(name: string, { missing, isPublic, refuse }: Variables): string {
  if (missing === 'withheld' && (isSource(name) || !isPublic(name)))
    return 'plan against the gateway, or run this outside CI: files and snapshots may have guesses, so in CI they get no answer from hidden values';
  if (isSource(name)) return `make ${name} available`;
  return refuse(name)?.hint ?? `set ${name}`;
}

/** From this length on a value is a secret if the name of its variable says so: API_TOKEN, but not TOKEN_URL. */
const LONG = 12;
const ABOUT_SECRET = /(?:URL|URI|ENDPOINT|HOST|PATH|FILE|FOLDER|DIR|ROOT|NAME)$/i;

/**
 * The values of variables that files could use when the gateway was configured, although none may use them now: those that the
 * job allows, and those with the name of a secret.
 */
export function secretValues(
  { env, envNames }: Pick<Host, 'env' | 'envNames'>,
  rule: VariableRule,
): readonly string[] {
  const { isPublic, isAllowed } = compileRule({ ...rule, allowed: rule.allowed ?? [] });
  return envNames().flatMap((name) => {
    if (isReserved(name) || isPublic(name)) return [];
    const value = env(name) ?? '';
    return isAllowed(name) || (namesSecret(name) && value.length >= LONG) ? [value] : [];
  });
}

/** Settings that are credentials: programs get them, and may repeat them, whether or not a gateway takes them. */
export function credentials({ env, envNames }: Pick<Host, 'env' | 'envNames'>): readonly string[] {
  return envNames().flatMap((name) =>
    isReserved(name) && IS_CREDENTIAL.test(name) ? (env(name) ?? []) : [],
  );
}

/** `GWCONF_CLIENT_KEY` and `CDK_KEY` are paths. */
const IS_CREDENTIAL = /(?:PASSWORD|SECRET|TOKEN|API_KEY|PLAN_KEY|PRIVATE_KEY|AGE_KEY)$/i;

function namesSecret(name: string): boolean {
  return isSecretKey(name) && !ABOUT_SECRET.test(name);
}

function publishing(names: string, isGuarded: boolean, environment: Environment | undefined): string {
  if (isGuarded) return `add ${names} to ${PUBLIC} where the variables of the job are set`;
  if (environment !== undefined) return `add ${names} to publicVariables of the environment in gwconf.yaml`;
  return `add ${names} to ${PUBLIC}, or use --public-variable`;
}

function globsIn(list: string | undefined): readonly string[] | undefined {
  return list?.split(/[\s,]+/).filter((glob) => glob !== '');
}

/** How the names of programs begin, in `${exec:NAME}`. */
export const EXEC = 'exec:';

type NamedProgram = (Exec & { readonly fault?: undefined }) | { readonly fault: SourceFault };

/** The program that the environment gives a name. Nothing else can name one, so no saved plan can. */
export function findProgram(name: string, environment: Environment | undefined): NamedProgram {
  const called = name.slice(EXEC.length);
  const programs = new Map(Object.entries(environment?.exec ?? {}));
  const found = programs.get(called);
  if (found !== undefined) return found;
  const near = suggest(called, programs.keys());
  const where =
    environment === undefined
      ? 'no environment of gwconf.yaml is chosen'
      : `${environment.name} has no exec of that name`;
  return {
    fault: {
      message: `there is no program ${called}: ${where}`,
      hint:
        near === undefined ? 'name it under exec of the environment in gwconf.yaml' : `did you mean ${near}?`,
    },
  };
}

/** For commands that compare nothing: no file is read and no program run. */
function leaveSourcesOpen(environment: Environment | undefined): (name: string) => Sourced {
  return (name) => {
    if (isInStore(name)) {
      const found = storeOf(name);
      return 'fault' in found ? found : 'open';
    }
    const fault = name.startsWith(EXEC) ? findProgram(name, environment).fault : undefined;
    return fault === undefined ? 'open' : { fault };
  };
}
