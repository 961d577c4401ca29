import { getOrAdd } from '../../model/collect.ts';
import { isList, isObject, isScalar, valueOf, type Json } from '../../model/json/json.ts';
import { VARIABLES } from './uses.ts';

/**
 * The variables that maps of a document set for the commands in them, as far as each has one value: within a map that has commands, and
 * otherwise, or where another one extends it, in the whole document.
 */
export function settingsIn(document: Json): {
  readonly of: (value: Json) => readonly (readonly [string, string])[];
} {
  const all = valuesIn(document);
  const extended = extendedIn(document);
  const isOwn = (value: Json): boolean =>
    !extended.has(value) &&
    ['script', 'command', 'args', 'run', 'image'].some((key) => valueOf(value, key) !== undefined);
  return {
    of: (value) => {
      const plain = variablesIn(value).filter(([, text]) => !/[${]/.test(text));
      if (plain.length === 0) return [];
      const values = isOwn(value) ? valuesIn(value) : all;
      return plain.filter(([name]) => values.get(name)?.size === 1);
    },
  };
}

/** All values that each variable has in a document, also in the combinations of a matrix. */
function valuesIn(document: Json): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>();
  const add = (name: string, text: string): void => void getOrAdd(values, name, () => new Set()).add(text);
  const visit = (value: Json, isMatrix: boolean): void => {
    for (const [name, text] of variablesIn(value)) add(name, text);
    if (typeof value === 'string')
      for (const [whole, name = ''] of value.matchAll(SET_FOR_LATER)) add(name, whole);
    if (isList(value)) for (const one of value) visit(one, isMatrix);
    else if (isObject(value))
      for (const [key, child] of Object.entries(value)) {
        if (isMatrix)
          for (const one of [child].flat()) if (one !== null && isScalar(one)) add(key, String(one));
        visit(child, isMatrix || key === 'matrix');
      }
  };
  visit(document, false);
  return values;
}

/** How a command of Azure sets a variable for those after it. */
const SET_FOR_LATER = /task\.setvariable variable=(\w+)/gi;

/** The jobs and services that others extend: what these set comes before what they do. */
function extendedIn(document: Json): ReadonlySet<Json> {
  const names = new Set<string>();
  const visit = (value: Json): void => {
    const base = valueOf(value, 'extends');
    for (const one of [valueOf(base, 'service') ?? base ?? []].flat())
      if (typeof one === 'string') names.add(one);
    for (const child of isList(value) ? value : isObject(value) ? Object.values(value) : []) visit(child);
  };
  visit(document);
  const parts = [document, valueOf(document, 'services')].flatMap((one) =>
    isObject(one) ? Object.entries(one) : [],
  );
  // Those with a dot run only where another one uses them, which can be in another file.
  return new Set(parts.flatMap(([name, one]) => (names.has(name) || name.startsWith('.') ? [one] : [])));
}

/** `variables` of GitLab, `env` of Kubernetes and `environment` of Compose, as a map or a list. */
function variablesIn(value: Json): readonly (readonly [string, string])[] {
  return VARIABLES.flatMap((key) => {
    const all = valueOf(value, key);
    const items = isList(all)
      ? all.map((item) =>
          typeof item === 'string'
            ? [item.split('=', 1)[0], item.includes('=') ? item.slice(item.indexOf('=') + 1) : `\${${item}}`]
            : [valueOf(item, 'name'), valueOf(item, 'value')],
        )
      : isObject(all)
        ? Object.entries(all)
        : [];
    return items.flatMap(([name, one]) =>
      typeof name === 'string' &&
      /^[A-Za-z_]\w*$/.test(name) &&
      one !== null &&
      one !== undefined &&
      isScalar(one)
        ? [[name, String(one)] as const]
        : [],
    );
  });
}
