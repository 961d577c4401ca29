import { expect, it } from 'vitest';
import { catalog } from '../../src/schema/kinds/index.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { BUILT_FROM, VERSION } from '../../src/workflow/tool.ts';
import { makeWorld } from '../support/cli.ts';

it.each([['version'], ['--version'], ['-V']])('%s prints the version alone', async (...words) => {
  expect(await makeWorld().run(...words)).toMatchObject({ code: 0, out: `gwconf ${VERSION}\n`, err: '' });
});

it.each([
  ['version', '-o', 'json'],
  ['--version', '--json'],
  ['-V', '-o', 'json'],
])('%s %s says what it was built from and what it knows', async (...words) => {
  const { code, out, err } = await makeWorld().run(...words);
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toEqual({
    format: 'gwconf/version-report@1',
    version: VERSION,
    commit: BUILT_FROM,
    catalog: { described: '3.9.0', kinds: catalog.kinds.size, pluginClasses: plugins.length },
    gateways: { oldest: '3.3.0', newest: '3.21.1' },
    node: process.versions.node,
  });
});

it('refuses what it does not know behind --version', async () => {
  const { code, err } = await makeWorld().run('--version', '-o', 'yaml');
  expect([code, err]).toEqual([64, expect.stringContaining('version prints -o human, -o json')]);
});
