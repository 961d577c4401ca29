import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSandbox, ROOT, type Sandbox } from '../support/sandbox.ts';

type Component = { readonly name: string; readonly version: string; readonly group?: string };
type Sbom = {
  readonly serialNumber: string;
  readonly metadata: {
    readonly timestamp: string;
    readonly component: { readonly name: string; readonly type: string };
  };
  readonly components: readonly (Component & { readonly 'bom-ref': string; readonly purl?: string })[];
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
};
type About = {
  readonly name: string;
  readonly version: string;
  readonly node: string;
  readonly seconds: number;
};
/** The parts of the scripts that pack the single executable. */
type Scripts = {
  readonly PAGES: Readonly<Record<string, string>>;
  readonly HOST: string;
  readonly programOf: (name: string, target: string) => string;
  readonly packSingles: (options: {
    readonly program: {
      readonly chunks: ReadonlyMap<string, Buffer>;
      readonly main: string;
      readonly metafiles: readonly unknown[];
    };
    readonly nodes: ReadonlyMap<string, string>;
    readonly maker: string;
    readonly out: string;
    readonly work: string;
  }) => Promise<unknown>;
  readonly listComponents: (sbom: unknown, packages: readonly Component[], about: About) => Sbom;
};

let sandbox: Sandbox;
let scripts: Scripts;
beforeAll(async () => {
  sandbox = makeSandbox();
  const load = (name: string): Promise<unknown> => import(join(ROOT, 'scripts', name));
  const names = ['bundle-single.mjs', 'release/single.mjs', 'sbom.mjs'];
  scripts = Object.assign({}, ...(await Promise.all(names.map(load)))) as Scripts;
});
afterAll(() => {
  sandbox.remove();
});

it('does what the package does', async () => {
  const { HOST, packSingles, programOf } = scripts;
  const folderOf = (name: string): string => {
    const folder = join(sandbox.folder, name);
    mkdirSync(folder);
    return folder;
  };
  const [out, work] = [folderOf('single'), folderOf('work')];
  // The chunks of the package are those of the single file.
  const folder = join(ROOT, 'dist', 'chunks');
  const chunks = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const main = [...chunks.keys()].find((name) => name.startsWith('main-')) ?? '';
  const program = { chunks, main, metafiles: [] };
  const nodes = new Map([[HOST, process.execPath]]);
  await packSingles({ program, nodes, maker: process.execPath, out, work });
  sandbox.copy('examples/quickstart', 'gateway');
  const plan = 'plan -f gateway --url embedded:state.json -o json';
  const single = `./single/${programOf('gwconf', HOST)}`;
  const { stdout, stderr } = await sandbox.bash(
    `for one in gwconf ${single}; do { $one --version; $one explain unreadable-file; $one ${plan}; } > $(basename $one).txt; done; diff *.txt`,
  );
  expect([stdout, stderr]).toEqual(['', 'result: changes\nresult: changes\n']);
});

it('has each page that gwconf reads', () => {
  const pages = [
    ...readFileSync(join(ROOT, 'src/workflow/explain-problem.ts'), 'utf8').matchAll(/readPage\('(.*?)'\)/g),
  ];
  expect(Object.keys(scripts.PAGES)).toEqual(pages.map(([, page]) => page));
});

it('lists what is in it, and nothing else, the same each time', () => {
  const component = (name: string, version: string): object => ({
    'bom-ref': `${name}@${version}`,
    name,
    version,
  });
  const installed = {
    serialNumber: 'urn:uuid:another-each-time',
    metadata: { timestamp: 'now', component: { 'bom-ref': 'gwconf@1.0.0', name: 'folder', type: 'library' } },
    components: [
      component('yaml', '2.0.0'),
      component('yaml', '1.0.0'),
      component('vitest', '4.0.0'),
      component('@a/b', '1.0.0'),
    ],
  };
  const bundled = [
    { name: '@a/b', version: '1.0.0' },
    { name: 'yaml', version: '2.0.0' },
  ];
  const about = { name: 'gwconf', version: '1.0.0', node: '22.0.0', seconds: 0 };
  const listed = scripts.listComponents(installed, bundled, about);
  expect(listed.components.map(({ name, version }) => `${name} ${version}`)).toEqual([
    'yaml 2.0.0',
    '@a/b 1.0.0',
    'node 22.0.0',
  ]);
  expect(listed.dependencies[0]?.dependsOn).toEqual(['@a/b@1.0.0', 'pkg:generic/node@22.0.0', 'yaml@2.0.0']);
  expect(listed.metadata).toMatchObject({
    timestamp: '1970-01-01T00:00:00.000Z',
    component: { name: 'gwconf', type: 'application' },
  });
  expect(listed.serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  expect(scripts.listComponents({ ...installed, serialNumber: 'x' }, bundled, about)).toEqual(listed);
  expect(() => scripts.listComponents(installed, [{ name: 'lost', version: '1.0.0' }], about)).toThrow(
    'does not list lost@1.0.0',
  );
});
