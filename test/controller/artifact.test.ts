import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { readArtifact, unpack, LIMITS } from '../../src/controller/artifact.ts';
import { nodeHost } from '../../src/host/node-host.ts';
import { serveHttp } from '../support/listen.ts';

type Entry = Parameters<typeof packTar>[0][number];

function file(name: string, body = 'a: 1\n'): Entry {
  return { header: { name, size: body.length, type: 'file' }, body };
}

async function packed(...entries: readonly Entry[]): Promise<Buffer> {
  return gzipSync(await packTar(entries));
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function serve(listener: RequestListener): Promise<string> {
  return `${await serveHttp(listener)}/`;
}

const host = {
  ...nodeHost(),
  env: (name: string) => (name === 'GWCONF_ARTIFACT_HOSTS' ? 'http://127.0.0.1' : undefined),
};

async function whyNot(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => 'it is used',
    (error: unknown) => (error as Error).message.replace(/127\.0\.0\.1:\d+/, 'HOST'),
  );
}

describe('an artifact', () => {
  it('is read when it is what its digest says', async () => {
    const bytes = await packed(
      { header: { name: 'prod/', size: 0, type: 'directory' } },
      file('prod/a.yaml'),
    );
    const url = await serve((_, response) => response.end(bytes));
    const files = await readArtifact(host, { url, digest: digestOf(bytes) });
    expect([...files].map(([name, text]) => [name, Buffer.from(text).toString()])).toEqual([
      ['prod/a.yaml', 'a: 1\n'],
    ]);
  });

  it('is not used with another digest, or none', async () => {
    const url = await serve((_, response) => response.end('something else'));
    const digest = digestOf(Buffer.from('that'));
    expect(await whyNot(readArtifact(host, { url, digest }))).toContain(`expected ${digest}`);
    expect(await whyNot(readArtifact(host, { url }))).toContain('there is none');
    expect(await whyNot(readArtifact(host, { url, digest: 'sha1:abc' }))).toContain('no sha256 digest');
  });

  it('is got from no other host than those that are allowed, and by no redirect', async () => {
    const digest = digestOf(Buffer.from(''));
    const url = await serve((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    expect(await whyNot(readArtifact(host, { url, digest }))).toBe(
      'the answer of http://HOST/ is a redirect, which is not followed',
    );
    for (const elsewhere of [
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'http://127.0.0.1@evil.example/',
      '',
    ])
      expect(await whyNot(readArtifact(host, { url: elsewhere, digest }))).toContain(
        'GWCONF_ARTIFACT_HOSTS does not allow its URL',
      );
  });

  it.each([
    ['a link', [{ header: { name: 'a.yaml', size: 0, type: 'symlink', linkname: '/etc/passwd' } }]],
    ['a hard link', [{ header: { name: 'a.yaml', size: 0, type: 'link', linkname: 'b.yaml' } }]],
    ['a device', [{ header: { name: 'a.yaml', size: 0, type: 'character-device' } }]],
    ['a path that leaves it', [file('../a.yaml')]],
    ['a path that leaves it in the middle', [file('x/../../a.yaml')]],
    ['an absolute path', [file('/etc/a.yaml')]],
    ['too many files', [file('1'), file('2'), file('3'), file('4')]],
    ['more bytes than fit', [file('large.yaml', 'x'.repeat(20_000))]],
  ] as readonly (readonly [string, readonly Entry[]])[])('is not used with %s in it', async (_, entries) => {
    const limits = { ...LIMITS, files: 3, bytes: 10_000 };
    expect(await whyNot(unpack(await packed(...entries), limits))).toMatch(/^the artifact is not used: /);
  });

  it('is not used when it is no archive, or cut off', async () => {
    const whole = await packTar([file('a.yaml'), file('b.yaml', 'x'.repeat(5000))]);
    for (const bytes of [
      Buffer.from('hello'),
      Buffer.from([0x1f, 0x8b, 1, 2]),
      Buffer.from(whole.slice(0, 2000)),
    ])
      expect(await whyNot(unpack(bytes, LIMITS))).toMatch(/^the artifact is not used: /);
  });
});
