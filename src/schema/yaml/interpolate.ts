import type { ProblemCode } from '../../model/problem-codes.ts';

/** The value of a variable in the project file. */
export type Scalar = string | number | boolean | null;

/**
 * The variables of `${NAME}`: environment variables, which are text, and as `var.NAME` typed variables of the project file.
 * Undefined if not set.
 */
export type Variables = ((name: string) => Scalar | undefined) & {
  /** Whether the value of an environment variable may be shown. Absent: none. */
  readonly isPublic?: (name: string) => boolean;
  /** The text of `${file:…}` and `${exec:…}`, by name: `file:…`, `exec:…`. Absent: they are not allowed. */
  readonly source?: (name: string) => Sourced;
  /** For commands that do not write: a value outside of metadata may be unknown because its variable is not set. */
  readonly leavesOpen?: boolean;
};

/** A text, an error, or `open` if the text is unknown and not needed. */
export type Sourced =
  | { readonly text: string }
  | { readonly fault: { readonly message: string; readonly hint: string } }
  | 'open';

export type Filled = {
  readonly text: string;
  /** Whether the text is exactly one placeholder. */
  readonly whole: boolean;
  /** The typed value, if the text is exactly one placeholder of a typed variable. */
  readonly typed?: Scalar;
  /** Environment variables and sources in the text whose values must not be shown. */
  readonly variables: readonly string[];
  /** Variables and sources without a value; then the text is unchanged. */
  readonly open: readonly string[];
  readonly faults: readonly { readonly code: ProblemCode; readonly message: string; readonly hint: string }[];
};

/** Also matches one that is not closed, so that it is not searched again from each `${` in it. */
const PLACEHOLDER = /(\$?)\$\{([^}]*)(\}?)/g;

/**
 * Replaces `${VAR}` and `${VAR:-default}` as the official CLI does; the default also replaces an empty value.
 * `$${…}` becomes `${…}`, a placeholder for the gateway (gateway-api D.4). `${file:PATH}` and `${exec:NAME}` exist only in
 * gwconf and have no default. With `leavesOpen` a missing variable is not a fault: the text stays open.
 */
export function fillIn(text: string, variables: Variables, leavesOpen = false): Filled {
  const used: string[] = [];
  const open: string[] = [];
  const faults: Filled['faults'][number][] = [];
  let typed: Scalar | undefined;
  const filled = text.replace(PLACEHOLDER, (written: string, dollar: string, inner: string, end: string) => {
    if (end === '') return written;
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
        hint: `use the name of an environment variable; or write $${shown} to send ${shown} to the gateway`,
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

/** Whether a name is `file:PATH` or `exec:NAME`. */
export function isSource(name: string): boolean {
  return /^(?:file|exec):./s.test(name);
}

function noSources(name: string): { readonly message: string; readonly hint: string } {
  return { message: `\${${name}} is not allowed here`, hint: 'use an environment variable here' };
}

function missingVariable(name: string, written: string): Filled['faults'][number] {
  return {
    code: 'missing-variable',
    message: `the environment variable ${name} is not set`,
    hint: `set ${name}; or use a default, \${${name}:-…}; or write $${written} for a placeholder of the gateway`,
  };
}

function unknownVariable(name: string): Filled['faults'][number] {
  return {
    code: 'missing-variable',
    message: `the project file has no variable ${name.slice('var.'.length)} in this environment`,
    hint: `add ${name.slice('var.'.length)} to the variables of the environment in gwconf.yaml`,
  };
}
