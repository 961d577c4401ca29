import { CompletionItemKind, type CompletionItem } from 'vscode-languageserver-types';
import { getOrAdd, memoize } from '../model/collect.ts';
import { isList, isObject, parsePointer, printPointer, valueOf, type Json } from '../model/json/json.ts';
import { PROTECTION_SORTS } from '../model/principal.ts';
import { kindOf, parseAddress, type Scope } from '../model/resource.ts';
import { isValid } from '../model/state.ts';
import { topicsOf } from '../effective/topics.ts';
import type { Nameable } from '../schema/closed.ts';
import { defaultOf } from '../schema/explain/about-field.ts';
import type { NamedField } from '../schema/explain/explain-place.ts';
import type { Named } from '../schema/explain/names.ts';
import { printYaml } from '../schema/yaml/print.ts';
import type { Typed } from '../schema/yaml/typed-at.ts';
import { nameablesOf } from './field-at.ts';
import type { Look } from './look.ts';
import { referredAt, type Referred } from './referred.ts';

/** A value that can be written: its label, unless it has another `value`. */
export type Offer = Pick<CompletionItem, 'label' | 'kind'> & {
  readonly value?: Json;
  readonly documentation?: string;
  readonly detail?: string;
};

/** The values that can be written at a place, each once. */
export function offersAt(
  look: Look,
  typed: Typed,
  named: Named,
  field: NamedField | undefined,
): readonly Offer[] {
  const referred = referredAt(typed, named, field?.place, look.catalog);
  const nameables =
    field === undefined ? [] : nameablesOf(field.place, typed.value, parsePointer(typed.path));
  const isPrincipal = nameables.includes('principal');
  const offers = [
    ...(referred === undefined ? [] : namesOf(look, referred)).map((one) =>
      isPrincipal ? { ...one, label: `User:${one.label}` } : one,
    ),
    ...(field === undefined ? [] : [...ofSchema(field), ...classesAt(field), ...topicsAt(look, field)]),
    ...nameables.flatMap((what) => offersOf(look, what)),
  ];
  return [...new Map(offers.toReversed().map((offer) => [offer.label, offer])).values()].toReversed();
}

/** The values that a schema lists. */
function ofSchema({ place, named }: NamedField): readonly Offer[] {
  const { schema } = place;
  const listed = valueOf(schema, 'enum');
  const values = isList(listed) ? listed : valueOf(schema, 'type') === 'boolean' ? [true, false] : [];
  const fallback = defaultOf(place, named);
  const isNew =
    fallback !== undefined && !isObject(fallback) && !isList(fallback) && !values.includes(fallback);
  return [...values, ...(isNew ? [fallback] : [])].map((value): Offer => ({
    label: typeof value === 'string' ? value : printValue(value),
    kind: isList(listed) ? CompletionItemKind.EnumMember : CompletionItemKind.Value,
    ...(value === fallback ? { detail: 'default' } : {}),
    value,
  }));
}

/** The values that select the form of another field, such as plugin classes. */
function classesAt({ named: { form, variant }, place }: NamedField): readonly Offer[] {
  const variants = variant === undefined && 'variants' in form ? form.variants : undefined;
  if (variants?.by !== printPointer(place.tokens)) return [];
  return variants.known.map((one) => {
    const { title, since } = one;
    return { ...classOffer(one), detail: since === undefined ? title : `${title}, since gateway ${since}` };
  });
}

/** Topics, where a config says which ones it is for. */
function topicsAt(look: Look, { named: { variant }, place }: NamedField): readonly Offer[] {
  const narrowing = variant?.narrowings.find(({ at }) => printPointer(at) === printPointer(place.tokens))?.it;
  if (narrowing?.axis !== 'topic' || narrowing.by === 'query') return [];
  return topicNames(look).map((label) => ({
    ...{ label, kind: CompletionItemKind.Reference, detail: 'topic' },
    value: narrowing.by === 'pattern' ? label.replaceAll('.', '\\.') : label,
  }));
}

const topicNames = memoize((look: Look): readonly string[] => {
  const found = new Set<string>();
  for (const { declared } of look.environments) {
    for (const one of declared.values()) {
      const topics = isValid(one) ? topicsOf(one.resource, look.catalog.kinds)?.topics : undefined;
      if (topics?.type === 'one') found.add(topics.name);
    }
  }
  return [...found].sort();
});

/** The names of declared objects of a kind, in a scope as far as it is known. */
function namesOf({ environments, catalog }: Look, { kind, scope }: Referred): readonly Offer[] {
  const isWithin = (other: Scope): boolean =>
    Object.entries(scope).every(([axis, value]) => (other[axis] ?? null) === value);
  const where = new Map<string, string[]>();
  for (const { name, declared } of environments) {
    for (const address of declared.keys()) {
      const found = kindOf(address) === kind ? parseAddress(address) : undefined;
      if (found === undefined || !isWithin(found.scope)) continue;
      const names = getOrAdd(where, found.name, () => []);
      if (name !== undefined) names.push(name);
    }
  }
  const builtIn = catalog.kinds.get(kind)?.builtIn ?? [];
  return [
    ...[...where.keys()].sort().map((label): Offer => {
      const some = where.get(label) ?? [];
      const limited = some.length > 0 && some.length < environments.length ? ` in ${some.join(', ')}` : '';
      return { label, kind: CompletionItemKind.Reference, detail: `${kind}${limited}` };
    }),
    ...builtIn.map((label): Offer => ({
      label,
      kind: CompletionItemKind.Reference,
      detail: `${kind}, built in`,
    })),
  ];
}

/** What a text of the project file, of a test or of a policy can name. */
function offersOf(look: Look, what: Nameable): readonly Offer[] {
  const { catalog, project, environments } = look;
  switch (what) {
    case 'address': {
      const all = new Set(environments.flatMap(({ declared }) => [...declared.keys()]));
      return [...all].sort().map((label) => ({ label, kind: CompletionItemKind.Reference }));
    }
    case 'class':
      return [...catalog.kinds.values()].flatMap(({ variants }) => (variants?.known ?? []).map(classOffer));
    case 'kind':
      return [...catalog.kinds.values()].map(classOffer);
    case 'environment':
      return [...project.environments.keys()].map((label) => ({ label, kind: CompletionItemKind.Constant }));
    case 'protection': {
      const own = [...project.environments.values()].flatMap(({ protection = {} }) =>
        Object.keys(protection),
      );
      const all = new Set<string>([...PROTECTION_SORTS, ...own]);
      return [...all].map((label) => ({ label, kind: CompletionItemKind.EnumMember }));
    }
    case 'topic':
      return topicNames(look).map((label) => ({ label, kind: CompletionItemKind.Reference }));
    case 'path': // by the shell, which can list folders
    case 'principal':
    case 'virtualCluster':
    case 'gatewayGroup':
    case 'serviceAccount':
      return []; // names of objects, by their kind
    default:
      return what satisfies never;
  }
}

function classOffer({ name, summary }: { readonly name: string; readonly summary: string }): Offer {
  return { label: name, kind: CompletionItemKind.Class, documentation: summary };
}

/** A value as YAML on one line. */
export function printValue(value: Json): string {
  return printYaml([value], (text) => /[,[\]{}\n]/.test(text)).trimEnd();
}

/** A text as it is written between quotes, or where there are none. */
export function printText(text: string, quote: string | undefined): string {
  if (quote === '"') return JSON.stringify(text).slice(1, -1);
  return quote === "'" ? text.replaceAll("'", "''") : printValue(text);
}
