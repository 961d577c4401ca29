import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildOnce } from '../support/build-once.ts';
import { ROOT } from '../support/sandbox.ts';

const SCRIPT = join(ROOT, 'scripts/release.mjs');
/** They take long, and have tests of their own. */
const SLOW = ['build', 'single files', 'extension for VS Code', 'site'].flatMap((part) => [
  '--without',
  part,
]);

it('a dry run makes the same files each time, tells what is missing, and sends nothing', () => {
  buildOnce({ types: true });
  const folder = mkdtempSync(join(tmpdir(), 'gwconf-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outs = ['one', 'two'].map((name) => join(folder, name));
  const [told = ''] = outs.map((out) =>
    execFileSync(process.execPath, [SCRIPT, '--dry-run', '--out', out, ...SLOW], {
      encoding: 'utf8',
      // A registry that refuses connections.
      env: {
        ...process.env,
        npm_config_registry: 'http://127.0.0.1:1',
        npm_config_cache: join(folder, 'cache'),
      },
    }),
  );
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const [sums, again] = outs.map((out) => readFileSync(join(out, 'assets/SHA256SUMS'), 'utf8'));
  expect(again).toBe(sums);
  expect(sums?.match(/\S+$/gm)).toEqual([`gwconf-${version}.tgz`, `gwconf-controller-${version}.tgz`]);
  for (const sum of sums?.match(/^[\da-f]{64}/gm) ?? []) expect(told).toContain(sum);
  expect(readdirSync(join(outs[0] ?? '', 'winget'))).toHaveLength(3);
  expect(told).toMatch(/^- formula and manifests\n {4}without linux-x64, /m);
  expect(told).toMatch(/^- single files\n {4}left out$/m);
  expect(told).toContain('This was a dry run: nothing has left this machine.');
});

it('is refused outside of the workflow', () => {
  const env = { ...process.env, GITHUB_ACTIONS: '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8', env });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('A release is made by .github/workflows/release.yaml');
});
