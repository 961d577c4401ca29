import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from './support/markdown.ts';
import { runDocument } from './support/run-document.ts';
import { makeSandbox, ROOT, type Sandbox } from './support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = makeSandbox({ inProcess: true });
});
afterAll(() => {
  sandbox.remove();
});

describe('examples/teams', () => {
  it('does what its README says', async () => {
    const place = makeSandbox({ inProcess: true });
    place.copy('examples/teams', '.');
    const told = await runDocument(readDocument('examples/teams/README.md'), place);
    await expect(told).toMatchFileSnapshot(join(ROOT, 'examples', 'teams', 'README.md'));
    place.remove();
  });
});

describe.each(['quickstart', 'teams'])('examples/%s', (name) => {
  it('is valid, without a warning', async () => {
    const { stdout } = await sandbox.bash(`gwconf validate -f ${join(ROOT, 'examples', name)}`, {
      VAULT_TOKEN: 'practice',
    });
    expect(stdout).toMatch(/^Valid: \d+ resources, 0 errors, 0 warnings\.\n$/);
  });

  it('names the editor schema in each file', () => {
    const folder = join(ROOT, 'examples', name);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.yaml'),
    );
    const modeline = (path: string): string => {
      const up = '../'.repeat(path.split(/[\\/]/).length + 1);
      return `# yaml-language-server: $schema=${up}schemas/resources.schema.json`;
    };
    expect(files.map((path) => readFileSync(join(folder, path), 'utf8').split('\n', 1)[0])).toEqual(
      files.map(modeline),
    );
  });
});
