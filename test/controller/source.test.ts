import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSource } from '../../src/controller/source.ts';
import { nodeHost } from '../../src/host/node-host.ts';

const kube = { get: () => Promise.reject(new Error('a folder is not of the API server')) };

/** A folder as Kubernetes mounts a ConfigMap, beside one that nobody may read. */
function mounted(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mounted-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'files/..2026/deep'), { recursive: true });
  mkdirSync(join(root, 'secret'));
  writeFileSync(join(root, 'secret/token'), 'x');
  writeFileSync(join(root, 'files/..2026/gwconf.yaml'), 'a: 1\n');
  writeFileSync(join(root, 'files/..2026/logo.png'), Buffer.from([0xff, 0xfe, 0]));
  symlinkSync('..2026', join(root, 'files/..data'));
  for (const name of ['gwconf.yaml', 'logo.png']) symlinkSync(`..data/${name}`, join(root, 'files', name));
  return root;
}

function read(folder: string, folders: readonly string[], host = nodeHost()) {
  const metadata = { name: 'app', namespace: 'team' };
  return readSource(
    host,
    kube,
    { metadata, spec: { source: { folder }, gateway: { url: '' } } },
    { folders },
  );
}

describe('a mounted folder', () => {
  it('is read as Kubernetes mounts it, and its revision is that of its content', async () => {
    const root = mounted();
    const first = await read(join(root, 'files'), [root]);
    expect([...first.files.keys()]).toEqual(['gwconf.yaml', 'logo.png']);
    writeFileSync(join(root, 'files/..2026/gwconf.yaml'), 'a: 2\n');
    const second = await read(join(root, 'files'), [root]);
    expect(second.revision).not.toBe(first.revision);
  });

  it('is told by a slow digest, since it may have a short secret', async () => {
    const root = mounted();
    const deriveKey = (text: string): Promise<string> => Promise.resolve(`slow ${text.length}`);
    const { revision, digest } = await read(join(root, 'files'), [root], { ...nodeHost(), deriveKey });
    expect([revision, digest]).toEqual(['scrypt:slow 71', 'scrypt:slow 71']);
  });

  it('is read only within the folders that the controller names', async () => {
    const root = mounted();
    const files = join(root, 'files');
    for (const folder of [join(root, 'secret'), join(files, '../secret'), '/etc', `${files}-more`])
      await expect(read(folder, [files])).rejects.toThrow(`this controller serves ${files}, and not`);
    await expect(read(files, [])).rejects.toThrow('this controller serves no folders');
  });

  it('is not used when a link in it leads out of it', async () => {
    const root = mounted();
    const files = join(root, 'files');
    symlinkSync('../../secret/token', join(files, '..2026/token'));
    await expect(read(files, [files])).rejects.toThrow('it is a link out of the project');
  });

  it('is of one moment: what Kubernetes replaces while it is read is read again later', async () => {
    const root = mounted();
    const files = join(root, 'files');
    mkdirSync(join(files, '..2027'));
    writeFileSync(join(files, '..2027/gwconf.yaml'), 'a: 3\n');
    const host = nodeHost();
    let reads = 0;
    const swapping: typeof host = {
      ...host,
      readBytesWithin: async (...file) => {
        const bytes = await host.readBytesWithin(...file);
        if ((reads += 1) === 1) {
          symlinkSync('..2027', join(files, '..new'));
          renameSync(join(files, '..new'), join(files, '..data'));
        }
        return bytes;
      },
    };
    await expect(read(files, [root], swapping)).rejects.toThrow(`${files} was replaced while it was read`);
    // The links beside it are still those of the files before.
    expect([...(await read(files, [root])).files.keys()]).toEqual(['gwconf.yaml']);
  });

  it('has files that are no UTF-8, which are refused once they are needed', async () => {
    const root = mounted();
    writeFileSync(join(root, 'files/..2026/more.yaml'), Buffer.from('name: Ren\xe9\n', 'latin1'));
    const { files } = await read(join(root, 'files'), [root]);
    expect(files.has('more.yaml')).toBe(true);
  });

  it('is not used without a file that cannot be read, whose objects prune would delete', async () => {
    const root = mounted();
    symlinkSync('gone.yaml', join(root, 'files/..2026/more.yaml'));
    const why = `${join(root, 'files/more.yaml')} cannot be read: no such file or folder`;
    await expect(read(join(root, 'files'), [root])).rejects.toThrow(why);
  });
});
