import { memoize } from '../../model/collect.ts';
import {
  isList,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import { didYouMean, type Cure, type Problem, type SourceFile } from '../../model/problem.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { suggest } from '../../model/text/suggest.ts';
import { fieldsOf } from '../fields.ts';
import { describe, describeTypeOf } from '../wording.ts';
import { hasEnding } from '../../model/text/file-ending.ts';

export type Fault = { readonly path: Pointer; readonly on?: 'key' } & Pick<
  Problem,
  'code' | 'message' | 'hint' | 'instead'
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

/** Whether an apiVersion is of the gateway or of gwconf; one that only looks like theirs is a typo, not that of another tool. */
function isOurs(version: string): boolean {
  return /^(?:gateway|gwconf)\//.test(version);
}

function isForeign(version: string): boolean {
  return !isOurs(version) && suggest(version.split('/', 1)[0] ?? '', ['gateway', 'gwconf']) === undefined;
}

/** The kind of a document, or why it has none. */
export function recognise(value: Json, file: SourceFile, catalog: Catalog): Recognised | Unrecognised {
  const fault = (
    code: Problem['code'],
    path: Pointer,
    message: string,
    cure: Cure | string,
  ): Unrecognised => ({
    fault: { code, path, message, ...(typeof cure === 'string' ? { hint: cure } : cure) },
  });
  if (!isObject(value)) {
    const message = `expected a resource; found ${describeTypeOf(value)}`;
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
    return { fault: { code: 'unknown-field', path, on: 'key', message, hint: `write ${key}`, instead: key } };
  }
  const name = valueOf(value, 'kind');
  const version = valueOf(value, 'apiVersion');
  const format = valueOf(value, 'format');
  if (name === undefined && typeof format === 'string' && format.startsWith('gwconf/plan@')) {
    const hint = 'show it with gwconf show FILE, or apply it with gwconf apply FILE';
    return fault('invalid-value', '/format', 'a saved plan has no resources for a plan', hint);
  }
  if (typeof name !== 'string' && typeof valueOf(value, 'pluginClass') === 'string') {
    const message = 'an interceptor as the API v1 takes it, and many examples have it';
    const hint =
      'write it as apiVersion: gateway/v2, kind: Interceptor, metadata with its name, and spec with pluginClass, priority and config';
    return fault('missing-field', '/kind', message, hint);
  }
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
    if (typeof version === 'string' && (near === undefined ? !isOurs(version) : isForeign(version))) {
      const message = `a document of another tool: apiVersion ${describe(version)}, kind ${describe(name)}`;
      return fault(
        'unknown-kind',
        '/kind',
        message,
        'leave it out: name only files of gwconf, or their folder',
      );
    }
    const more = version === 'gateway/v2' ? `; for one that only the gateway knows, ${NAME_A_COPY}` : '';
    const cure = didYouMean(near, `use one of ${names.join(', ')}${more}`);
    return fault('unknown-kind', '/kind', `unknown kind ${describe(name)}`, cure);
  }
  if (kind !== undefined && kind.removal === undefined) {
    const message = `only the gateway creates resources of kind ${kind.name}`;
    return fault('read-only-kind', '/kind', message, 'remove the document');
  }
  if (version === form.apiVersion) return { form, kind, own, value };
  const message = `expected apiVersion ${form.apiVersion} for kind ${form.name}; found ${describe(version)}`;
  const cure = { hint: `write apiVersion: ${form.apiVersion}`, instead: form.apiVersion };
  return { form, kind, own, value, ...fault('unknown-kind', '/apiVersion', message, cure) };
}

/** Where kinds come from that no file of ours names. */
const NAME_A_COPY =
  'run gwconf schema --gateway > gateway-docs.json, and add kinds: gateway-docs.json to gwconf.yaml';

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

/** Kinds of documents that declare no resources: how the names of their files end, and how gwconf finds them. */
const OTHER_KINDS: readonly { readonly kind: string; readonly ending: string; readonly use: string }[] = [
  { kind: 'Test', ending: TEST_FILE_ENDING, use: 'leave out its path: gwconf test finds it' },
  { kind: 'Policy', ending: POLICY_FILE_ENDING, use: 'list it in policies.files of gwconf.yaml' },
];

/** Whether a file of this name has documents of such a kind. */
export function isOtherFile(path: string): boolean {
  return OTHER_KINDS.some(({ ending }) => hasEnding(path, ending));
}

