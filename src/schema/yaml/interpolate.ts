import { addAll } from '../../model/collect.ts';
import type { Json, Pointer } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import { isReserved } from '../../model/text/placeholder.ts';
import { suggest } from '../../model/text/suggest.ts';
import { readPlain } from './plain.ts';

/** The value of a variable in the project file. */
export type Scalar = string | number | boolean | null;

/** Text with placeholders, as in a file. */
export type Written = {
  readonly text: string;
  /** Whether it is one unquoted placeholder, whose value is typed as in YAML. */
  readonly plain: boolean;
};

/** What fills in `${NAME}`, `${var.NAME}`, `${file:…}` and `${exec:…}`. `variablesFrom` has what most of them have in common. */
export type Variables = {
  /**
   * An environment variable, which is text; or, as `var.NAME`, one of the project file, which is typed or itself filled in from the
   * environment. Undefined if not set.
   */
  readonly valueOf: (name: string) => Scalar | Written | undefined;
  /** Whether the value of an environment variable can be shown. */
  readonly isPublic: (name: string) => boolean;
  /** How a user allows that these values are shown. */
  readonly publish: (names: readonly string[]) => string;
  /** The names of typed variables, for hints. */
  readonly typed: readonly string[];
  /** Why files must not name an environment variable; undefined if they can. They can never name settings of gwconf. */
  readonly refuse: (name: string) => Fault | undefined;
  /** The text of `${file:…}` and `${exec:…}`, by name: `file:…`, `exec:…`. */
  readonly source: (name: string) => Sourced;
  readonly missing: MissingValues;
  /** `open`: where a missing value may be open, it is so in spite of a default. */
  readonly defaults?: 'open' | undefined;
};

/**
 * What a missing value is, because its variable is not set or not allowed: a `fault`; or, for commands that do not write, `open`,
 * except in names. `withheld`: hidden values are open even if they are set, so that nothing can be learned by comparison with them.
 */
export type MissingValues = 'fault' | 'open' | 'withheld';

/** Variables that are hidden and may all be named, without files and programs; `rules` says what is otherwise. */
export function variablesFrom(
  valueOf: Variables['valueOf'],
  rules: Partial<Omit<Variables, 'valueOf'>> = {},
): Variables {
  return {
    isPublic: () => false,
    publish: (names) => `add ${names.map((name) => `--public-variable ${name}`).join(' ')}`,
    typed: [],
    refuse: () => undefined,
    source: (name) => ({
      fault: { message: `\${${name}} is not allowed here`, hint: 'use an environment variable here' },
    }),
    missing: 'fault',
    ...rules,
    valueOf,
  };
}

/** For files of which no variable is set. */
export const NO_VARIABLES = variablesFrom(() => undefined);

/** For a file that is filled in later: placeholders are kept, except where `keep` says why there cannot be any. */
export type KeptPlaceholders = {
  readonly keep: (path: Pointer, on: 'key' | 'value') => Fault | undefined;
};

/** The treatment of the placeholders of a file. */
export type Placeholders = Variables | KeptPlaceholders;

/** A text, which may be shown if it is public, an error, or `open` if the text is unknown and not needed. */
export type Sourced =
  | { readonly text: string; readonly isPublic?: boolean }
  | { readonly fault: SourceFault }
  | 'open';

/** Why a source has no value. */
export type SourceFault = { readonly message: string; readonly hint: string };

export type Fault = Pick<Problem, 'code' | 'message' | 'variable'> & { readonly hint: string };

export type Filled = {
  readonly text: string;
  /** The typed value, if the text is exactly one placeholder of a typed variable. */
  readonly typed?: Scalar;
  /** Environment variables and sources in the text whose values must not be shown. */
  readonly variables: readonly string[];
  /** Variables and sources without a value; then the text is unchanged. */
  readonly open: readonly string[];
  readonly faults: readonly Fault[];
};

/**
 * What a text is: a `value`, which may stay open; a `name`, such as an address or a key, which may not; or a `setting` of the project
 * file, which may not and which the gateway never gets.
 */
export type FilledPlace = 'value' | 'name' | 'setting';

/** Also matches one that is not closed, so that it is not searched again from each `${` in it. */
const PLACEHOLDER = /(\$?)\$\{([^}]*)(\}?)/g;

/**
 * Replaces `${VAR}` and `${VAR:-default}` as the official CLI does; the default also replaces an empty value.
 * `$${…}` becomes `${…}`, a placeholder for the gateway (gateway-api D.4). `${file:PATH}` and `${exec:NAME}` exist only in
 * gwconf and have no default.
 */
export function fillIn(text: string, variables: Variables, place: FilledPlace = 'name'): Filled {
  const leavesOpen = place === 'value' && variables.missing !== 'fault';
  const used: string[] = [];
  const open: string[] = [];
  const faults: Fault[] = [];
  let typed: Scalar | undefined;
  const filled = text.replace(PLACEHOLDER, (written: string, dollar: string, inner: string, end: string) => {
    if (end === '') return written;
    if (dollar !== '') return written.slice(1);
    if (isSource(inner)) {
      const sourced = variables.source(inner);
      const isPublic = sourced !== 'open' && 'text' in sourced && sourced.isPublic === true;
      if (!isPublic) used.push(inner);
      if (sourced === 'open') open.push(inner);
      else if ('text' in sourced) return sourced.text;
      else faults.push({ code: 'unresolved-source', ...sourced.fault });
      return written;
    }
    const [, name, fallback] = /^([A-Za-z_]\w*|var\.[\w-]+)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined) {
      faults.push(badPlaceholder(written));
      return written;
    }
    const found = lookUp(name, variables, { place, leavesOpen, hasDefault: fallback !== undefined });
    if (found.faults.length > 0) {
      addAll(faults, found.faults);
      return written;
    }
    const { value } = found;
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      typed = found.isTyped ? value : undefined;
      addAll(used, found.secret);
      return String(value);
    }
    if (fallback !== undefined && !(leavesOpen && variables.defaults === 'open')) return fallback;
    if (!leavesOpen || found.isUnknown) faults.push(missingVariable(name, found, written, place, variables));
    else {
      addAll(used, found.missing);
      addAll(open, found.missing);
    }
    return written;
  });
  const about = { variables: used, open, faults };
  if (open.length > 0) return { text, ...about };
  return { text: filled, ...about, ...(isWhole(text) && typed !== undefined ? { typed } : {}) };
}

