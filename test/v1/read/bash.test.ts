import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import fc from '../../support/fast-check.ts';
import { readAlone } from '../translate/calls.ts';

// Scripts are made up, read, and run by bash. What is read as certain must be what bash does.

const NAMES = ['x', 'y', 'z'] as const;
const name = fc.constantFrom(...NAMES);
const literal = fc.constantFrom('a', 'b.c', 'c-d.e', 'f', '');

const parameter: fc.Arbitrary<string> = fc.oneof(
  name.map((one) => `\${${one}}`),
  fc.constantFrom('$1', '$2', '${3}', '$#', '${#}', '$*'),
  fc
    .tuple(fc.oneof(name, fc.constantFrom('1', '2', '3')), fc.constantFrom(':-', '-', ':+', '+'), literal)
    .map((parts) => `\${${parts.join('')}}`),
  fc
    .tuple(name, fc.constantFrom('%.c', '%%.*', '%.*', '%a', '%%-*', '#a', '##*.', '#*-', '#b.'))
    .map((parts) => `\${${parts.join('')}}`),
);
const quoted = fc.oneof(
  literal.map((one) => `'${one}'`),
  fc.tuple(literal, parameter).map((parts) => `"${parts.join('')}"`),
  fc.tuple(literal, parameter, literal).map((parts) => `"${parts.join('')}"`),
  parameter.map((one) => `"$(echo ${one})"`),
  parameter.map((one) => `"$(printf '%s' "${one}")"`),
  fc.constant('"$(basename q/w.json .json)"'),
);
const words = fc
  .array(fc.oneof(literal, quoted, parameter, fc.constantFrom('{p,q}', '{1..2}', '"$@"', '"$*"')), {
    maxLength: 3,
  })
  .map((all) => all.join(' '));

const test = fc.oneof(
  fc.tuple(quoted, fc.constantFrom('=', '!='), quoted).map((parts) => `[ ${parts.join(' ')} ]`),
  fc
    .tuple(parameter, fc.constantFrom('==', '!='), fc.constantFrom('a', '*.c', 'c-*', '""'))
    .map((parts) => `[[ ${parts.join(' ')} ]]`),
  fc
    .tuple(
      parameter,
      fc.constantFrom('^a', 'c$', '[a-b]', '^$', '^[a-z.]+$', '^(a|f)$', 'c|-', '^[[:space:]]*$'),
    )
    .map((parts) => `[[ ${parts.join(' =~ ')} ]]`),
  quoted.map((one) => `[ -n ${one} ]`),
  quoted.map((one) => `[ -z ${one} ]`),
  fc.constantFrom('true', 'false', '! true'),
);

const ends = (...all: string[]): fc.Arbitrary<string> =>
  fc.tuple(test, fc.constantFrom(':', ...all)).map(([one, end]) => `${one} && ${end}`);

