import type { Kind, Variant } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { kindNamed } from '../load/recognise.ts';

/** What a name at the front of a text stands for: a kind, or one of the shapes that a part of a kind can have. */
export type Named = {
  readonly form: Kind | OwnKind;
  readonly variant: Variant | undefined;
  /** The name as it is spelled in files; a class without what all classes begin with. */
  readonly name: string;
  /** What follows the name. */
  readonly rest: string;
};

/** Reads `KIND.rest` and `CLASS.rest`, in any case; a class also without its package. */
export function readName(text: string, catalog: Catalog): Named | undefined {
  const [word = ''] = text.split(/[.[]/, 1);
  const form = formNamed(word, catalog);
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

/** The nearest name to one that nothing has. */
export function nearName(text: string, catalog: Catalog): string | undefined {
  const names = [
    ...formsOf(catalog).map(({ name }) => name),
    ...variantsOf(catalog).map(({ variant }) => shortName(variant)),
  ];
  // What all classes end in makes a short one look far away.
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

function formNamed(word: string, catalog: Catalog): Kind | OwnKind | undefined {
  const form = kindNamed(word, catalog) ?? catalog.ownKinds.get(word);
  if (form !== undefined) return form;
  const lower = word.toLowerCase();
  return formsOf(catalog).find(({ name }) => name.toLowerCase() === lower);
}

function formsOf({ kinds, ownKinds }: Catalog): readonly (Kind | OwnKind)[] {
  return [...kinds.values(), ...ownKinds.values()];
}

function variantsOf({ kinds }: Catalog): readonly { readonly variant: Variant; readonly of: Kind }[] {
  return [...kinds.values()].flatMap((of) => (of.variants?.known ?? []).map((variant) => ({ variant, of })));
}

/** With all of its package, and with less and less of it. */
function spellingsOf(name: string): readonly string[] {
  const words = name.split('.');
  return words.map((_, at) => words.slice(at).join('.'));
}
