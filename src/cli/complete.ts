import { join } from 'node:path';
import { onOneLine } from '../report/escape.ts';
import type { Io } from './io.ts';
import { entryOf, FIRST_WORDS, NAMES, type Name } from './table/commands.ts';
import { GROUPS } from './table/command.ts';
import { flagOf, type Flag } from './table/flag.ts';
import { GLOBAL } from './table/flags.ts';

/** A word that can follow, and what it is. */
type Candidate = readonly [word: string, about?: string];

/** What can follow, or that it is a file. */
type Answer = readonly Candidate[] | 'files';

/** The last line of an answer: whether the shell adds files. */
const END = { files: ':files', words: ':words' } as const;

/**
 * Answers a shell: the words that can stand in the place of the last one, a line each, with a tab before what they are. It reads the
 * project and its files, but runs nothing, calls no gateway, and fills in no variable; what cannot be read has no names.
 */
export async function complete(words: readonly string[], io: Io): Promise<void> {
  // A word that begins with a quote has no end yet, so a shell may pass it as it is.
  const current = (words.at(-1) ?? '').replace(/^["']/, '');
  const answer = await answerTo(words.slice(0, -1), current, io).catch((): Answer => []);
  const shown = answer === 'files' ? [] : answer.filter(([word]) => word.startsWith(current));
  const lines = shown.map(([word, about = '']) => `${word}${about === '' ? '' : `\t${onOneLine(about)}`}\n`);
  io.out(`${lines.join('')}${answer === 'files' ? END.files : END.words}\n`);
}

async function answerTo(before: readonly string[], current: string, io: Io): Promise<Answer> {
  const [, own, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (own !== undefined && value !== undefined)
    return behind(`${own}=`, await answerTo([...before, own], value, io));
  const name = commandIn(before);
  if (name === undefined) return current.startsWith('-') ? flagsOf(GLOBAL) : firstWords(before);
  const { flags = {}, formats, operand } = entryOf(name);
  const all: Readonly<Record<string, Flag>> = { ...flags, ...GLOBAL };
  const isOutput = formats !== undefined && ['-o', '--output'].includes(before.at(-1) ?? '');
  if (isOutput) return named(formats.names);
  const [key, flag] = Object.entries(all).find((one) => isFlag(one, before.at(-1))) ?? [];
  if (key !== undefined && flag?.value !== undefined) {
    const [listed = ''] = (flag.help.includes('commas') && /^(?:.*,)?!?/s.exec(current)) || [];
    return behind(listed, await valuesOf(key, flag, { before, io }));
  }
  if (current.startsWith('-'))
    return [
      ...flagsOf(all),
      ...(formats === undefined ? [] : [['--output', 'format of the report'] as const]),
    ];
  return namedBy(operand, { before, io });
}

/** The same words behind what is typed already: `--env=`, or the names of a list. */
function behind(typed: string, answer: Answer): Answer {
  if (typed === '') return answer;
  return answer === 'files' ? [] : answer.map(([word, about = '']): Candidate => [`${typed}${word}`, about]);
}

/**
 * Names as words. Left out is what a line of an answer cannot hold, what means something else to a shell however it is quoted, and what
 * would be a flag.
 */
function named(names: readonly string[]): readonly Candidate[] {
  return names.filter((one) => !/^[-~:]/.test(one) && onOneLine(one) === one).map((one) => [one]);
}

function commandIn(words: readonly string[]): Name | undefined {
  const plain = words.filter((word) => !word.startsWith('-'));
  return NAMES.find((name) => {
    const { alias } = entryOf(name);
    const own = name.split(' ');
    return own.every((word, at) => word === plain[at]) || (alias !== undefined && plain[0] === alias);
  });
}

/** The first words of commands, or the second. */
function firstWords(before: readonly string[]): readonly Candidate[] {
  const [first] = before.filter((word) => !word.startsWith('-'));
  if (first === 'help')
    return before.length > 1 ? [] : [...firstWords([]), ['connection', 'the flags of the connection']];
  if (first !== undefined)
    return NAMES.flatMap((name): readonly Candidate[] =>
      name.startsWith(`${first} `) ? [[name.slice(first.length + 1), entryOf(name).summary]] : [],
    );
  const heads = new Map(
    NAMES.map((name) => {
      const [head = ''] = name.split(' ');
      const { summary } = FIRST_WORDS[head] ?? entryOf(name);
      return [head, `${summary} (${GROUPS[entryOf(name).group]})`] as const;
    }),
  );
  return [...heads, ['help', 'show the help of a command']];
}

function flagsOf(flags: Readonly<Record<string, Flag>>): readonly Candidate[] {
  return Object.entries(flags)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([key, { help }]) => [flagOf(key), help.split(/[;:(]/)[0]?.trim() ?? '']);
}

function isFlag([key, { short }]: readonly [string, Flag], word: string | undefined): boolean {
  return word !== undefined && (word === flagOf(key) || (short !== undefined && word === `-${short}`));
}

type Asked = { readonly before: readonly string[]; readonly io: Io };

/** The values of a flag, by how the help names them. */
function valuesOf(key: string, { value, choices, help }: Flag, asked: Asked): Answer | Promise<Answer> {
  if (choices !== undefined) return named(choices);
  if (key === 'env') return environments(asked);
  if (key === 'failOn')
    return ['loss', 'branch', 'drift', 'base-or-drift', 'base', 'behind', 'error', 'warning'].flatMap(
      (one): readonly Candidate[] => (help.includes(one) ? [[one]] : []),
    );
  if (key === 'logLevel') return named(['trace', 'debug', 'info', 'warn', 'error']);
  return namedBy(value, asked);
}

/** What can stand for a value of a flag, or for what a command takes besides flags, by how the help names it. */
function namedBy(name: string | undefined, asked: Asked): Answer | Promise<Answer> {
  return new Map(Object.entries(WORDS)).get(name ?? '')?.(asked) ?? [];
}

const files = (): Answer => 'files';
const environments = async ({ io }: Asked): Promise<Answer> => named((await projectOf(io)).environments);
const addresses = async (asked: Asked): Promise<Answer> => [
  ...(await kindNames(asked)),
  ...(await declared(asked)),
];

const WORDS: Readonly<Record<string, (asked: Asked) => Answer | Promise<Answer>>> = {
  '<kind>': kindNames,
  '[kind]': async (asked) => [...(await kindNames(asked)), ['Project'], ['Test']],
  '<glob>': declared,
  '<address>': declared,
  '[glob...]': addresses,
  '[address]': addresses,
  '[run]': runs,
  '[plan]': plans,
  '<plan>': plans,
  '<source>': async ({ io }) =>
    named((await projectOf(io)).environments.flatMap((one) => [one, `live:${one}`])),
  '[name]': explainable,
  '[name...]': environments,
  '<shell>': () => named(['bash', 'zsh', 'fish', 'powershell']),
  '<file>': files,
  '<file...>': files,
  '<path>': files,
  '[path...]': files,
  '<folder>': files,
};

async function projectOf(io: Io) {
  const { readProjectNames } = await import('../workflow/project/names.ts');
  return readProjectNames(io);
}

async function kindNames({ io }: Asked): Promise<readonly Candidate[]> {
  const { kinds } = await (await projectOf(io)).readCatalog();
  return [...kinds.values()].map(({ name, summary }) => [name, summary]);
}

/** Kinds, plugin classes without their package, and codes of problems. */
async function explainable(asked: Asked): Promise<readonly Candidate[]> {
  const { plugins } = await import('../schema/plugins/index.ts');
  const { PROBLEM_CODES } = await import('../model/problem-codes.ts');
  return [
    ...(await kindNames(asked)),
    ...plugins.map(({ name }): Candidate => [name.slice(name.lastIndexOf('.') + 1), 'plugin class']),
    ...Object.entries(PROBLEM_CODES).map(([code, { meaning }]): Candidate => [code, meaning]),
    ['Project', 'gwconf.yaml'],
  ];
}

/** The addresses in the files that the line names, or in those of the environment. */
async function declared({ before, io }: Asked): Promise<readonly Candidate[]> {
  const { listDeclared, readProjectNames } = await import('../workflow/project/names.ts');
  const project = await readProjectNames(io);
  const after = (...flags: readonly string[]): readonly string[] =>
    before.flatMap((word, at) => (flags.includes(before[at - 1] ?? '') ? [word] : []));
  const files = after('-f', '--file');
  const [environments = io.env('GWCONF_ENV')] = after('--env');
  const paths = files.length > 0 ? files : project.filesOf(environments?.split(',')[0]);
  return paths.length === 0
    ? []
    : named(await listDeclared(io, paths, project.folder ?? '.', await project.readCatalog()));
}

/** The newest runs in the journal of the project. */
async function runs({ before, io }: Asked): Promise<readonly Candidate[]> {
  const { listRuns } = await import('../workflow/run/journal-files.ts');
  const at = before.indexOf('--journal');
  const given = at === -1 ? io.env('GWCONF_JOURNAL') : before[at + 1];
  const folder = given ?? join((await projectOf(io)).folder ?? '.', '.gwconf', 'journal');
  return named((await listRuns(io, folder)).slice(0, MOST_RUNS));
}

const MOST_RUNS = 50;

/** Files in this folder that are named as plans are; their content is not read. */
async function plans({ io }: Asked): Promise<Answer> {
  const names = (await io.namesIn('.')).filter((one) => /plan[^/]*\.json$/i.test(one));
  return names.length === 0 ? 'files' : named(names.map((one) => (/^[-~:]/.test(one) ? `./${one}` : one)));
}
