import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { identify } from '../../src/model/identity.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf } from './kinds.ts';

/** The embedded gateway with somebody at its door. */
export type Watched = Gateway & {
  readonly inner: EmbeddedGateway;
  /** Every write, in the order in which it came: `put Kind/name`. */
  readonly writes: string[];
  /** The writes that have come and are not answered. */
  readonly inFlight: ReadonlySet<string>;
};

/** Each write is let in when `admit` resolves; it sees who else is inside. */
export function watched(
  inner: EmbeddedGateway,
  admit: (write: string, inFlight: ReadonlySet<string>) => Promise<void> = () => Promise.resolve(),
): Watched {
  const writes: string[] = [];
  const inFlight = new Set<string>();
  const through = async <T>(write: string, work: () => Promise<T>): Promise<T> => {
    writes.push(write);
    inFlight.add(write);
    try {
      await admit(write, inFlight);
      return await work();
    } finally {
      inFlight.delete(write);
    }
  };
  return {
    inner,
    writes,
    inFlight,
    url: inner.url,
    list: (kind) => inner.list(kind),
    put: (kind, resource) => through(`put ${identify(kind, resource)}`, () => inner.put(kind, resource)),
    remove: (kind, resource) =>
      through(`remove ${identify(kind, resource)}`, () => inner.remove(kind, resource)),
    close: () => inner.close(),
  };
}

/** The embedded gateway with these in it, made in this order. */
export async function gatewayWith(
  resources: readonly Resource[],
  options: Parameters<typeof memoryGateway>[1] = {},
): Promise<EmbeddedGateway> {
  const gateway = memoryGateway(catalog.kinds, options);
  for (const resource of resources) await gateway.put(kindOf(resource.kind), resource);
  return gateway;
}

/** A door that is opened from outside. */
export function door(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
