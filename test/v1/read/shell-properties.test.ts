import { readFileSync } from 'node:fs';
import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/v1/read/request.ts';
import { readCalls } from '../../../src/v1/read/read-calls.ts';
import { sharedFolder } from '../../support/shared.ts';
import { readAlone } from '../translate/calls.ts';

type Written = Pick<Call, 'method' | 'path' | 'query' | 'body'>;

/** A text as a word of a shell, in one of its ways to quote. */
const QUOTES: readonly ((text: string) => string)[] = [
  (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  (text) => `"${text.replaceAll(/["$`\\]/g, String.raw`\$&`)}"`,
  (text) => `$'${text.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}'`,
  (text) =>
    Array.from(text, (one) => (one === '\n' ? "'\n'" : /[\w./-]/.test(one) ? one : `\\${one}`)).join(''),
];

/** Numbers that choose how a script is written. */
type Choices = readonly number[];

function pick<T>(choices: Choices, at: number, items: readonly T[]): T {
  return items[(choices[at % choices.length] ?? 0) % items.length] as T;
}

/** A script that makes a call, and the files that it needs. */
function writeScript(
  { method, path, query, body }: Written,
  choices: Choices,
): { text: string; files: Record<string, string> } {
  const quote = (at: number, text: string): string => pick(choices, at, QUOTES)(text);
  const pairs = Object.entries(query).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  );
  const url = `${pick(choices, 0, ['http://gw:8888', 'gw:8888', 'http://admin:pass@gw:8888'])}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
  const json =
    body === undefined ? undefined : pick(choices, 1, [JSON.stringify(body), JSON.stringify(body, null, 2)]);
  const files: Record<string, string> = {};
  let [before, after] = ['', ''];
  const data: string[] = [];
  if (json !== undefined) {
    const flag = pick(choices, 2, ['-d ', '--data ', '--data-raw ', '-d', '--data-binary ', '--json ']);
    const way = flag === '--data-raw ' ? 0 : pick(choices, 3, [0, 1, 2, 3, 4]);
    if (way === 0) data.push(`${flag}${quote(4, json)}`);
    if (way === 1) files['dir/body.json'] = json;
    if (way === 1) data.push(`${flag}${pick(choices, 5, ['@body.json', '"@body.json"', "'@./body.json'"])}`);
    if (way > 1) data.push(`${flag}@-`);
    if (way === 2) after = ` <<'EOF'\n${json}\nEOF`;
    if (way === 3) before = `printf '%s' ${quote(4, json)} | `;
    if (way === 4) before = `body=${quote(4, json)}\necho "$body" | `;
  }
  const parts = [
    pick(choices, 6, [
      `-X ${method}`,
      `-X${method}`,
      `--request ${method}`,
      `--request=${method}`,
      `-sSX ${method}`,
    ]),
    pick(choices, 7, [quote(8, url), `--url ${quote(8, url)}`]),
    pick(choices, 9, ["--user 'admin:conduktor'", '-u admin:conduktor', '-uadmin:conduktor', '-s']),
    pick(choices, 10, [
      "--header 'Content-Type: application/json'",
      '-H "Content-Type:application/json"',
      '--silent',
    ]),
    ...data,
  ];
  const turned = parts.map((_, at) => parts[(at + (choices[11] ?? 0)) % parts.length] ?? '');
  const command = ['curl', ...turned].join(pick(choices, 12, [' ', ' \\\n  ']));
  const text = pick(choices, 13, [
    `${before}${command}${after}\n`,
    after === '' ? `${before}${command} | jq\n` : `${before}${command}${after}\n`,
    after === '' && !before.includes('\n')
      ? `token=$(${before}${command} | jq -r ".token")\n`
      : `${before}${command}${after}\n`,
    `call() {\n${before}${command}${after}\n}\ncall\n`,
  ]);
  return { text: `#!/usr/bin/env bash\n${text}`, files };
}

function expectSame(call: Written, choices: Choices): void {
  const { text, files } = writeScript(call, choices);
  const { calls, problems } = readCalls([{ path: 'dir/a.sh', text }], { read: (path) => files[path] });
  expect(problems).toEqual([]);
  const { method, path, query, body } = call;
  expect(calls, text).toMatchObject([{ gateway: 'http://gw:8888', method, path, query }]);
  expect((calls[0] as Call).body, text).toEqual(body);
}

const choices = fc.array(fc.nat(60), { minLength: 14, maxLength: 14 });
const name = fc.stringMatching(/^[A-Za-z0-9_.%-]{1,12}$/);
const text = fc.string({ unit: fc.constantFrom(...Array.from('ab "\'$`\\{}()!*?~#&;|<>\n\t=@é')) });

describe('a call written as a script', () => {
  it('is read as it was, however it is written', () => {
    fc.assert(
      fc.property(
        fc.record({
          method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
          path: fc
            .tuple(name, name)
            .map(([one, other]) => `/admin/interceptors/v1/vcluster/${one}/interceptor/${other}`),
          query: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text, { maxKeys: 2 }),
          body: fc.option(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text))), {
            nil: undefined,
          }),
        }),
        choices,
        (call, chosen) => {
          // Those are for Ansible or Helm, or for the gateway.
          fc.pre(!JSON.stringify(call.body ?? '').includes('{{'));
          expectSame(call, chosen);
        },
      ),
      { numRuns: 150 },
    );
  });

  const SHARED = sharedFolder('corpus-v1');
  it.skipIf(SHARED.isAbsent)(`is read as it was: each call of ${SHARED.title}`, () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647);
    for (const file of SHARED.files) {
      const { calls } = readAlone(file, readFileSync(new URL(file, SHARED.url), 'utf8'));
      for (const call of calls) {
        if ('why' in call) continue;
        for (let round = 0; round < 2; round += 1) expectSame(call, Array.from({ length: 14 }, random));
      }
    }
  });
});
