import type { JsonObject } from '../../model/json/json.ts';
import type { Kind, Variant } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { formNamed } from '../load/recognise.ts';
import { policySchema } from '../project/policy-schema.ts';
import { projectSchema } from '../project/project-schema.ts';
import { testSchema } from '../tests/test-schema.ts';

/** A form that can be explained. */
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
export function nearName(text: string, catalog: Catalog, others: readonly string[]): string | undefined {
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

/** A kind of file that declares no resources, to explain it and to make a template of it. */
type FileForm = {
  readonly name: string;
  readonly apiVersion: string;
  readonly summary: string;
  /** The JSON Schema of the whole file. */
  readonly whole: JsonObject;
  readonly example: JsonObject;
};

const projectForm: FileForm = {
  name: 'Project',
  apiVersion: 'gwconf/v1',
  summary: 'The project file, gwconf.yaml: environments, their files and their rules.',
  whole: projectSchema,
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Project',
    environments: {
      prod: {
        gateway: { url: 'https://gateway.example.com:8888', user: 'admin' },
        files: ['gateway'],
      },
    },
  },
};

const testForm: FileForm = {
  name: 'Test',
  apiVersion: 'gwconf/v1',
  summary: 'Tests, in files named *.gwtest.yaml: which interceptors run for whom.',
  whole: testSchema,
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Test',
    cases: [
      {
        name: 'all clients are audited',
        as: '*',
        expect: { protectedBy: ['audit'] },
      },
    ],
  },
};

const policyForm: FileForm = {
  name: 'Policy',
  apiVersion: 'gwconf/v1',
  summary:
    'Policies, in files named *.policy.yaml that gwconf.yaml lists: rules over objects, changes and clients.',
  whole: policySchema,
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Policy',
    metadata: { name: 'low-priorities' },
    spec: {
      expression: '!has(object.spec.priority) || object.spec.priority < 1000',
      message: 'the priority is 1000 or higher',
      examples: {
        pass: [{ object: { spec: { priority: 10 } } }],
        fail: [{ object: { spec: { priority: 1000 } } }],
      },
    },
  },
};

/** The kinds of files that declare no resources. */
export const fileForms: readonly FileForm[] = [projectForm, testForm, policyForm];
