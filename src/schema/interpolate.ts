import type { ProblemCode } from '../model/problem.ts';

/** The environment variables that `${NAME}` may use; undefined for one that is not set. */
export type Variables = (name: string) => string | undefined;

export type Filled = {
  readonly text: string;
  /** The text is one placeholder and nothing else. */
  readonly whole: boolean;
  /** The variables whose values are in the text. */
  readonly variables: readonly string[];
  readonly faults: readonly { readonly code: ProblemCode; readonly message: string; readonly hint: string }[];
};

const PLACEHOLDER = /(\$?)\$\{([^}]*)\}/g;

/**
 * Fills in `${VAR}` and `${VAR:-default}` as the official CLI does; the default serves for an empty variable too.
 * `$${…}` loses one dollar and is left for the gateway, which has placeholders of its own (gateway-api D.4).
 */
export function fillIn(text: string, variables: Variables): Filled {
  const used: string[] = [];
  const faults: Filled['faults'][number][] = [];
  const filled = text.replace(PLACEHOLDER, (written: string, dollar: string, inner: string) => {
    if (dollar !== '') return written.slice(1);
    const [, name, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined) {
      faults.push({
        code: 'bad-placeholder',
        message: `expected \${VAR} or \${VAR:-default}; found ${written}`,
        hint: `name an environment variable; or write $${written} for the gateway to see ${written}`,
      });
      return written;
    }
    const value = variables(name);
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      used.push(name);
      return value;
    }
    if (fallback === undefined) {
      faults.push({
        code: 'missing-variable',
        message: `the environment has no variable ${name}`,
        hint: `set ${name}; or give a default with \${${name}:-…}; or write $${written} for the gateway to resolve it`,
      });
    }
    return fallback ?? written;
  });
  const whole = /^\$\{[^}]*\}$/.test(text);
  return { text: filled, whole, variables: used, faults };
}
