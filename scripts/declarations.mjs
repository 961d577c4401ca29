import { join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** The types of the library, a file for each of its entries, by path. */
export async function makeDeclarations() {
  const made = ['index', 'testing'].map(async (entry) => {
    const types = await rollup({
      input: `src/${entry}.ts`,
      external: /^node:/,
      // The lint checks types.
      plugins: [dts({ includeExternal: ['typebox'], compilerOptions: { noCheck: true } })],
    });
    const { output } = await types.generate({ format: 'es' });
    await types.close();
    return [join('dist', `${entry}.d.ts`), Buffer.from(output[0].code)];
  });
  return Promise.all(made);
}
