import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { normalize } from 'node:path';
import { unpackTar } from 'modern-tar';
import { fetch } from 'undici';
import { parseUrl } from '../model/text/url.ts';
import { readAllowedHosts } from '../workflow/live/allowed-hosts.ts';
import type { Host } from '../workflow/host.ts';
import type { Files } from './files.ts';
import { Refusal } from './resource.ts';

/** What a source of Flux says of its artifact. */
export type Artifact = { readonly url?: string; readonly digest?: string; readonly revision?: string };

export const ARTIFACT_HOSTS = 'GWCONF_ARTIFACT_HOSTS';
/** Where the source-controller of Flux serves artifacts. */
const USUAL_HOSTS = 'http://source-controller.flux-system.svc.cluster.local';

/** Several are in memory side by side, in a pod that has a gigabyte. */
export const LIMITS = { packedBytes: 20e6, bytes: 50e6, files: 20_000, milliseconds: 60_000 };

/** Gets an artifact, checks it against its digest, and unpacks it in memory. Throws a Refusal. */
export async function readArtifact(host: Host, artifact: Artifact): Promise<Files> {
  const { url = '', digest = '' } = artifact;
  const [, expected] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (expected === undefined)
    throw refuse(`its digest is no sha256 digest: ${digest === '' ? 'there is none' : digest}`);
  checkHost(host, url);
  const packed = await download(url);
  const found = createHash('sha256').update(packed).digest('hex');
  if (found !== expected) throw refuse(`its digest is sha256:${found}; expected ${digest}`);
  return unpack(packed);
}

function checkHost(host: Host, url: string): void {
  const named = parseUrl(url);
  const env: Host['env'] = (name) => host.env(name) ?? USUAL_HOSTS;
  if (named !== undefined && readAllowedHosts({ env }, ARTIFACT_HOSTS)?.admits(named) === true) return;
  throw refuse(`${ARTIFACT_HOSTS} does not allow its URL, ${url === '' ? 'which is empty' : url}`);
}

async function download(url: string): Promise<Buffer> {
  try {
    const signal = AbortSignal.timeout(LIMITS.milliseconds);
    const response = await fetch(url, { redirect: 'manual', signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      const isElsewhere = response.status >= 300 && response.status < 400;
      const why = isElsewhere ? 'is a redirect, which is not followed' : `is ${response.status}`;
      throw new Refusal('ArtifactUnavailable', `the answer of ${url} ${why}`, { mayPass: !isElsewhere });
    }
    const chunks: Uint8Array[] = [];
    let total = 0;
    for await (const chunk of response.body ?? []) {
      const bytes = chunk as Uint8Array; // of a response
      if ((total += bytes.length) > LIMITS.packedBytes)
        throw refuse(`it is larger than ${LIMITS.packedBytes / 1e6} MB`);
      chunks.push(bytes);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { cause } = error as Error;
    const why = cause instanceof Error ? cause.message : (error as Error).message;
    throw new Refusal('ArtifactUnavailable', `${url} does not answer: ${why}`, { mayPass: true });
  }
}

/** The files of a tar, packed or not. Throws a Refusal for one with links, paths that leave it, or too much in it. */
export async function unpack(packed: Buffer, { bytes, files: most } = LIMITS): Promise<Files> {
  let tar = packed;
  try {
    // The first two bytes of gzip.
    if (packed[0] === 0x1f && packed[1] === 0x8b) tar = gunzipSync(packed, { maxOutputLength: bytes });
  } catch (error) {
    const isLarge = error instanceof RangeError;
    throw refuse(isLarge ? `it is larger than ${bytes / 1e6} MB unpacked` : 'it is not a gzip file');
  }
  const files = new Map<string, Uint8Array>();
  let count = 0;
  try {
    const unpacked = await unpackTar(tar, {
      strict: true,
      filter({ name, type = 'file' }) {
        if ((count += 1) > most) throw refuse(`it has more than ${most} entries`);
        if (type.startsWith('pax') || type === 'directory') return false;
        if (type !== 'file') throw refuse(`${name} is a ${type}; only files and folders are unpacked`);
        const path = normalize(name);
        if (path.startsWith('/') || path.startsWith('..') || path.includes('\0') || path.includes('\\'))
          throw refuse(`${name} leads out of it`);
        return true;
      },
    });
    for (const { header, data } of unpacked) files.set(normalize(header.name), data ?? new Uint8Array());
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse(`it is not a tar file: ${error instanceof Error ? error.message : String(error)}`);
  }
  return files;
}

function refuse(why: string): Refusal {
  return new Refusal('ArtifactRefused', `the artifact is not used: ${why}`);
}
