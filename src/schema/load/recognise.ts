import {
  isList,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import { suggest } from '../../model/text/suggest.ts';
import { describe, wordTypeOf } from '../wording.ts';
import { keyInAnyCase } from './looks-ours.ts';
import { notAResource } from './other-kinds.ts';

export type Fault = { readonly path: Pointer; readonly on?: 'key' } & Pick<
  Problem,
  'code' | 'message' | 'hint'
>;
export type Recognised = {
  readonly form: Kind | OwnKind;
  readonly kind: Kind | undefined;
  readonly own: OwnKind | undefined;
  readonly value: JsonObject;
  /** Another apiVersion than that of the kind. */
  readonly fault?: Fault;
};
type Unrecognised = { readonly form?: undefined; readonly fault: Fault };

/** The kind of a document, or why it has none. */
export function recognise(value: Json, file: SourceFile, catalog: Catalog): Recognised | Unrecognised {
  const fault = (code: Problem['code'], path: Pointer, message: string, hint: string): Unrecognised => ({
    fault: { code, path, message, hint },
  });
  if (!isObject(value)) {
    const message = `expected a resource; found ${wordTypeOf(value)}`;
    const hint = isList(value)
      ? 'put --- between the resources, instead of a list; gwconf fmt --to yaml does so with JSON'
      : 'write apiVersion, kind, metadata and spec';
    return fault('invalid-value', '', message, hint);
  }
  for (const key of ['apiVersion', 'kind']) {
    const written = keyInAnyCase(value, key) ?? key;
    if (written === key) continue;
    const path = joinPointer('', written);
    const message = `unknown field ${written}`;
    return { fault: { code: 'unknown-field', path, on: 'key', message, hint: `write ${key}` } };
  }
  const name = valueOf(value, 'kind');
  const version = valueOf(value, 'apiVersion');
  if (typeof name !== 'string') {
    return fault(
      'missing-field',
      '/kind',
      'the document has no kind',
      `add kind: one of ${namesIn(catalog).join(', ')}`,
    );
  }
  const kind = kindNamed(name, catalog);
  const own = catalog.ownKinds.get(name);
  const form = kind ?? own;
  if (form === undefined && name === 'Project') return { fault: { path: '/kind', ...projectIn(file) } };
  const other = form === undefined ? notAResource(name) : undefined;
  if (other !== undefined) return { fault: { path: '/kind', ...other } };
  if (form === undefined) {
    const names = namesIn(catalog);
    const near = suggest(name, names);
    const hint = near === undefined ? `use one of ${names.join(', ')}` : `did you mean ${near}?`;
    return fault('unknown-kind', '/kind', `unknown kind ${describe(name)}`, hint);
  }
  if (kind !== undefined && kind.removal === undefined) {
    const message = `only the gateway creates resources of kind ${kind.name}`;
    return fault('read-only-kind', '/kind', message, 'remove the document');
  }
  if (version === form.apiVersion) return { form, kind, own, value };
  const message = `expected apiVersion ${form.apiVersion} for kind ${form.name}; found ${describe(version)}`;
  const hint = `write apiVersion: ${form.apiVersion}`;
  return { form, kind, own, value, ...fault('unknown-kind', '/apiVersion', message, hint) };
}

function projectIn({ path }: SourceFile): typeof MISNAMED {
  return /(?:^|[/\\])gwconf\.yaml$/.test(path) ? NOT_RESOURCES : MISNAMED;
}

const NOT_RESOURCES: typeof MISNAMED = {
  code: 'misnamed-project',
  message: 'a project file is read as resources, but it contains none',
  hint: 'leave out its path: gwconf reads gwconf.yaml by itself, and --env chooses an environment',
};

/** The problem of a project file that would not be read. */
export const MISNAMED: Pick<Problem, 'code' | 'message' | 'hint'> = {
  code: 'misnamed-project',
  message: 'a project file must be called gwconf.yaml',
  hint: 'rename it; if there is a gwconf.yaml already, remove this one',
};

/** The kinds that a document can declare. */
function namesIn({ kinds, ownKinds }: Catalog): readonly string[] {
  const writable = [...kinds.values()].filter(({ removal }) => removal !== undefined);
  return [...writable.map(({ name }) => name), ...ownKinds.keys()];
}

/** A kind by its name; one of the gateway also by an alias. */
export function formNamed(name: Json | undefined, catalog: Catalog): Kind | OwnKind | undefined {
  return typeof name === 'string' ? (kindNamed(name, catalog) ?? catalog.ownKinds.get(name)) : undefined;
}

/** A kind of the gateway by its name or an alias. */
export function kindNamed(name: string, { kinds }: Catalog): Kind | undefined {
  return kinds.get(name) ?? [...kinds.values()].find(({ aliases }) => aliases.includes(name));
}
