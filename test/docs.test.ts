import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DETAILED, EXIT, RESULTS, type ExitCode } from '../src/outcome/verdict.ts';
import { makeProgram } from '../src/cli/program.ts';
import { entryOf, NAMES, type Name } from '../src/cli/table/commands.ts';
import { flagOf } from '../src/cli/table/flag.ts';
import { connection } from '../src/cli/table/flags.ts';
import { catalog, PROBLEM_CODES, type Kind } from '../src/index.ts';
import type { OwnKind } from '../src/model/own-kind.ts';
import { identify } from '../src/model/identity.ts';
import { asValid } from '../src/model/resource.ts';
import { commandPage, commandRows } from './support/command-page.ts';
import { leads, linksOf } from './support/links.ts';
import { blockWith, pagesOfDocs, readDocument, rowsOf, withRows, withTexts } from './support/markdown.ts';
import { makeSandbox, ROOT, type Sandbox } from './support/sandbox.ts';

const readme = readDocument('README.md');

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = makeSandbox({ inProcess: true });
  sandbox.copy('examples', 'examples');
});
afterAll(() => {
  sandbox.remove();
});

// `npx vitest run test/docs.test.ts -u` writes the pages anew.
describe('the README', () => {
  it('has the commands of every day, and a first plan that prints what it shows', async () => {
    const current = withRows(readme, '| Command | What it does |', commandRows('daily'));
    const { code, stdout } = await sandbox.bash(blockWith(readme, 'first').text);
    expect(code).toBe(0);
    const last = stdout.slice(stdout.lastIndexOf('Gateway '));
    const told = withTexts(current, new Map([[blockWith(current, 'first-output'), last]]));
    await expect(told).toMatchFileSnapshot(join(ROOT, 'README.md'));
  });

  it('fits on two screens', () => {
    expect(readme.split('\n').length).toBeLessThan(110);
    expect(readme.split(/\s+/).length).toBeLessThan(750);
  });
});

describe('docs/README.md', () => {
  it('lists every page of the documentation', () => {
    const index = readDocument('docs/README.md');
    const pages = pagesOfDocs().filter((path) => path !== 'docs/README.md');
    expect(pages.filter((path) => !index.includes(`](${path.replace('docs/', '')})`))).toEqual([]);
  });
});

describe('the demo', () => {
  it('prints test/demo.txt, and draws the plan that the README shows', async () => {
    const picture = join(sandbox.folder, 'plan.svg');
    const script = join(ROOT, 'scripts', 'demo.mjs');
    const printed = execFileSync(process.execPath, [script, picture], { encoding: 'utf8' });
    const demo = `${printed.trimEnd()}\n`;
    expect(demo).toMatch(/No changes\. .*\nresult: no-changes\n$/);
    await expect(demo).toMatchFileSnapshot(join(ROOT, 'test', 'demo.txt'));
    await expect(readFileSync(picture, 'utf8')).toMatchFileSnapshot(join(ROOT, 'docs', 'plan.svg'));
  });
});

