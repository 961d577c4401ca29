import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT, type Io } from '../src/cli/io.ts';
import { makeProgram } from '../src/cli/program.ts';
import { catalog, PROBLEM_CODES, type Kind } from '../src/index.ts';
import type { OwnKind } from '../src/model/own-kind.ts';
import { identify } from '../src/model/identity.ts';
import { asValid } from '../src/model/resource.ts';
import { blockWith, readDocument, rowsOf, withRows, withTexts } from './support/markdown.ts';
import { runDocument } from './support/run-document.ts';
import { makeSandbox, ROOT, type Sandbox } from './support/sandbox.ts';

const readme = readDocument('README.md');
const program = makeProgram({} as Io, () => undefined); // only a command that runs touches it

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = makeSandbox();
  sandbox.copy('examples', 'examples');
});
afterAll(() => {
  sandbox.remove();
});

describe('the README', () => {
  // `npx vitest run test/docs.test.ts -u` writes it anew.
  it('has the tables that the code has, and the output that its commands have', async () => {
    const tables = [
      ['| Command | What it does |', commandRows()],
      ['| Kind | What it is | An address |', kindRows()],
      ['| Problem | Severity | Meaning |', problemRows()],
    ] as const;
    const current = tables.reduce((document, [head, rows]) => withRows(document, head, rows), readme);
    const transcripts = new Map([
      [blockWith(current, 'first-output'), await firstPlan()],
      [blockWith(current, 'demo'), demo()],
    ]);
    const told = await runDocument(withTexts(current, transcripts), sandbox);
    await expect(told).toMatchFileSnapshot(join(ROOT, 'README.md'));
  });

  it('has a demo that ends with no changes', () => {
    expect(blockWith(readme, 'demo').text).toMatch(/No changes\. .*\nresult: no-changes\n$/);
  });

  it('lists every exit code', () => {
    const codes = rowsOf(readme, '| Code | Meaning |');
    expect(codes.map((row) => Number(row.split('|')[1]))).toEqual(Object.values(EXIT));
  });

  it('lists every connection flag, with the variables that its help names', () => {
    const rows = rowsOf(readme, '| Setting | Flag | Variables |').map((row) => {
      const [, , flag = '', variables = ''] = row.split('|');
      return { flag: flag.replaceAll(/[` ]/g, ''), variables: variables.match(/[A-Z]+_[A-Z_]+/g) ?? [] };
    });
    const options = program.commands
      .find((command) => command.name() === 'plan')
      ?.options.map(({ long, description }) => ({
        flag: long ?? '',
        variables: description.match(/[A-Z]+_[A-Z_]+/g) ?? [],
      }));
    const start = options?.findIndex(({ flag }) => flag === '--url') ?? 0;
    expect(rows).toEqual(options?.slice(start, start + rows.length));
  });
});

describe('help', () => {
  const names = ['gwconf', ...program.commands.map((command) => command.name())];

  it.each(names)('%s', async (name) => {
    const { code, stdout } = await sandbox.bash(
      name === 'gwconf' ? 'gwconf --help' : `gwconf ${name} --help`,
    );
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(join(ROOT, 'test', 'help', `${name}.txt`));
  });

  it('is recorded for no other command', () => {
    expect(readdirSync(join(ROOT, 'test', 'help')).sort()).toEqual(names.map((name) => `${name}.txt`).sort());
  });
});

describe('links', () => {
  const documents = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !/(^|[\\/])(node_modules|dist|coverage|\..*)[\\/]/.test(path),
  );

  it.each(documents)('%s', (path) => {
    const text = readDocument(path).replaceAll(/^```.*?^```$/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const missing = targets.filter(
      (target) => !target.includes('://') && !existsSync(join(ROOT, dirname(path), target)),
    );
    expect(missing).toEqual([]);
  });
});

/** The first example, on a gateway that has an older state of it. */
async function firstPlan(): Promise<string> {
  const place = makeSandbox();
  const files = blockWith(readme, 'file=topics.yaml').text;
  const env = { GWCONF_URL: 'embedded:practice.json' };
  place.write('topics.yaml', files.replace('prod-orders-v2', 'prod-orders-v1'));
  await place.bash('gwconf apply -f topics.yaml --auto-approve', env);
  place.write('topics.yaml', files);
  const { stdout } = await place.bash(blockWith(readme, 'first').text, env);
  place.remove();
  return stdout;
}

function demo(): string {
  const printed = execFileSync(process.execPath, [join(ROOT, 'scripts', 'demo.mjs')], { encoding: 'utf8' });
  return `${printed.trimEnd()}\n`;
}

function commandRows(): readonly string[] {
  return program.commands.map((command) => {
    const usage = [command.name(), ...command.registeredArguments.map(printArgument)].join(' ');
    const aliases = command.aliases().map((alias) => `, also \`${alias}\``);
    return `| \`gwconf ${usage}\`${aliases.join('')} | ${command.summary()} |`;
  });
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
    ([code, { severity, meaning }]) =>
      `| [\`${code}\`](docs/problems.md#${code}) | ${severity} | ${meaning} |`,
  );
}

function printArgument(argument: {
  readonly required: boolean;
  readonly variadic: boolean;
  name(): string;
}): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
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
