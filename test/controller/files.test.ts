import { expect, it } from 'vitest';
import { projectHost } from '../../src/controller/files.ts';
import { nodeHost } from '../../src/host/node-host.ts';

const files = new Map(
  Object.entries({
    'gwconf.yaml': 'a',
    'prod/a.yaml': '1',
    'prod/deep/b.json': '2',
    'prod/.hidden/c.yaml': '3',
    'notes.md': '4',
  }).map(([name, text]) => [name, Buffer.from(text)] as const),
);
const host = projectHost(nodeHost(), {
  files,
  variables: new Map([
    ['TOKEN', 'x'],
    ['GWCONF_URL', 'y'],
  ]),
  journal: '/nowhere/journal',
  log: { info: () => undefined },
});

it('a project reads its own files as a command does', async () => {
  const { value, problems } = await host.readSources(['prod', './prod/a.yaml', 'absent.yaml']);
  expect(value.map(({ path, layer }) => `${path} ${layer ?? ''}`)).toEqual([
    'prod/a.yaml 0',
    'prod/deep/b.json 0',
  ]);
  expect(problems.map(({ message }) => message)).toEqual([
    'absent.yaml cannot be read: no such file or folder',
  ]);
  expect(host.findUpwards('gwconf.yaml', 'prod/deep')).toBe('.');
  expect(host.findUpwards('.git', 'prod')).toBeUndefined();
  expect(await host.readWithin(['.'], 'prod/../notes.md')).toBe('4');
});

it('a project reads nothing of the pod: no file, no variable, no setting', async () => {
  for (const path of ['/etc/hostname', '../../../../../../../../etc/hostname', 'prod/../../x']) {
    await expect(host.readWithin(['.'], path)).rejects.toThrow('no such file');
    await expect(host.readNamedFile(path)).rejects.toThrow('no such file');
    expect((await host.readSources([path])).value).toEqual([]);
    expect(host.exists(path)).toBe(false);
  }
  expect(['TOKEN', 'PATH', 'HOME', 'GWCONF_URL'].map(host.env)).toEqual([
    'x',
    undefined,
    undefined,
    undefined,
  ]);
  expect(await host.runProgram({ command: ['id'], folder: '.', timeoutMs: 1, mostBytes: 1 })).toHaveProperty(
    'stopped',
  );
});
