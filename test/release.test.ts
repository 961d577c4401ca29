import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readDocument } from './support/markdown.ts';
import { ROOT } from './support/sandbox.ts';

type Texts = ReadonlyMap<string, string>;
type Facts = { readonly version: string; readonly isPublished: boolean; readonly repository: string };
type About = {
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: { readonly url: string };
};
type Check = { readonly name: string; readonly problem: string | undefined };
type Scripts = {
  readonly factsOf: (about: About) => Facts;
  readonly facts: Facts;
  readonly textFor: (path: string, text: string, facts: Facts) => string;
  readonly UNPUBLISHED: RegExp;
  readonly notesOf: (
    changelog: string,
    version: string,
  ) => { readonly date?: string; readonly text: string } | undefined;
  readonly placeLinks: (text: string, facts: Facts) => string;
  readonly checkRelease: (given: Readonly<Record<string, unknown>>) => readonly Check[];
  readonly makeFormula: (facts: Facts, sums: Texts) => string;
  readonly makeWinget: (facts: Facts, sums: Texts) => Texts;
  readonly archive: (folder: string, name: string) => Promise<Uint8Array>;
  readonly takeSingles: (from: {
    readonly assets: string;
    readonly singles: string;
  }) => Promise<readonly string[]>;
};

/** Of this checkout. */
const about = JSON.parse(readDocument('package.json')) as About;
const PUBLISHED: About = { version: '1.2.3', repository: { url: 'git+https://github.com/Acme/gwconf.git' } };

let scripts: Scripts;
beforeAll(async () => {
  const names = ['facts', 'passages', 'notes', 'checks', 'manifests', 'archive', 'parts'];
  const loaded = names.map((name) => import(join(ROOT, 'scripts/release', `${name}.mjs`)) as Promise<object>);
  scripts = Object.assign({}, ...(await Promise.all(loaded))) as Scripts;
});

describe('whether gwconf is published', () => {
  /** What people read and copy, by path. */
  const texts = (): Texts => {
    const folders = ['docs', 'examples', 'templates', 'deploy'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    );
    const names = [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'action.yml',
      'Dockerfile',
      ...folders,
    ].filter((path) => !/\.(?:png|svg)$/.test(path) && statSync(join(ROOT, path)).isFile());
    return new Map(names.map((path) => [path, readDocument(path)]));
  };

  it('is said by package.json alone: every text is as it has it', () => {
    const { textFor, facts } = scripts;
    expect(
      [...texts()].filter(([path, text]) => textFor(path, text, facts) !== text).map(([path]) => path),
    ).toEqual([]);
  });

  it.skipIf(about.private !== true)(
    'once package.json says so, no text says otherwise, and each names the repository and the image',
    () => {
      const { textFor, factsOf, UNPUBLISHED } = scripts;
      const facts = factsOf({ ...PUBLISHED, version: about.version });
      const changed: string[] = [];
      for (const [path, text] of texts()) {
        const after = textFor(path, text, facts);
        if (after !== text) changed.push(path);
        expect([
          path,
          after.match(UNPUBLISHED),
          after.match(/OWNER\/gwconf|registry\.example\/gwconf/g),
        ]).toEqual([path, null, null]);
        expect(textFor(path, after, facts)).toBe(after);
      }
      expect(changed).toEqual(
        expect.arrayContaining(['README.md', 'docs/reference/install.md', 'templates/gwconf.yml']),
      );
      expect(textFor('deploy/chart/values.yaml', readDocument('deploy/chart/values.yaml'), facts)).toContain(
        'ghcr.io/acme/gwconf',
      );
    },
  );

  it('a passage that somebody reworded is found', () => {
    expect(() => scripts.textFor('README.md', 'gwconf', scripts.facts)).toThrow(
      'README.md has no passage "The package',
    );
  });

  it.each([
    [{ ...PUBLISHED, private: true }, false],
    [{ version: '1.2.3' }, false],
    [PUBLISHED, true],
  ])('%j', (about, isPublished) => {
    expect(scripts.factsOf(about).isPublished).toBe(isPublished);
  });
});

