import { expect, it, onTestFinished } from 'vitest';
import { startGateway, type TestGateway } from '../src/testing.ts';
import { makeWorld, type World } from './support/cli.ts';
import { blocksOf, readDocument } from './support/markdown.ts';
import { LOGIN } from './support/served.ts';

const HOW = ['declared', 'verb', 'emulated', 'migrated'];

type Row = { readonly how: string; readonly command: string; readonly exit: number; readonly says: string };

const page = readDocument('test/coverage.md');
const rows = page.split('\n').flatMap((line): readonly Row[] => {
  const [, , how = '', shown = '', says = ''] = line.split(/(?<!\\) ?\| ?/);
  const [, command = '', exit = '0'] = /^`(.*)`(?: \(exit (\d+)\))?$/.exec(shown) ?? [];
  return command === '' ? [] : [{ how, command, exit: Number(exit), says: says.replaceAll('`', '') }];
});

it('test/coverage.md has a command for each line, which shows what it says', async () => {
  const files = blocksOf(page).map(({ words, text }) => [words[0]?.replace('file=', ''), text] as const);
  const world = makeWorld(Object.fromEntries(files) as Readonly<Record<string, string>>);
  Object.assign(world.env, LOGIN, { GWCONF_JOURNAL: '.gwconf/journal' });
  const physicalClusters = ['main', 'failover'];
  const gateways = {
    $OLD: await started({ version: '3.20.0', physicalClusters }),
    $NEW: await started({ version: '3.21.0', physicalClusters }),
  };
  expect(rows.length).toBeGreaterThan(80);
  for (const { how, command, exit, says } of rows) {
    expect(HOW, command).toContain(how);
    const words = wordsOf(command).map((word) =>
      word.replace(/^\$(?:OLD|NEW)/, (name) => gateways[name as keyof typeof gateways].url),
    );
    const [program, ...args] = words;
    const said = program === 'curl' ? await curl(args) : await run(world, args, exit);
    expect.soft(said, command).toContain(says);
  }
});

async function started(options: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

async function run(world: World, args: readonly string[], exit: number): Promise<string> {
  const { code, out, err } = await world.run(...args);
  expect.soft(code, `gwconf ${args.join(' ')}\n${out}${err}`).toBe(exit);
  return out + err;
}

/** The status and body of a request. */
async function curl(args: readonly string[]): Promise<string> {
  const valueOf = (flag: string): string | undefined =>
    args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
  const url = args.find((arg) => arg.startsWith('http')) ?? '';
  const body = valueOf('-d');
  const response = await fetch(url, {
    method: valueOf('-X') ?? 'GET',
    headers: { authorization: `Basic ${btoa(`${LOGIN.GWCONF_USER}:${LOGIN.GWCONF_PASSWORD}`)}` },
    ...(body === undefined ? {} : { body }),
  });
  return `${response.status} ${await response.text()}`;
}

function wordsOf(command: string): readonly string[] {
  return (command.match(/'[^']*'|[^ ]+/g) ?? []).map((word) => word.replaceAll("'", ''));
}
