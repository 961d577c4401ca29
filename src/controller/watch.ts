import { PATHS, type Informer, type InformerOptions, type Kube } from './kube.ts';
import { keyOf, metadataOf, type GatewayConfig, type KubeObject } from './resource.ts';
import { SOURCES, sourceOf, type FluxSource, type SourceKind } from './source.ts';

/** Watches the resources of these namespaces, or of all. `onSource` is told of one that names what has changed. */
export function watchResources(
  kube: Pick<Kube, 'inform'>,
  namespaces: readonly string[],
  onResource: InformerOptions<GatewayConfig>['onChange'],
  onSource: (resource: GatewayConfig) => void,
  onError: InformerOptions<never>['onError'],
) {
  const scopes = namespaces.length === 0 ? [undefined] : namespaces;
  /** Informers of what resources name, each begun when one first does. */
  const sources = new Map<SourceKind, readonly Informer<Version>[]>();
  const informers = scopes.map((namespace) =>
    kube.inform<GatewayConfig>(PATHS.resources(namespace), {
      keep: withoutManagedFields,
      onChange: onResource,
      onError,
    }),
  );
  const all = (): readonly GatewayConfig[] => informers.flatMap((one) => one.list());
  // The first list tells of what has long been there.
  const isSettled = (kind: SourceKind): boolean => (sources.get(kind) ?? []).every((one) => one.isSynced());

  return {
    /** The resources of a cluster, as the API server last told them. */
    all,
    find(key: string): GatewayConfig | undefined {
      const { namespace, name } = metadataOf(key);
      return informers.map((one) => one.get(namespace, name)).find((one) => one !== undefined);
    },
    /** Begins to watch what a resource names, unless sources of that kind are watched already. */
    watchSource(resource: GatewayConfig): void {
      const kind = sourceOf(resource.spec)?.kind;
      if (kind === undefined || sources.has(kind)) return;
      const known = new Map<string, string>();
      const onChange = (source: Version, change: 'set' | 'deleted'): void => {
        const { namespace, name } = source.metadata;
        const version = change === 'deleted' ? '' : source.version;
        if (known.get(keyOf(source)) === version) return;
        known.set(keyOf(source), version);
        if (!isSettled(kind)) return;
        for (const one of all()) {
          const named = sourceOf(one.spec);
          if (named?.kind === kind && named.name === name && one.metadata.namespace === namespace)
            onSource(one);
        }
      };
      const watching = scopes.map((namespace) =>
        kube.inform<Version>(SOURCES[kind](namespace), { keep: keepVersion, onChange, onError }),
      );
      sources.set(kind, watching);
    },
    /** Whether all resources have been read once. */
    isSynced: () => informers.every((one) => one.isSynced()),
    stop(): void {
      for (const one of [...informers, ...[...sources.values()].flat()]) one.stop();
    },
  };
}

/** Managed fields are as long as the rest. */
function withoutManagedFields(resource: GatewayConfig): GatewayConfig {
  const { managedFields: _, ...metadata } = resource.metadata as GatewayConfig['metadata'] & {
    managedFields?: unknown;
  };
  return { ...resource, metadata };
}

/** What is kept of a source: what is in it is read when it is needed. */
type Version = KubeObject & { readonly version: string };

/** Flux writes the status of a source more often than its artifact changes. */
function keepVersion({ metadata, status }: KubeObject & FluxSource): Version {
  const { name, namespace = '', resourceVersion = '' } = metadata;
  return {
    metadata: { name, namespace, resourceVersion },
    version: status?.artifact?.digest ?? resourceVersion,
  };
}