it('the workflow begins with the tag that is checked, has the Node.js of the single files, and runs scripts that there are', () => {
  const workflow = readDocument('.github/workflows/release.yaml');
  const { on } = parse(workflow) as { readonly on: unknown };
  expect(on).toEqual({ push: { tags: ['release/v*'] } });
  const [, version] = /version: '([\d.]+)'/.exec(readDocument('scripts/release/single.mjs')) ?? [];
  expect(workflow.match(/node-version: \d+\.\S+/g)).toEqual([`node-version: ${version}`]);
  const { scripts: named } = JSON.parse(readDocument('package.json')) as { readonly scripts: object };
  const run = [...workflow.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(run).toEqual(expect.arrayContaining(['release', 'pack:single']));
  expect(run.filter((name = '') => !Object.hasOwn(named, name))).toEqual([]);
});

describe('the checks of a release', () => {
  const files = (): Texts =>
    new Map([
      ['CHANGELOG.md', '# Changelog\n\n## 1.2.3 (2026-12-01)\n\n- new\n\n## 1.2.2 (2026-11-01)\n\n- old\n'],
      ['deploy/chart/Chart.yaml', 'version: 1.2.3\nappVersion: 1.2.3\n'],
      ['examples/ci/x.yml', 'image: ghcr.io/acme/gwconf:1.2.3\nuses: acme/gwconf@0000 # v1.2.3\n'],
    ]);
  const failed = (changes: Readonly<Record<string, unknown>> = {}): readonly string[] => {
    const facts = scripts.factsOf(PUBLISHED);
    const lock = { version: '1.2.3', packages: { '': { version: '1.2.3' } } };
    const all = {
      about: PUBLISHED,
      lock,
      facts,
      files: files(),
      status: '',
      tag: 'release/v1.2.3',
      repository: 'Acme/gwconf',
      kept: true,
    };
    return scripts
      .checkRelease({ ...all, ...changes })
      .flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`]));
  };
  const withText = (path: string, text: string): Texts => new Map([...files(), [path, text]]);

  it('hold for a commit that can be released', () => {
    expect(failed()).toEqual([]);
  });

  it.each<[string, () => Readonly<Record<string, unknown>>]>([
    ['the checkout has no changes: M a, M b', () => ({ status: ' M a\n M b\n' })],
    ['the tag is release/v1.2.3: it is release/v1.2.4', () => ({ tag: 'release/v1.2.4' })],
    ['the tag is release/v1.2.3: this commit has no tag', () => ({ tag: '' })],
    ['package-lock.json has 1.2.3: it has 1.2.2', () => ({ lock: { version: '1.2.2' } })],
    [
      'the chart has 1.2.3, as its own version and as that of gwconf: deploy/chart/Chart.yaml has another one',
      () => ({ files: withText('deploy/chart/Chart.yaml', 'version: 1.2.3\nappVersion: 1.2.2\n') }),
    ],
    [
      'documents, examples, templates and manifests name 1.2.3: docs/a.md names 1.2.2, docs/a.md names 1.2.1',
      () => ({ files: withText('docs/a.md', './gwconf-1.2.2.tgz\n    rev: v1.2.1\n') }),
    ],
    [
      'CHANGELOG.md has a section of 1.2.3 with a date: the section has no date',
      () => ({ files: withText('CHANGELOG.md', '## 1.2.3 (unreleased)\n\n- new\n') }),
    ],
    [
      'test/fixtures/releases/1.2.3 keeps what this release writes: run GWCONF_KEEP=1.2.3 npx vitest run test/releases.test.ts',
      () => ({ kept: false }),
    ],
    [
      'no text says that gwconf is not published: run npm run release -- --texts; it changes action.yml',
      () => ({ files: withText('action.yml', 'uses: OWNER/gwconf@COMMIT') }),
    ],
    [
      'no text says that gwconf is not published: add what is said to scripts/release/passages.mjs: docs/a.md',
      () => ({ files: withText('docs/a.md', 'It is not published to npm.') }),
    ],
    ['the workflow runs in that repository: it runs in evil/gwconf', () => ({ repository: 'evil/gwconf' })],
  ])('%s', (problem, changes) => {
    expect(failed(changes())).toEqual([problem]);
  });

  it('package.json must say where gwconf is published', () => {
    expect(
      failed({ facts: scripts.factsOf({ version: '1.2.3', private: true }), repository: undefined }),
    ).toEqual([
      'package.json says where gwconf is published: it is private, or has no repository on GitHub',
      'no text says that gwconf is not published: the texts say so, because package.json does',
    ]);
  });

  it('the notes are the section of the version', () => {
    expect(scripts.notesOf(files().get('CHANGELOG.md') ?? '', '1.2.3')).toEqual({
      date: '2026-12-01',
      text: '- new',
    });
    expect(scripts.notesOf('', '1.2.3')).toBeUndefined();
    const text = '[a](docs/a.md#b), [c](https://c.example)';
    expect(scripts.placeLinks(text, scripts.factsOf(PUBLISHED))).toBe(
      '[a](https://github.com/Acme/gwconf/blob/v1.2.3/docs/a.md#b), [c](https://c.example)',
    );
  });
});

describe('what is made of the checksums', () => {
  const sums = new Map([
    ['gwconf-linux-x64', 'aa11'],
    ['gwconf-macos-arm64', 'bb22'],
    ['gwconf-windows-x64.exe', 'cc33'],
  ]);

  it('is a formula with each system of which there is a file', () => {
    const formula = scripts.makeFormula(scripts.factsOf(PUBLISHED), sums);
    const at = 'https://github.com/Acme/gwconf/releases/download/v1.2.3';
    expect(formula).toContain(
      `on_macos do\n    on_arm do\n      url "${at}/gwconf-macos-arm64"\n      sha256 "bb22"\n    end\n  end\n`,
    );
    expect(formula).toContain(
      `on_linux do\n    on_intel do\n      url "${at}/gwconf-linux-x64"\n      sha256 "aa11"\n    end\n  end\n`,
    );
    expect((formula.match(/\b(?:do|def|class)\b/g) ?? []).length).toBe(
      (formula.match(/\bend\b/g) ?? []).length,
    );
  });

  it('are three manifests of winget for one version', () => {
    const manifests = [...scripts.makeWinget(scripts.factsOf(PUBLISHED), sums)].map(
      ([name, text]) => [name, parse(text) as Readonly<Record<string, unknown>>] as const,
    );
    expect(manifests.map(([name, { ManifestType: type }]) => [name, type])).toEqual([
      ['Acme.gwconf.yaml', 'version'],
      ['Acme.gwconf.installer.yaml', 'installer'],
      ['Acme.gwconf.locale.en-US.yaml', 'defaultLocale'],
    ]);
    for (const [, manifest] of manifests)
      expect(manifest).toMatchObject({
        PackageIdentifier: 'Acme.gwconf',
        PackageVersion: '1.2.3',
        ManifestVersion: '1.6.0',
      });
    expect(manifests[1]?.[1]).toMatchObject({
      InstallerType: 'portable',
      Commands: ['gwconf'],
      Installers: [{ Architecture: 'x64', InstallerSha256: 'CC33' }],
    });
  });
});

it('of the single files that were signed, a release has those of all systems and nothing else', async () => {
  const [singles, assets] = ['singles', 'assets'].map((name) =>
    mkdtempSync(join(tmpdir(), `gwconf-${name}-`)),
  );
  if (singles === undefined || assets === undefined) throw new Error('there are two folders');
  onTestFinished(() =>
    [singles, assets].forEach((folder) => rmSync(folder, { recursive: true, force: true })),
  );
  const systems = [
    'linux-x64',
    'linux-arm64',
    'macos-x64',
    'macos-arm64',
    'windows-x64.exe',
    'windows-arm64.exe',
  ];
  const wanted = [...systems.map((name) => `gwconf-${name}`), 'gwconf.cdx.json', 'LICENSES.txt'];
  for (const name of [...wanted, '._gwconf-macos-x64', 'SHA256SUMS'])
    writeFileSync(join(singles, name), name);
  expect(await scripts.takeSingles({ assets, singles })).toEqual([]);
  expect(readdirSync(assets).sort()).toEqual(wanted.sort());
  rmSync(join(singles, 'gwconf-linux-x64'));
  expect(await scripts.takeSingles({ assets, singles })).toEqual([`needs gwconf-linux-x64 in ${singles}`]);
});

it('the chart is packed to the same bytes, whenever its files were written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gwconf-chart-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (names: readonly string[], seconds: number): void => {
    for (const name of names) {
      writeFileSync(join(folder, name), name);
      utimesSync(join(folder, name), seconds, seconds);
    }
  };
  write(['b.yaml', 'a.yaml'], 1);
  const first = await scripts.archive(folder, 'chart');
  rmSync(join(folder, 'a.yaml'));
  write(['a.yaml', 'b.yaml'], 1_000_000);
  expect(await scripts.archive(folder, 'chart')).toEqual(first);
  const entries = await unpackTar(gunzipSync(first));
  expect(entries.map(({ header }) => [header.name, header.mode])).toEqual([
    ['chart/a.yaml', 0o644],
    ['chart/b.yaml', 0o644],
  ]);
});