describe('the tables of the documentation', () => {
  it('docs/reference/commands.md has every command and flag', async () => {
    const [introduction = ''] = readDocument('docs/reference/commands.md').split(/^## /m, 1);
    const page = introduction + commandPage();
    await expect(page).toMatchFileSnapshot(join(ROOT, 'docs', 'reference', 'commands.md'));
  });

  it.each([
    ['docs/reference/kinds.md', '| Kind | What it is | An address |', kindRows()],
    ['docs/problems.md', '| Problem | Severity | Meaning |', problemRows()],
  ])('%s', async (path, head, rows) => {
    const current = withRows(readDocument(path), head, rows);
    await expect(current).toMatchFileSnapshot(join(ROOT, path));
  });

  it('docs/reference/kinds.md has the fields of every kind that files can declare', () => {
    const declared = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);
    const sections = [
      ...readDocument('docs/reference/kinds.md').matchAll(/^### (\S+)\n\n```sh run\ngwconf explain \1$/gm),
    ];
    expect(sections.map(([, name]) => name)).toEqual(
      [...declared, ...catalog.ownKinds.values()].map(({ name }) => name),
    );
  });

  it('docs/reference/output.md lists every exit code, with its results', () => {
    const rows = rowsOf(readDocument('docs/reference/output.md'), '| Code | Meaning | Results |');
    const listed = rows.map((row) => {
      const [, code, , results = ''] = row.split('|');
      return [Number(code), [...results.matchAll(/`(.*?)`/g)].map(([, name]) => name)];
    });
    const resultsOf = (code: ExitCode): readonly string[] =>
      code === EXIT.pending
        ? [...DETAILED]
        : Object.entries(RESULTS).flatMap(([name, one]) => (one === code ? [name] : []));
    expect(listed).toEqual(Object.values(EXIT).map((code) => [code, resultsOf(code)]));
  });

  it('docs/reference/connection.md lists every connection flag, with the variables that its help names', () => {
    const table = rowsOf(readDocument('docs/reference/connection.md'), '| Setting | Flag | Variables |');
    const rows = table.map((row) => {
      const [, , flag = '', variables = ''] = row.split('|');
      return { flag: flag.replaceAll(/[` ]/g, ''), variables: variables.match(/[A-Z]+_[A-Z_]+/g) ?? [] };
    });
    const options = Object.entries(connection).map(([name, { help }]) => ({
      flag: flagOf(name),
      variables: help.match(/[A-Z]+_[A-Z_]+/g) ?? [],
    }));
    expect(rows).toEqual(options);
  });

  it('docs/explained/glossary.md is in the order of the alphabet', () => {
    const words = rowsOf(readDocument('docs/explained/glossary.md'), '| Word | Meaning |').map(
      (row) => row.split('|')[1] ?? '',
    );
    expect(words).toEqual([...words].sort((one, other) => one.localeCompare(other, 'en')));
  });
});

describe('help', () => {
  const names = ['gwconf', 'connection', ...NAMES];
  const fileOf = (name: string): string => `${name.replaceAll(' ', '-')}.txt`;

  it.each(names)('%s', async (name) => {
    const { code, stdout } = await sandbox.bash(
      name === 'gwconf'
        ? 'gwconf --help'
        : name === 'connection'
          ? 'gwconf help connection'
          : `gwconf ${name} --help`,
    );
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(join(ROOT, 'test', 'help', fileOf(name)));
  });

  it('is what gwconf alone prints', async () => {
    const { code, stdout, stderr } = await sandbox.bash('gwconf');
    expect([code, stderr]).toEqual([0, '']);
    await expect(stdout).toMatchFileSnapshot(join(ROOT, 'test', 'help', 'gwconf.txt'));
  });

  it.each(NAMES)('%s has two examples that parse', async (name) => {
    const { examples } = entryOf(name);
    expect(examples[0]).toContain(`gwconf ${name}`);
    for (const example of examples) {
      const [, line = ''] = /gwconf ([^|>)]*)/.exec(example) ?? [];
      const words = (line.trim().match(/'.*?'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
      expect(await parse(words), example).toBe(
        NAMES.find((one) => `${words.join(' ')} `.startsWith(`${one} `)),
      );
    }
  });

  it.each(NAMES)('%s names a page that is there', (name) => {
    const { page } = entryOf(name);
    expect(page === undefined || leads(join(ROOT, 'docs'), 'README.md', page)).toBe(true);
  });

  it('is recorded for no other command', () => {
    expect(readdirSync(join(ROOT, 'test', 'help')).sort()).toEqual(names.map(fileOf).sort());
  });
});

describe('links', () => {
  const documents = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.md') && !/(^|[\\/])(node_modules|dist|coverage|\..*)[\\/]|^release[\\/]/.test(path),
  );

  it.each(documents)('%s', (path) => {
    expect(linksOf(ROOT, path).filter((link) => !leads(ROOT, path, link))).toEqual([]);
  });
});

/** The command that a line runs; undefined for `--version`. */
async function parse(words: readonly string[]): Promise<Name | undefined> {
  let found: Name | undefined;
  const program = makeProgram(
    ({ name }) => {
      found = name;
      return Promise.resolve();
    },
    () => undefined,
    () => undefined,
  );
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
    if (words[0] !== '--version') throw error;
  });
  return found;
}

function kindRows(): readonly string[] {
  const written = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);
  const readOnly = [...catalog.kinds.values()].filter(({ removal }) => removal === undefined);
  return [...written, ...catalog.ownKinds.values(), ...readOnly].map(
    (kind) => `| \`${kind.name}\` | ${kind.summary} | \`${addressOfExample(kind)}\` |`,
  );
}

function problemRows(): readonly string[] {
  return Object.entries(PROBLEM_CODES).map(
    ([code, { severity, meaning }]) => `| [\`${code}\`](#${code}) | ${severity} | ${meaning} |`,
  );
}

/** Of a kind of our own, the address of the resource that it becomes, or of the one that it is about. */
function addressOfExample(form: Kind | OwnKind): string {
  if (!('expand' in form)) return identify(form, form.example);
  for (const piece of form.expand(form.example)) {
    if (piece.type === 'removal') return piece.of.text;
    const kind = piece.type === 'resource' ? catalog.kinds.get(piece.resource.kind) : undefined;
    if (kind !== undefined && piece.type === 'resource') return identify(kind, asValid(piece.resource));
  }
  throw new Error(`${form.name} becomes no resource`);
}