/** The problem of such a document among resources. */
function notAResource(name: string): Pick<Problem, 'code' | 'message' | 'hint'> | undefined {
  const other = OTHER_KINDS.find(({ kind }) => kind === name);
  if (other === undefined) return undefined;
  return {
    code: 'unknown-kind',
    message: `a ${name} is not a resource`,
    hint: `move it to a file named NAME${other.ending}, and ${other.use}`,
  };
}

/**
 * Whether a document of a file that was found in a folder is a resource, or was meant to be one: such a file is never
 * skipped, because a prune would delete what it declares. Documents of other tools have an apiVersion or kind of their own.
 */
export function looksOurs(value: Json, catalog: Catalog): boolean {
  if (isList(value)) return value.some((item) => isObject(item) && looksOurs(item, catalog));
  if (!isObject(value)) return false;
  const version = textAt(value, 'apiVersion');
  const kind = textAt(value, 'kind');
  if (/^(?:gateway|gwconf)(?:\/|$)/i.test(version)) return true;
  // Tekton has an Interceptor, too; its apiVersion is that of a domain.
  if (/^[^/]*\./.test(version)) return false;
  const lower = kind.toLowerCase();
  if (namesOf(catalog).some((name) => name.toLowerCase() === lower)) return true;
  if (lower === 'project') return isObject(inAnyCase(value, 'environments'));
  if (lower === 'list') return looksOurs(inAnyCase(value, 'items') ?? null, catalog);
  if (version !== '') return false;
  return kind === ''
    ? hasFieldsOfAKind(value, catalog)
    : hasBody(value) && suggest(kind, namesOf(catalog)) !== undefined;
}

/** A key as a user writes it. */
function keyInAnyCase(value: JsonObject, wanted: string): string | undefined {
  if (Object.hasOwn(value, wanted)) return wanted;
  return Object.keys(value).find((key) => key.toLowerCase() === wanted.toLowerCase());
}

function inAnyCase(value: JsonObject, wanted: string): Json | undefined {
  return valueOf(value, keyInAnyCase(value, wanted) ?? wanted);
}

function textAt(value: JsonObject, key: string): string {
  const text = inAnyCase(value, key);
  return typeof text === 'string' ? text : '';
}

function formsOf({ kinds, ownKinds }: Catalog): readonly (Kind | OwnKind)[] {
  return [...kinds.values(), ...ownKinds.values()];
}

function namesOf(catalog: Catalog): readonly string[] {
  return formsOf(catalog).flatMap(namesOfForm);
}

/** How documents of a kind name it. */
export function namesOfForm(form: Kind | OwnKind): readonly string[] {
  return [form.name, ...('aliases' in form ? form.aliases : [])];
}

function hasBody(value: JsonObject): boolean {
  return isObject(inAnyCase(value, 'metadata')) || isObject(inAnyCase(value, 'spec'));
}

/** Without apiVersion and kind: whether metadata and spec have only fields of one kind. */
function hasFieldsOfAKind(value: JsonObject, catalog: Catalog): boolean {
  const [metadata, spec] = [inAnyCase(value, 'metadata'), inAnyCase(value, 'spec')];
  if (!isObject(metadata) || !isObject(spec)) return false;
  const isTelling = Object.keys({ ...metadata, ...spec }).some((key) => key !== 'name');
  return (
    isTelling &&
    formsOf(catalog).some(({ schema }) => fits(metadata, schema.metadata) && fits(spec, schema.spec))
  );
}

function fits(value: JsonObject, schema: Json): boolean {
  const fields = fieldsOf(schema);
  return Object.keys(value).every((key) => fields.has(key));
}

/**
 * The kind with a name as people type it. Case, hyphens and an `s` at the end do not matter, and the name in the URLs of the API is
 * one, too.
 */
export function findKind(written: string, kinds: KindSet): Kind | undefined {
  return kinds.get(written) ?? kindsByName(kinds).get(fold(written));
}

/** Why a name is not that of a kind, and what to write. */
export function unknownKindName(written: string, kinds: KindSet): string {
  const near =
    suggest(written, kinds.keys()) ??
    kindsByName(kinds).get(suggest(fold(written), kindsByName(kinds).keys()) ?? '')?.name;
  const cure = near === undefined ? `use one of ${[...kinds.keys()].join(', ')}` : `did you mean ${near}?`;
  return `unknown kind ${describe(written)}; ${cure}`;
}

const kindsByName = memoize((kinds: KindSet): ReadonlyMap<string, Kind> => {
  const named = [...kinds.values()].flatMap((kind) => {
    const inUrls = kind.collection.split('/').at(-1) ?? '';
    return [kind.name, ...kind.aliases, inUrls].map((name) => [fold(name), kind] as const);
  });
  return new Map(named);
});

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '');
}