const { statement } = fc.letrec<{ statement: string; block: string }>((tie) => ({
  block: fc.array(tie('statement'), { minLength: 1, maxLength: 3 }).map((all) => all.join('\n')),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    quoted.map((one) => `PUT ${one}`),
    fc.tuple(name, quoted).map(([one, value]) => `${one}=${value}`),
    fc.tuple(name, fc.oneof(parameter, literal)).map(([one, value]) => `${one}=${value}`),
    words.map((all) => `set -- ${all}`),
    fc.constantFrom('shift', 'IFS=.', 'unset IFS', ':', 'set -e', 'set -o errexit', 'set +e'),
    fc
      .tuple(test, tie('block'), tie('block'))
      .map(([one, then, otherwise]) => `if ${one}; then\n${then}\nelse\n${otherwise}\nfi`),
    fc
      .tuple(test, fc.constantFrom('&&', '||'), tie('statement'))
      .map(([one, operator, other]) => `${one} ${operator} { ${other}\n}`),
    fc
      .tuple(name, words, tie('block'), ends('break', 'continue', 'break 2', 'continue 2'), tie('block'))
      .map(([one, all, body, end, more]) => `for ${one} in ${all}; do\n${body}\n${end}\n${more}\ndone`),
    fc
      .tuple(
        name,
        name,
        fc.constantFrom('a b.c', 'a\\nb c', ' a  b c ', 'a\\\\b', 'a.b.c'),
        fc.constantFrom('-r ', ''),
        tie('block'),
      )
      .map(
        ([one, other, input, raw, body]) =>
          `printf '${input}' | while read ${raw}${one} ${other}; do\n${body}\ndone`,
      ),
    fc
      .tuple(name, name, fc.constantFrom('a b', ' a  b c ', 'a.b'))
      .map(([one, other, input]) => `read -r ${one} ${other} <<< '${input}'`),
    fc
      .tuple(parameter, fc.constantFrom('a', '"b"', '*.c', 'a|f'), tie('block'), tie('block'))
      .map(([one, pattern, body, other]) => `case ${one} in\n${pattern}) ${body};;\n*) ${other};;\nesac`),
    fc
      .tuple(tie('block'), words, ends('return', 'return 1'))
      .map(([body, all, end]) => `f() {\nlocal x=l\n${body}\n${end}\nPUT end\n}\nf ${all}`),
    fc.tuple(tie('block')).map(([body]) => `(\n${body}\n)`),
    test,
    words.map((all) => `l=(${all})`),
    words.map((all) => `l+=(${all})`),
    fc.constantFrom('l=()', 'x=${l[1]}', 'x="${l[@]}"', 'set -- "${l[@]}"', 'set -- ${l[@]} k'),
    fc.constantFrom('set -- "${@:2}"', 'set -- "${l[@]:1}" m', 'PUT "${l[0]}"', 'PUT "${#l[@]}"'),
    fc.constantFrom('PUT "${l[*]}"', 'PUT "${l[@]}"', 'true; PUT "$?"', 'false; PUT "$?"', '{ PUT g; }'),
    fc.constantFrom('x=$((1+1))', 'PUT "${x/a/b}"', 'PUT "${x,,}"', 'PUT "${x:0:1}"', 'eval \'PUT "$y"\''),
    fc.tuple(name, quoted).map(([one, value]) => `g() { echo ${value}; [ -n "$1" ]; }; ${one}=$(g q)`),
    fc
      .tuple(quoted, tie('block'), tie('block'))
      .map(([one, then, other]) => `h() { [ "$1" = a ]; }; if h ${one}; then\n${then}\nelse\n${other}\nfi`),
    fc.tuple(name, quoted).map(([one, value]) => `export ${one}=${value}`),
    fc.tuple(name, quoted).map(([one, value]) => `${one}=${value} PUT "$${one}"`),
    fc.tuple(name, quoted).map(([one, value]) => `${one}+=${value}`),
    fc.tuple(name, quoted, quoted).map(([one, a, b]) => `printf -v ${one} '%s-%s' ${a} ${b}`),
    words.map((all) => `for w in "$@" ${all}; do PUT "$w"; shift; done`),
    name.map((one) => `read -r ${one} <<< "$(printf 'p q\\nr')"`),
    name.map((one) => `while IFS=, read -r ${one} v; do PUT "$v-$${one}"; done <<E\na,b\n,c,d\ne\nE\n:`),
    words.map((all) => `m() { local IFS=-; PUT "$*"; }; m ${all}`),
    fc
      .tuple(name, fc.oneof(parameter, literal))
      .map(
        ([one, value]) =>
          `${one}=$(cat <<E\n${value}-\\\\-\nE\n)\n${one}=\${${one}%-*}\n${one}=\${${one}%-*}`,
      ),
  ),
}));

/** The names that bash calls, in its order. */
function runByBash(script: string): readonly string[] {
  const PUT = `PUT() { printf '%s\\n' "$1" >&3; }`;
  const { stdout } = spawnSync('bash', ['-s'], {
    input: `{\n${PUT}\n(\n${script}\n)\n} 3>&1 >/dev/null 2>&1 </dev/null\n`,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return stdout.split('\n').slice(0, -1);
}

/** The names that are read; undefined where something of the script is not known. */
function readByUs(script: string): readonly string[] | undefined {
  const PUT = 'PUT() { curl -X DELETE "localhost:8888/admin/userMappings/v1/username/$1"; }';
  const { calls } = readAlone('a.sh', `${PUT}\n${script}`);
  const isCertain = calls.every((call) => !('why' in call) || call.why.includes('never made'));
  const paths = calls.flatMap((call) => ('why' in call ? [] : [call.path]));
  return isCertain ? paths.map((path) => path.slice(path.lastIndexOf('/') + 1)) : undefined;
}

const HAS_BASH = spawnSync('bash', ['--version']).status === 0;

it.skipIf(!HAS_BASH)(
  `a script is read as bash runs it, or is not read${HAS_BASH ? '' : ': no bash here'}`,
  () => {
    let known = 0;
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1, maxLength: 6 }), (statements) => {
        const script = ['set -- a b.c', 'x=a', 'y=b.c', 'z=', 'v=', 'w=', 'l=(a b)', ...statements].join(
          '\n',
        );
        const names = readByUs(script);
        if (names === undefined) return;
        known += 1;
        const trim = (all: readonly string[]): readonly string[] => all.map((one) => one.trim()); // as curl does
        expect(trim(names), script).toEqual(trim(runByBash(script)));
      }),
    );
    expect(known).toBeGreaterThan(10);
  },
);
