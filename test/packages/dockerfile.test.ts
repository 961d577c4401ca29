import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lintScript } from '../support/actions/lint.ts';
import { ROOT } from '../support/sandbox.ts';

type Instruction = { readonly name: string; readonly args: string };

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

/** Rules of hadolint, and some of ours, by the instructions of a Dockerfile. */
const RULES: Readonly<Record<string, (all: readonly Instruction[], text: string) => boolean>> = {
  'DL3002: the last user is not root': (all) =>
    /^[1-9]/.test(all.findLast(({ name }) => name === 'USER')?.args ?? ''),
  'DL3006, DL3007: images have a tag, and not latest': (all) =>
    imagesIn(all).every((image) => /:(?!latest)[\w.-]+(@sha256:[\da-f]{64})?$/.test(image)),
  'DL3020: no ADD': (all) => all.every(({ name }) => name !== 'ADD'),
  'DL3025: ENTRYPOINT and CMD are lists': (all) =>
    all.every(({ name, args }) => !['ENTRYPOINT', 'CMD'].includes(name) || Array.isArray(JSON.parse(args))),
  'DL3000: WORKDIR is absolute': (all) =>
    all.every(({ name, args }) => name !== 'WORKDIR' || args.startsWith('/')),
  'DL3003: no cd': (all) => all.every(({ name, args }) => name !== 'RUN' || !/\bcd\b/.test(args)),
  'DL3004: no sudo': (all) => all.every(({ args }) => !/\bsudo\b/.test(args)),
  'DL3018, DL3019: apk keeps no cache, and pins or says why not': (all, text) =>
    all.filter(({ args }) => /apk add/.test(args)).every(({ args }) => args.includes('--no-cache')) &&
    (text.match(/^RUN apk add/gm) ?? []).length === (text.match(/^# hadolint ignore=DL3018$/gm) ?? []).length,
  'DL3016: npm installs what the lock says': (all) =>
    all.every(({ args }) => !/npm (i|install)\b/.test(args)),
  'DL3022: COPY --from is a stage': (all) =>
    all.every(({ name, args }) => {
      const [, from] = /--from=(\S+)/.exec(args) ?? [];
      return name !== 'COPY' || from === undefined || stagesIn(all).includes(from);
    }),
  'no HEALTHCHECK, EXPOSE, VOLUME or MAINTAINER': (all) =>
    all.every(({ name }) => !['HEALTHCHECK', 'EXPOSE', 'VOLUME', 'MAINTAINER'].includes(name)),
  'no secret in ENV or ARG': (all) =>
    all.every(({ name, args }) => !['ENV', 'ARG'].includes(name) || !/token|password|secret|key/i.test(args)),
};

it.each(Object.keys(RULES))('the Dockerfile keeps %s', (rule) => {
  expect(RULES[rule]?.(instructionsIn(dockerfile), dockerfile)).toBe(true);
});

it('finds what breaks a rule', () => {
  const bad =
    'FROM a\nUSER root\nADD . /\nWORKDIR a\nENV TOKEN=1\nRUN cd / && sudo npm install && apk add git\nCMD ["a"]\nCOPY --from=b c d\nEXPOSE 80\n';
  const broken = Object.entries(RULES).filter(([, holds]) => !holds(instructionsIn(bad), bad));
  expect(broken.map(([rule]) => rule)).toEqual(
    Object.keys(RULES).filter((rule) => !rule.startsWith('DL3025')),
  );
});

it('has commands without a problem that ShellCheck knows', async () => {
  const commands = instructionsIn(dockerfile).filter(({ name }) => name === 'RUN');
  expect(await lintScript(commands.map(({ args }) => args).join('\n'), 'sh')).toEqual([]);
});

it('gets everything that the build copies, and no more', () => {
  const kept = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const needed = [
    'action.yml',
    '.pre-commit-hooks.yaml',
    'templates',
    'src',
    'scripts',
    'docs',
    'examples',
    'package-lock.json',
  ];
  expect(needed.filter((path) => !kept.includes(`!${path}`))).toEqual([]);
  expect(kept[1]).toBe('*');
});

function instructionsIn(text: string): readonly Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [, name = '', args = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return { name, args };
  });
}

function stagesIn(all: readonly Instruction[]): readonly string[] {
  return all.flatMap(({ name, args }) => (name === 'FROM' ? (/ AS (\S+)$/.exec(args)?.[1] ?? []) : []));
}

/** The images from outside, with the defaults of arguments. */
function imagesIn(all: readonly Instruction[]): readonly string[] {
  const args = new Map(all.flatMap(({ name, args: text }) => (name === 'ARG' ? [splitAt(text, '=')] : [])));
  const images = all.filter(({ name }) => name === 'FROM').map(({ args: text }) => text.split(' ')[0] ?? '');
  return images
    .filter((image) => !stagesIn(all).includes(image))
    .map((image) => image.replace(/^\$\{(\w+)\}$/, (_, name: string) => args.get(name) ?? ''));
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}
