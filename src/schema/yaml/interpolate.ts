import type { ProblemCode } from '../../model/problem-codes.ts';

/** A value that an environment of the project file gives a name. */
export type Scalar = string | number | boolean | null;

/**
 * What `${NAME}` may use: environment variables, which are text, and as `var.NAME` the typed variables of the
 * environment that the project file describes. Undefined for what is not set.
 */
export type Variables = ((name: string) => Scalar | undefined) & {
  /** Whether the value of an environment variable may be shown; without it none may. */
  readonly isPublic?: (name: string) => boolean;
  /** What `${file:…}` and `${exec:…}` give, by their names: `file:…`, `exec:…`. Without it there are none. */
  readonly source?: (name: string) => Sourced;
  /**
   * For those who write nothing: an environment variable that is not set is no problem in a value outside of metadata,
   * which stays open.
   */
  readonly leavesOpen?: boolean;
};

/** A text; or why there is none; or `open`, where it is no problem that nobody can tell. */
export type Sourced =
  | { readonly text: string }
  | { readonly fault: { readonly message: string; readonly hint: string } }
  | 'open';

export type Filled = {
  readonly text: string;
  /** The text is one placeholder and nothing else. */
  readonly whole: boolean;
  /** The typed value, where the text is one placeholder of a variable that has a type of its own. */
  readonly typed?: Scalar;
  /** The environment variables and sources whose values are in the text and may not be shown. */
  readonly variables: readonly string[];
  /** What has no value here; then the text is as it was written. */
  readonly open: readonly string[];
  readonly faults: readonly { readonly code: ProblemCode; readonly message: string; readonly hint: string }[];
};

const PLACEHOLDER = /(\$?)\$\{([^}]*)\}/g;

/**
 * Fills in `${VAR}` and `${VAR:-default}` as the official CLI does; the default serves for an empty variable too.
 * `$${…}` loses one dollar and is left for the gateway, which has placeholders of its own (gateway-api D.4).
 * `${file:PATH}` and `${exec:NAME}` are ours, and take no default: a secret that is missing is never replaced.
 * With `leavesOpen` a variable that is not set is no fault: the text stays open.
 */
export function fillIn(text: string, variables: Variables, leavesOpen = false): Filled {
  const used: string[] = [];
  const open: string[] = [];
  const faults: Filled['faults'][number][] = [];
  let typed: Scalar | undefined;
  const filled = text.replace(PLACEHOLDER, (written: string, dollar: string, inner: string) => {
    if (dollar !== '') return written.slice(1);
    if (isSource(inner)) {
      const sourced = variables.source?.(inner) ?? { fault: noSources(inner) };
      used.push(inner);
      if (sourced === 'open') open.push(inner);
      else if ('text' in sourced) return sourced.text;
      else faults.push({ code: 'unresolved-source', ...sourced.fault });
      return written;
    }
    const [, name, fallback] = /^([A-Za-z_]\w*|var\.[\w-]+)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined) {
      const shown = written.replace(/^(\$\{[\w.]*[^\w.}]).+\}$/s, '$1…}'); // a default may be a secret
      faults.push({
        code: 'bad-placeholder',
        message: `expected \${VAR}, \${VAR:-default}, \${file:PATH} or \${exec:NAME}; found ${shown}`,
        hint: `name an environment variable; or write $${shown} for the gateway to see ${shown}`,
      });
      return written;
    }
    const value = variables(name);
    const own = name.startsWith('var.');
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      if (own) typed = value;
      else if (variables.isPublic?.(name) !== true) used.push(name);
      return String(value);
    }
    if (fallback !== undefined) return fallback;
    if (own) faults.push(unknownVariable(name));
    else if (leavesOpen) {
      used.push(name);
      open.push(name);
    } else faults.push(missingVariable(name, written));
    return written;
  });
  const whole = /^\$\{[^}]*\}$/.test(text);
  const about = { whole, variables: used, open, faults };
  if (open.length > 0) return { text, ...about };
  return { text: filled, ...about, ...(whole && typed !== undefined ? { typed } : {}) };
}

/** Whether a name is that of a file or a program: `file:PATH`, `exec:NAME`. */
export function isSource(name: string): boolean {
  return /^(?:file|exec):./s.test(name);
}

function noSources(name: string): { readonly message: string; readonly hint: string } {
  return {
    message: `\${${name}} stands where no file and no program is asked`,
    hint: 'use an environment variable here',
  };
}

function missingVariable(name: string, written: string): Filled['faults'][number] {
  return {
    code: 'missing-variable',
    message: `the environment has no variable ${name}`,
    hint: `set ${name}; or give a default with \${${name}:-…}; or write $${written} for the gateway to resolve it`,
  };
}

function unknownVariable(name: string): Filled['faults'][number] {
  return {
    code: 'missing-variable',
    message: `the environment of the project file has no variable ${name.slice('var.'.length)}`,
    hint: `add ${name.slice('var.'.length)} to the variables of the environment in gwconf.yaml`,
  };
}
