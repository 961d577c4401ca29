import { dirname, join } from 'node:path';
import { present } from '../../model/collect.ts';
import { printPointer, type Pointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { PROTECTION_SORTS } from '../../model/principal.ts';
import { makeProblem, didYouMean, type Checked, type Place, type Problem } from '../../model/problem.ts';
import type {
  ExposureRule,
  IgnoreRule,
  Limit,
  Limited,
  Lifetime,
  Limits,
  ProtectionRules,
  ProtectRule,
  Rules,
  TokenRules,
  DiffersRule,
} from '../../model/rules.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { list } from '../../model/text/list.ts';
import { parseDuration } from '../../model/text/quantities.ts';
import { isMisspelt, suggest } from '../../model/text/suggest.ts';
import { incomplete, unknownKind } from '../load/address.ts';
import { describe } from '../wording.ts';

/** The rules in the file, valid against `ruleSchemas`. */
export type RawRules = {
  readonly manages?: readonly Managed[];
  readonly protect?: readonly Omit<ProtectRule, 'place'>[];
  readonly overlays?: readonly string[];
  readonly limits?: RawLimits;
  readonly external?: readonly string[];
  readonly ignore?: readonly Omit<IgnoreRule, 'place'>[];
  readonly token?: RawToken;
  readonly protection?: ProtectionRules;
  readonly exposures?: readonly Omit<ExposureRule, 'place'>[];
};
type RawToken = {
  readonly maxLifetime?: string;
  readonly accounts?: readonly {
    readonly address: string;
    readonly maxLifetime: string;
    readonly reason?: string;
  }[];
};
type RawLimits = RawLimited & { readonly kinds?: Readonly<Record<string, RawLimited>> };
type RawLimited = { readonly deletes?: number | string; readonly updates?: number | string };
type Managed = string | { readonly kind?: string; readonly virtualCluster?: string; readonly name?: string };

type Written = { readonly [key in keyof RawRules]: RawRules[key] | undefined };

/** The rules of an environment, each with its place; unknown kinds are problems. */
export function rulesIn(
  raw: Written,
  environment: string,
  kinds: KindSet,
  placeOf: (path: Pointer) => Place,
): Checked<Rules> {
  const { manages, protect, overlays, limits, external, ignore, token, protection, exposures } = raw;
  const pathTo = (...tokens: readonly (string | number)[]): Pointer =>
    printPointer(['environments', environment, ...tokens]);
  const placeAt = (...tokens: readonly (string | number)[]): Place => placeOf(pathTo(...tokens));
  return {
    value: present({
      manages: manages?.flatMap(globsOf),
      protect: protect?.map((rule, at) => ({ ...rule, place: placeAt('protect', at) })),
      overlays: overlays?.map((path) => pathFrom(placeAt(), path)),
      limits: limits && { ...limitsOf(limits), place: placeAt('limits') },
      external: external?.map((address, at) => ({ address, place: placeAt('external', at) })),
      ignore: ignore?.map((rule, at) => ({ ...rule, place: placeAt('ignore', at) })),
      token: token && tokenRules(token),
      protection,
      exposures: exposures?.map((rule, at) => ({ ...rule, place: placeAt('exposures', at) })),
    }),
    problems: [
      ...patternsIn(raw).flatMap(({ glob, kind, tokens }) => {
        const where = { at: placeAt(...tokens), path: pathTo(...tokens) };
        if (glob === undefined) return kindProblem(kind, kinds, where);
        const isNegated = tokens[0] === 'manages' && glob.startsWith('!');
        return globProblem(isNegated ? glob.slice(1) : glob, kinds, where, isNegated ? '!' : '');
      }),
      ...(protect ?? []).flatMap((rule, at) =>
        checkProtected(rule, kinds, (...tokens) => ({
          at: placeAt('protect', at, ...tokens),
          path: pathTo('protect', at, ...tokens),
        })),
      ),
      ...(exposures ?? []).flatMap(({ protection: sort }, at) => {
        const where = ['exposures', at, 'protection'] as const;
        return checkSort(sort, protection, { at: placeAt(...where), path: pathTo(...where) });
      }),
      ...checkRuleCount(raw, { at: placeAt(), path: pathTo() }),
    ],
  };

  function tokenRules({ maxLifetime, accounts }: RawToken): TokenRules {
    const lifetimeAt = (text: string, ...tokens: readonly (string | number)[]): Lifetime => ({
      text,
      seconds: Math.floor((parseDuration(text) ?? Infinity) / 1000),
      place: placeAt('token', ...tokens, 'maxLifetime'),
    });
    return present({
      maxLifetime: maxLifetime === undefined ? undefined : lifetimeAt(maxLifetime),
      accounts: accounts?.map((rule, at) => ({
        ...rule,
        maxLifetime: lifetimeAt(rule.maxLifetime, 'accounts', at),
      })),
    });
  }
}

/** A path that the project file names, as paths of files are written. */
function pathFrom(place: Place, path: string): string {
  const { file } = 'document' in place ? place.document : place;
  return join(dirname(file.path), path).replace(/[\\/]$/, '');
}

/** A glob for addresses or for kinds, and its path in the environment. */
type WrittenPattern = { readonly tokens: readonly (string | number)[] } & (
  | { readonly glob: string; readonly kind?: undefined }
  | { readonly kind: string; readonly glob?: undefined }
);

function patternsIn({
  manages,
  protect,
  limits,
  external,
  ignore,
  token,
  protection,
  exposures,
}: Written): readonly WrittenPattern[] {
  const globAt = (glob: string | undefined, ...tokens: WrittenPattern['tokens']): readonly WrittenPattern[] =>
    glob === undefined ? [] : [{ glob, tokens }];
  const kindAt = (kind: string | undefined, ...tokens: WrittenPattern['tokens']): readonly WrittenPattern[] =>
    kind === undefined ? [] : [{ kind, tokens }];
  return [
    ...(manages ?? []).flatMap((managed, at) =>
      typeof managed === 'string'
        ? globAt(managed, 'manages', at)
        : kindAt(managed.kind, 'manages', at, 'kind'),
    ),
    ...(protect ?? []).flatMap(({ address, kind }, at) => [
      ...globAt(address, 'protect', at, 'address'),
      ...kindAt(kind, 'protect', at, 'kind'),
    ]),
    ...Object.keys(limits?.kinds ?? {}).flatMap((kind) => kindAt(kind, 'limits', 'kinds', kind)),
    ...(external ?? []).flatMap((glob, at) => globAt(glob, 'external', at)),
    ...(ignore ?? []).flatMap(({ address }, at) => globAt(address, 'ignore', at, 'address')),
    ...(token?.accounts ?? []).flatMap(({ address }, at) =>
      globAt(address, 'token', 'accounts', at, 'address'),
    ),
    ...Object.entries(protection ?? {}).flatMap(([name, members]) =>
      members.flatMap((member, at) => (member.includes('/') ? globAt(member, 'protection', name, at) : [])),
    ),
    ...(exposures ?? []).flatMap(({ address }, at) => globAt(address, 'exposures', at, 'address')),
  ];
}

/** A rule whose keys no object can match together, or for a misspelt class, protects nothing. */
function checkProtected(
  { kind = '*', address = '*', pluginClass }: Omit<ProtectRule, 'place'>,
  kinds: KindSet,
  whereOf: (...tokens: readonly string[]) => Where,
): readonly Problem[] {
  const start = address.includes('/') ? address.slice(0, address.indexOf('/')) : '*';
  if ([kind, start].some((name) => !name.includes('*') && !kinds.has(name))) return []; // told as such
  const [isKind, isStart] = [compileGlob(kind), compileGlob(start)];
  const named = [...kinds.values()].filter(({ name }) => isKind(name) && isStart(name));
  const found = pluginClass === undefined ? named : named.filter(({ variants }) => variants !== undefined);
  if (found.length > 0)
    return pluginClass === undefined ? [] : checkClass(pluginClass, found, whereOf('pluginClass'));
  const message = 'no object can match all keys of this rule, so it protects nothing';
  const cause =
    named.length === 0
      ? 'its kind and its address are of different kinds'
      : 'only interceptors have a pluginClass';
  return [
    makeProblem({
      code: 'invalid-value',
      message,
      ...whereOf(),
      hint: `write two rules, or correct this one: ${cause}`,
    }),
  ];
}

/** A glob for plugin classes that is for none that is known, and for one of them but for a typo. Classes of one's own are not known. */
function checkClass(written: string, kinds: readonly Kind[], where: Where): readonly Problem[] {
  const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  const known = kinds.flatMap(({ variants }) => variants?.known.map(({ name }) => name) ?? []);
  const isKnown = (glob: string): boolean => {
    const matches = compileGlob(glob);
    return known.some((name) => matches(name) || matches(lastOf(name)));
  };
  const own = lastOf(written);
  const near = isKnown(written) ? undefined : known.map(lastOf).find((name) => isMisspelt(own, [name]));
  const meant = near === undefined ? undefined : written.slice(0, written.length - own.length) + near;
  if (meant === undefined || !isKnown(meant)) return [];
  const message = `no plugin class that gwconf knows matches ${describe(written)}`;
  return [makeProblem({ code: 'unusual-value', message, ...where, ...didYouMean(meant, '') })];
}

/** An acceptance for a sort of protection that there is not accepts nothing. */
function checkSort(
  sort: string | undefined,
  own: ProtectionRules | undefined,
  where: Where,
): readonly Problem[] {
  const known = [...PROTECTION_SORTS, ...Object.keys(own ?? {})];
  if (sort === undefined || known.includes(sort)) return [];
  const near = suggest(sort, known);
  const cure = didYouMean(near, `use one of ${known.join(', ')}`);
  const message = `unknown protection type ${describe(sort)}`;
  return [makeProblem({ code: 'invalid-value', message, ...where, ...cure })];
}

/** Each is compared with each object. */
const MOST_GLOBS = 1000;

/** Counts the rules that may be for more than one object; any number of others is looked up. */
function checkRuleCount(
  { manages, protect, external, ignore, protection = {}, exposures }: Written,
  where: Where,
): readonly Problem[] {
  const addresses = [
    ...(manages ?? []).map((one) =>
      typeof one === 'string' ? one : `${one.kind ?? '*'}/${one.name ?? '*'}${one.virtualCluster ?? ''}`,
    ),
    ...(protect ?? []).map(({ address = '*' }) => address),
    ...(external ?? []),
    ...(ignore ?? []).map(({ address }) => address),
    ...Object.values(protection).flat(),
    ...(exposures ?? []).map(({ address }) => address),
  ];
  const globs = addresses.filter((address) => address.includes('*')).length;
  if (globs <= MOST_GLOBS) return [];
  const message = `the rules of the environment have ${globs} globs; at most ${MOST_GLOBS} are allowed`;
  return [
    makeProblem({
      code: 'invalid-value',
      message,
      ...where,
      hint: 'write addresses without *, or fewer globs for more objects',
    }),
  ];
}

/** The globs for a list of names. */
function globsOf(managed: Managed): readonly string[] {
  if (typeof managed === 'string') return [managed];
  const { kind = '*', virtualCluster, name = '*' } = managed;
  return virtualCluster === undefined
    ? alsoWith('@*', `${kind}/${name}`)
    : alsoWith(',*', `${kind}/${name}@vCluster=${virtualCluster}`);
}

/** The glob with and without a suffix. */
function alsoWith(more: string, glob: string): readonly string[] {
  return glob.endsWith('*') ? [glob] : [glob, `${glob}${more}`];
}

function limitsOf({ kinds, ...all }: RawLimits): Limits {
  if (kinds === undefined) return limitedOf(all);
  const each = Object.entries(kinds).map(([kind, own]) => [kind, limitedOf(own)] as const);
  return { ...limitedOf(all), kinds: Object.fromEntries(each) };
}

function limitedOf({ deletes, updates }: RawLimited): Limited {
  return present({ deletes: limitOf(deletes), updates: limitOf(updates) });
}

/** `12` is a number of objects, `10%` a part of the managed ones; undefined for other text. */
export function limitOf(written: number | string | undefined): Limit | undefined {
  const [, number = '', percent] = /^(\d{1,9})(%?)$/.exec(asWhole(written)) ?? [];
  if (number === '') return undefined;
  return percent === '%' ? { percent: Number(number) } : { objects: Number(number) };
}

/** A number with more digits than JavaScript keeps is a bound, too: the whole number below it. */
function asWhole(written: number | string | undefined): string {
  return typeof written === 'string' ? written : String(Math.floor(Number(written)));
}

type Where = Pick<Problem, 'at' | 'path'>;

/** A glob without a known kind at its start, or an address that is not whole, matches nothing. `before` is what is written before it. */
export function globProblem(glob: string, kinds: KindSet, where: Where, before = ''): readonly Problem[] {
  const [kind = '', ...rest] = glob.split('/');
  if (kind.includes('*')) return [];
  const known = glob.includes('*') ? undefined : kinds.get(kind);
  const fault = known && rest.length > 0 ? incomplete(glob, known) : undefined;
  if (fault !== undefined) return [{ severity: 'error', ...fault, ...where }];
  if (rest.length > 0) return kindProblem(kind, kinds, where, (near) => before + [near, ...rest].join('/'));
  const message = `${describe(glob)} matches no address`;
  return [
    makeProblem({
      code: 'invalid-value',
      message,
      ...where,
      hint: 'write it as Kind/name, with * for any text',
    }),
  ];
}

/** `textWith` is the whole text with another kind, where that is a text. */
export function kindProblem(
  name: string,
  kinds: KindSet,
  where: Where,
  textWith?: (kind: string) => string,
): readonly Problem[] {
  if (name.includes('*') || kinds.has(name)) return [];
  const { fault, near } = unknownKind(name, kinds);
  return [
    {
      severity: 'error',
      ...fault,
      ...where,
      ...(near === undefined || textWith === undefined ? {} : { instead: textWith(near) }),
    },
  ];
}

/** The rules in the file, valid against `differsSchema`. */
export type RawDiffers = readonly Omit<DiffersRule, 'place'>[];

/**
 * The objects and fields that are meant to differ between environments, each with its place; unknown kinds and environments are
 * problems.
 */
export function differsIn(
  raw: RawDiffers,
  environments: readonly string[],
  kinds: KindSet,
  placeOf: (path: Pointer) => Place,
): Checked<readonly DiffersRule[]> {
  const pathTo = (...tokens: readonly (string | number)[]): Pointer => printPointer(['differs', ...tokens]);
  return {
    value: raw.map((rule, at) => ({ ...rule, place: placeOf(pathTo(at)) })),
    problems: raw.flatMap(({ address, between = [] }, at): readonly Problem[] => {
      const where = (path: Pointer): Pick<Problem, 'at' | 'path'> => ({ at: placeOf(path), path });
      return [
        ...globProblem(address, kinds, where(pathTo(at, 'address'))),
        ...between.flatMap((name, nth) =>
          environments.includes(name)
            ? []
            : [unknownEnvironment(name, environments, where(pathTo(at, 'between', nth)))],
        ),
      ];
    }),
  };
}

function unknownEnvironment(
  name: string,
  environments: readonly string[],
  where: Pick<Problem, 'at' | 'path'>,
): Problem {
  return makeProblem({
    code: 'invalid-value',
    message: `there is no environment ${describe(name)}`,
    ...where,
    hint: `use two of ${list(environments)}`,
  });
}