/** Whether a text is exactly one placeholder. */
function isWhole(text: string): boolean {
  return /^\$\{[^}]*\}$/.test(text);
}

/** A text as the template of a value. */
export function asTemplate(text: string, isPlain: boolean): Written {
  return { text, plain: isPlain && isWhole(text) };
}

/** The value of a template that is filled in. */
export function valueIn({ text, typed }: Filled, { plain }: Written): Json {
  return plain ? (typed ?? readPlain(text)) : text;
}

type Found = {
  readonly value: Scalar | undefined;
  readonly isTyped: boolean;
  /** Environment variables whose values are in the value and must not be shown. */
  readonly secret: readonly string[];
  /** Environment variables without a value. */
  readonly missing: readonly string[];
  /** Whether the project file has no such variable. */
  readonly isUnknown: boolean;
  readonly faults: readonly Fault[];
};

function lookUp(
  name: string,
  variables: Variables,
  {
    place,
    leavesOpen,
    hasDefault,
  }: { readonly place: FilledPlace; readonly leavesOpen: boolean; readonly hasDefault: boolean },
): Found {
  const found = { value: undefined, isTyped: false, secret: [], missing: [], isUnknown: false, faults: [] };
  if (name.startsWith('var.')) {
    const value = variables.valueOf(name);
    if (value === undefined) return { ...found, isUnknown: true };
    if (value === null || typeof value !== 'object') return { ...found, value, isTyped: true };
    const inner = fillFlat(value.text, variables, place);
    if (inner.open.length > 0) return { ...found, missing: inner.open };
    const { faults, variables: secret } = inner;
    // Unquoted text is a scalar.
    return { ...found, value: valueIn(inner, value) as Scalar, isTyped: true, secret, faults };
  }
  if (isReserved(name)) return { ...found, faults: [reserved(name)] };
  const refusal = variables.refuse(name);
  const set = variables.valueOf(name) as string | undefined; // environment variables are text
  // One that is not set has its default, whether it is allowed or not.
  const isMissed = !leavesOpen && !(hasDefault && (set ?? '') === '');
  if (refusal !== undefined && isMissed) return { ...found, faults: [refusal] };
  const secret = variables.isPublic(name) ? [] : [name];
  const isWithheld = leavesOpen && variables.missing === 'withheld' && secret.length > 0;
  const value = refusal === undefined && !isWithheld ? set : undefined;
  return { ...found, value, secret, missing: [name] };
}

/** The same with environment variables only, for values of the project file. */
export function fillFlat(text: string, variables: Variables, place: FilledPlace): Filled {
  return fillIn(
    text,
    {
      ...variables,
      valueOf: (name) => (name.startsWith('var.') ? undefined : variables.valueOf(name)),
      source: NO_VARIABLES.source,
    },
    place,
  );
}

/** Whether a text names a variable or a source. */
export function hasVariable(text: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, dollar, , end]) => dollar === '' && end === '}');
}

/** Whether a name is `file:PATH`, `exec:NAME`, or a secret in a store, such as `vault:PATH#field`. */
export function isSource(name: string): boolean {
  return SOURCE.test(name);
}

/** `${vault:-x}` is a variable with a default, and no path of a store begins with a dash. */
const SOURCE = /^(?:(?:file|exec):.|(?:sops|vault|aws-sm|k8s):[^-])/s;

export function mayHaveSources(text: string): boolean {
  return /\$\{(?:file|exec|sops|vault|aws-sm|k8s):/.test(text);
}

function reserved(name: string): Fault {
  return {
    code: 'variable-not-allowed',
    message: `${name} is a setting of gwconf, and files cannot use it`,
    hint: 'remove it: gwconf reads it without a placeholder; or use a variable with another name',
  };
}

function badPlaceholder(written: string): Fault {
  const shown = written.replace(/^(\$\{[\w.]*[^\w.}]).+\}$/s, '$1…}'); // a default may be a secret
  return {
    code: 'bad-placeholder',
    message: `expected \${VAR}, \${VAR:-default}, \${file:PATH}, \${exec:NAME} or a store such as \${vault:PATH#field}; found ${shown}`,
    hint: `use the name of an environment variable; or write $${shown} to send ${shown} to the gateway`,
  };
}

function missingVariable(
  name: string,
  { isUnknown, missing }: Found,
  written: string,
  place: FilledPlace,
  { typed }: Variables,
): Fault {
  if (isUnknown) {
    const own = name.slice('var.'.length);
    const near = suggest(own, typed);
    const start = near === undefined ? '' : `did you mean \${var.${near}}? Or `;
    return {
      code: 'missing-variable',
      message: `the project file has no variable ${own} in this environment`,
      hint: `${start}add ${own} to the variables of the environment in gwconf.yaml`,
    };
  }
  const [variable = name] = missing;
  const end = place === 'setting' ? '' : `; or write $${written} for a placeholder of the gateway`;
  return {
    code: 'missing-variable',
    message: `the environment variable ${variable} is not set`,
    hint: `set ${variable}; or use a default, \${${variable}:-…}${end}`,
    variable,
  };
}
