import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROBLEM_CODES } from '../src/model/problem-codes.ts';
import { makeWorld } from './support/cli.ts';
import { hasGit } from './support/git-world.ts';
import { blocksOf, readDocument } from './support/markdown.ts';
import { makeSandbox, ROOT } from './support/sandbox.ts';

type KnownCode = keyof typeof PROBLEM_CODES;
const page = readDocument('docs/problems.md');
const codes = Object.keys(PROBLEM_CODES) as readonly KnownCode[]; // the keys of a literal
const [introduction = '', ...sections] = page.split(/^(?=## )/m);

/** Codes of which no file and no command of today has an example; their sections say why. */
const WITHOUT_EXAMPLE: readonly KnownCode[] = [
  'unjudged-order',
  'unexpected-chain',
  'order-cycle',
  'run-in-progress',
  'overtaken',
  'phantom-difference',
  'changed-interceptors',
  'removed-endpoint',
];

type Section = {
  readonly code: KnownCode;
  readonly language: string;
  readonly wrong: string;
  readonly right: string;
};
type Told = { readonly code: string; readonly severity: string };
type Result = { readonly exit: number | null; readonly told: readonly Told[]; readonly said: string };

describe('docs/problems.md', () => {
  // `npx vitest run test/docs-problems.test.ts -u` writes the second line of each section anew.
  it('has a section for each code of the table, in its order, with its severity and meaning', async () => {
    expect(sections.map((section) => /^## (.*)$/m.exec(section)?.[1])).toEqual(codes);
    const current = sections.map((section, at) => {
      const { severity, meaning } = PROBLEM_CODES[codes[at] ?? 'invalid-value'];
      const [heading = '', , , ...rest] = section.split('\n');
      return [
        heading,
        '',
        `${severity[0]?.toUpperCase() ?? ''}${severity.slice(1)}: ${meaning}.`,
        ...rest,
      ].join('\n');
    });
    await expect(introduction + current.join('')).toMatchFileSnapshot(join(ROOT, 'docs', 'problems.md'));
  });

  it.each(sections)('says what to do, and shows it: %#', (section) => {
    const { code } = sectionOf(section);
    const [, , , , advice = ''] = section.split('\n');
    expect(advice).toMatch(/^[A-Z`]/);
    expect(blocksOf(section).map(({ words }) => words)).toEqual(
      WITHOUT_EXAMPLE.includes(code) ? [] : [['wrong'], ['right']],
    );
  });

  const withExamples = sections.map(sectionOf).filter(({ code }) => !WITHOUT_EXAMPLE.includes(code));

  // They are skipped where there is no git.
  const runnable = withExamples.filter(({ wrong }) => hasGit || !/^git /m.test(wrong));

  it.each(runnable)(
    'has a wrong example of $code, and a right one',
    async ({ code, language, wrong, right }) => {
      const run = language === 'sh' ? runShell : runFiles;
      const bad = await run(wrong);
      expect(bad.told, bad.said).toContainEqual({ code, severity: PROBLEM_CODES[code].severity });

      const good = await run(right);
      // The cure works, and causes nothing else.
      const others = bad.told.filter((problem) => problem.code !== code);
      expect(others, good.said).toEqual(expect.arrayContaining([...good.told]));
      expect(good.exit, good.said).toBe(0);
    },
  );
});

function sectionOf(section: string): Section {
  const code = codes.find((known) => section.startsWith(`## ${known}\n`));
  if (code === undefined) throw new Error(`no problem has the code of ${section.slice(0, 40)}`);
  const blocks = blocksOf(section);
  const textOf = (word: string): string => blocks.find(({ words }) => words.includes(word))?.text ?? '';
  return { code, language: blocks[0]?.language ?? '', wrong: textOf('wrong'), right: textOf('right') };
}

/** The files of a block: validated, or planned against what is after `# live:`. */
async function runFiles(block: string): Promise<Result> {
  const files = filesOf(block);
  const world = makeWorld(files);
  const names = Object.keys(files).filter((name) => name !== LIVE);
  const paths = names.includes('gwconf.yaml') ? [] : names;
  const gateway = ['--url', 'embedded:gateway.json'];
  if (LIVE in files) {
    const made = await world.run('apply', '-f', LIVE, '--auto-approve', ...gateway);
    expect(made.code, made.err).toBe(0);
  }
  const { code, out, err } =
    LIVE in files
      ? await world.run('plan', ...paths, ...gateway, '-o', 'json')
      : await world.run('validate', ...paths, '-o', 'json');
  const { problems } = JSON.parse(out) as { readonly problems: readonly Told[] };
  const told = problems.map(({ code: problem, severity }) => ({ code: problem, severity }));
  return { exit: code, told, said: err };
}

const LIVE = '.live.yaml';

function filesOf(block: string): Readonly<Record<string, string>> {
  const parts = block.split(/^# (live|file: .*):?\n/m);
  if (parts.length === 1) return { 'resources.yaml': block };
  const files: Record<string, string> = {};
  for (let at = 1; at < parts.length; at += 2) {
    const head = parts[at] ?? '';
    files[head === 'live' ? LIVE : head.replace('file: ', '')] = parts[at + 1] ?? '';
  }
  return files;
}

/** The lines of a block, in a folder with the files of the introduction; what they end with. */
async function runShell(lines: string): Promise<Result> {
  const sandbox = makeSandbox({ inProcess: true });
  onTestFinished(() => sandbox.remove());
  for (const [file, text] of Object.entries(GIVEN)) sandbox.write(file, text);
  const { code, stdout, stderr } = await sandbox.bash(lines, { GWCONF_URL: 'embedded:gateway.json' });
  return resultOf(code, `${stdout}\n${stderr}`);
}

/** The files of the introduction. */
const GIVEN: Readonly<Record<string, string>> = Object.fromEntries(
  blocksOf(introduction).flatMap(({ words, text }) => {
    const file = words.find((word) => word.startsWith('file='))?.slice('file='.length);
    return file === undefined ? [] : [[file, text]];
  }),
);

function resultOf(exit: number | null, said: string): Result {
  const told = [...said.matchAll(/(error|warning|info)\[([\w-]+)\]/g)];
  return { exit, told: told.map(([, severity = '', code = '']) => ({ code, severity })), said };
}
