import { join, normalize, relative } from 'node:path';
import { canonicalText } from '../model/json/json.ts';
import { digest } from '../plan/saved/digest.ts';
import type { Host } from '../workflow/host.ts';
import { reasonOf } from '../workflow/system-error.ts';
import { LIMITS, readArtifact, type Artifact } from './artifact.ts';
import type { Files } from './files.ts';
import { PATHS, pathOf, type Kube } from './kube.ts';
import { Refusal, type GatewayConfig, type KubeObject, type Spec } from './resource.ts';

/** The files of a project, and where in them it begins. */
export type Source = {
  readonly files: Files;
  readonly folder: string;
  /** What their source calls them. Other files may be called so, too: those that a repository includes, for example. */
  readonly revision: string;
  /** What tells them from all others. */
  readonly digest: string;
};

export type ConfigMap = KubeObject & {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
};

/** A source of Flux, as far as gwconf reads it. */
export type FluxSource = KubeObject & { readonly status?: { readonly artifact?: Artifact } };

/** Where the sources of each kind are in the API; `namespace` undefined for those of all. */
export const SOURCES = {
  ConfigMap: (namespace?: string) => PATHS.core(namespace, 'configmaps'),
  GitRepository: (namespace?: string) => fluxPath(namespace, 'gitrepositories'),
  OCIRepository: (namespace?: string) => fluxPath(namespace, 'ocirepositories'),
  Bucket: (namespace?: string) => fluxPath(namespace, 'buckets'),
} as const;
export type SourceKind = keyof typeof SOURCES;

function fluxPath(namespace: string | undefined, plural: string): string {
  return `/apis/source.toolkit.fluxcd.io/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`;
}

/** The object that a source is in; undefined for a folder. */
export function sourceOf({
  source,
}: Pick<Spec, 'source'>): { readonly kind: SourceKind; readonly name: string } | undefined {
  if (source.configMap !== undefined) return { kind: 'ConfigMap', name: source.configMap.name };
  return source.flux && { kind: source.flux.kind, name: source.flux.name };
}

export type SourceOptions = {
  /** The folders on this disk that resources may name, or name folders of. */
  readonly folders: readonly string[];
};

/** Reads the files that a resource names. Throws a Refusal when it cannot. */
export async function readSource(
  host: Host,
  kube: Pick<Kube, 'get'>,
  { metadata: { namespace = '' }, spec }: GatewayConfig,
  options: SourceOptions,
): Promise<Source> {
  const { folder } = spec.source;
  if (folder !== undefined) return readFolder(host, folder, options);
  const named = sourceOf(spec);
  if (named === undefined) throw new Refusal('SourceMissing', 'spec.source names nothing');
  const { kind, name } = named;
  const path = pathOf(SOURCES[kind](namespace), name);
  const found = path === undefined ? undefined : await kube.get(path);
  if (found === undefined)
    throw new Refusal('SourceMissing', `the ${kind} ${name} does not exist in the namespace ${namespace}`);
  if (kind === 'ConfigMap') return readConfigMap(found);
  const { status: { artifact } = {} } = found as FluxSource;
  if (artifact === undefined)
    throw new Refusal('SourceNotReady', `the ${kind} ${name} has no artifact yet`, { mayPass: true });
  const files = await readArtifact(host, artifact);
  const within = normalize(spec.source.flux?.path ?? '.').replace(/\/$/, '');
  if (within.startsWith('..') || within.startsWith('/'))
    throw new Refusal('SourceMissing', `spec.source.flux.path leads out of the artifact: ${within}`);
  const isThere = within === '.' || [...files.keys()].some((one) => one.startsWith(`${within}/`));
  if (!isThere) throw new Refusal('SourceMissing', `the ${kind} ${name} has no folder ${within}`);
  const { digest: checked = '', revision = checked } = artifact;
  return { files, folder: within, revision, digest: checked };
}

function readConfigMap({ data = {}, binaryData = {} }: ConfigMap): Source {
  const texts = Object.entries(data).map(([name, text]) => [name, Buffer.from(text)] as const);
  const bytes = Object.entries(binaryData).map(
    ([name, base64]) => [name, Buffer.from(base64, 'base64')] as const,
  );
  const files = new Map([...texts, ...bytes]);
  const own = digestOf(files);
  return { files, folder: '.', revision: own, digest: own };
}

const DEEPEST = 20;

/** The link with which Kubernetes replaces all files of a mounted ConfigMap or Secret at once; the links beside it follow later. */
const SWAPPED = '..data';

/**
 * A mounted volume: all files of one moment. Who replaces them at once swaps a link, that of Kubernetes or one on the way to the folder, and
 * removes the former files after that.
 */
async function readFolder(host: Host, folder: string, { folders }: SourceOptions): Promise<Source> {
  const root = folders.find((one) => normalize(folder) === normalize(one) || inside(one, folder));
  if (root === undefined) {
    const which = folders.length === 0 ? 'serves no folders' : `serves ${folders.join(', ')}`;
    const cure = 'start it with --folder, or name another source';
    throw new Refusal('SourceRefused', `this controller ${which}, and not ${folder}: ${cure}`);
  }
  const findStart = (): string | undefined => host.realPath(join(folder, SWAPPED)) ?? host.realPath(folder);
  const start = findStart();
  if (start === undefined) throw new Refusal('SourceMissing', `${folder} is not there`);
  const files = new Map<string, Uint8Array>();
  let total = 0;
  let seen = 0;
  const walk = async (path: string, depth = 1): Promise<void> => {
    // A link to a folder above it leads through that again and again.
    if (depth > DEEPEST) throw new Refusal('SourceRefused', `${path} lies more than ${DEEPEST} folders deep`);
    for (const name of await host.namesIn(path)) {
      if ((seen += 1) > LIMITS.files)
        throw new Refusal('SourceRefused', `${folder} has more than ${LIMITS.files} files and folders`);
      if (name.startsWith('.')) continue;
      const at = join(path, name);
      const own = relative(start, at);
      let bytes: Uint8Array;
      try {
        bytes = await host.readBytesWithin([root], at, LIMITS.bytes);
      } catch (error) {
        const isFolder = host.exists(at) && (await host.namesIn(at).catch(() => undefined)) !== undefined;
        // Without it, prune would delete what it declares.
        if (!isFolder)
          throw new Refusal('SourceRefused', `${join(folder, own)} cannot be read: ${reasonOf(error)}`);
        await walk(at, depth + 1);
        continue;
      }
      if ((total += bytes.length) > LIMITS.bytes)
        throw new Refusal('SourceRefused', `${folder} is larger than ${LIMITS.bytes / 1e6} MB`);
      files.set(own, bytes);
    }
  };
  await walk(start);
  if (findStart() !== start)
    throw new Refusal('SourceNotReady', `${folder} was replaced while it was read`, { mayPass: true });
  if (files.size === 0) throw new Refusal('SourceMissing', `${folder} is empty`);
  // All of it may be known but a short text of a Secret that is mounted.
  const own = `scrypt:${await host.deriveKey(digestOf(files), 'folder')}`;
  return { files, folder: '.', revision: own, digest: own };
}

function inside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && !way.startsWith('..') && !way.startsWith('/');
}

function digestOf(files: Files): string {
  const all = [...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')] as const);
  return `sha256:${digest(canonicalText(Object.fromEntries(all)))}`;
}
