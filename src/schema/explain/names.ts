import type { Kind, Variant } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { formNamed } from '../load/recognise.ts';
import { fileForms, type FileForm } from './file-forms.ts';

/** What can be explained. */
export type Form = Kind | OwnKind | FileForm;

/** The kind or plugin class at the start of a query. */
export type Named = {
  readonly form: Form;
  readonly variant: Variant | undefined;
  /** The name as in files; a class without its package. */
  readonly name: string;
  /** The text after the name. */
  readonly rest: string;
};

/** Reads `KIND.rest` and `CLASS.rest`, in any case; a class also without its package. */
export function readName(text: string, catalog: Catalog): Named | undefined {
  const [word = ''] = text.split(/[.[]/, 1);
  const form = formNamed(word, catalog) ?? formInAnyCase(word, catalog);
  if (form !== undefined) return { form, variant: undefined, name: form.name, rest: text.slice(word.length) };
  const lower = text.toLowerCase();
  let best: Named | undefined;
  for (const { variant, of } of variantsOf(catalog)) {
    for (const name of spellingsOf(variant.name)) {
      const rest = text.slice(name.length);
      const fits = lower.startsWith(name.toLowerCase()) && /^(?:$|[.[])/.test(rest);
      if (fits && (best === undefined || rest.length < best.rest.length))
        best = { form: of, variant, name: shortName(variant), rest };
    }
  }
  return best;
}

/** The known name that is most similar to an unknown one. */
export function nearName(text: string, catalog: Catalog, others: readonly string[] = []): string | undefined {
  const names = [
    ...formsOf(catalog).map(({ name }) => name),
    ...variantsOf(catalog).map(({ variant }) => shortName(variant)),
    ...others,
  ];
  // Classes also without their common suffix, which makes short names look different.
  const full = new Map(
    names.flatMap((name) => [name, name.replace(/(?!^)Plugin$/, '')].map((near) => [near, name])),
  );
  const near = suggest(text, full.keys());
  return near === undefined ? undefined : full.get(near);
}

/** A class without its package. */
export function shortName({ name }: Variant): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** All kinds, those of other files, and all plugin classes. */
export function allNamed(catalog: Catalog): readonly Named[] {
  return [
    ...formsOf(catalog).map((form) => ({ form, variant: undefined, name: form.name, rest: '' })),
    ...variantsOf(catalog).map(({ variant, of }) => ({
      form: of,
      variant,
      name: shortName(variant),
      rest: '',
    })),
  ];
}

function formInAnyCase(word: string, catalog: Catalog): Form | undefined {
  const lower = word.toLowerCase();
  return formsOf(catalog).find(({ name }) => name.toLowerCase() === lower);
}

function formsOf({ kinds, ownKinds }: Catalog): readonly Form[] {
  return [...kinds.values(), ...ownKinds.values(), ...fileForms];
}

function variantsOf({ kinds }: Catalog): readonly { readonly variant: Variant; readonly of: Kind }[] {
  return [...kinds.values()].flatMap((of) => (of.variants?.known ?? []).map((variant) => ({ variant, of })));
}

/** With its package, and with shorter and shorter ends of it. */
function spellingsOf(name: string): readonly string[] {
  const words = name.split('.');
  return words.map((_, at) => words.slice(at).join('.'));
}
