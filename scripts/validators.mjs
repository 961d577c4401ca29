// Code that checks values against gwconf's own schemas, so that none of them is compiled at run time while files are valid.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const SCHEMAS = `
  import { bodySchemaOf } from './src/emulator/rules/body-shape.ts';
  import { typesOf } from './src/schema/define-kind.ts';
  import { catalog } from './src/schema/kinds/index.ts';
  import { envelopeOf } from './src/schema/load/envelope.ts';
  import { projectSchema } from './src/schema/project/project-schema.ts';
  import { testSchema } from './src/schema/tests/test-schema.ts';
  export { digestOf, JUDGING } from './src/schema/validate.ts';

  const kinds = [...catalog.kinds.values()];
  export const schemas = [
    ...[...kinds, ...catalog.ownKinds.values()].map(envelopeOf),
    ...kinds.map(typesOf),
    ...kinds.filter(({ removal }) => removal !== undefined).map(bodySchemaOf),
    ...kinds.flatMap(({ variants }) => variants?.known ?? []).map(({ schema }) => schema),
    projectSchema,
    testSchema,
  ];
`;

/** The schemas of gwconf by their digests, each with a CommonJS module that is its validator. */
export async function precompile() {
  const { schemas, digestOf, JUDGING } = await importBundled(SCHEMAS);
  const code = { ...JUDGING.code, source: true };
  return new Map(
    schemas.map((schema) => {
      const ajv = new Ajv({ ...JUDGING, code }).removeKeyword('uniqueItems'); // as in validate.ts
      return [digestOf(schema), { schema, code: standalone.default(ajv, ajv.compile(schema)) }];
    }),
  );
}

const SHAPES = `
  export { shapes as ofPlans } from './src/plan/saved/saved-checks.ts';
  export { shapes as ofOutcomes } from './src/outcome/checks.ts';
  export { shapes as ofJournals } from './src/apply/journal/record-checks.ts';
  export { CHECKING } from './src/model/compile-shape.ts';
`;

/** Checks of what gwconf has written and reads back: for each file that compiles them, its formats, and a CommonJS module for each. */
export async function precompileChecks() {
  const { ofPlans, ofOutcomes, ofJournals, CHECKING } = await importBundled(SHAPES);
  const compile = (schema) => {
    const ajv = new Ajv({ ...CHECKING, code: { source: true } });
    return { code: standalone.default(ajv, ajv.compile(schema)) };
  };
  const compileAll = (shapes) =>
    new Map(Object.entries(shapes).map(([name, schema]) => [name, compile(schema)]));
  return new Map([
    ['src/plan/saved/saved-checks.ts', compileAll(ofPlans)],
    ['src/outcome/checks.ts', compileAll(ofOutcomes)],
    ['src/apply/journal/record-checks.ts', compileAll(ofJournals)],
  ]);
}

/** Bundles code and imports it. */
export async function importBundled(contents) {
  const folder = await mkdtemp(join(tmpdir(), 'gwconf-build-'));
  const outfile = join(folder, 'bundle.mjs');
  try {
    await build({
      stdin: { contents, resolveDir: root },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
