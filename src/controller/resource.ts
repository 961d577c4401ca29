import type { Plain } from '../model/shape.ts';
import { parseUrl, pathOf } from '../model/text/url.ts';
import { digest } from '../plan/saved/digest.ts';
import type { spec, status } from './resource-shape.ts';

export const GROUP = 'gwconf.io';
export const VERSION = 'v1alpha1';
export const KIND = 'GatewayConfig';
export const PLURAL = 'gatewayconfigs';
/** Keeps a resource until what its files declare is deleted. */
export const FINALIZER = `${GROUP}/prune`;
/** A new value of one of these asks for a look at once; the second is that of Flux. */
export const REQUESTS = [`${GROUP}/requestedAt`, 'reconcile.fluxcd.io/requestedAt'];

export type Spec = Plain<typeof spec>;
export type Status = Plain<typeof status>;
export type Condition = NonNullable<Status['conditions']>[number];

/** What all objects of Kubernetes have. */
export type KubeObject = {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
};

export type GatewayConfig = KubeObject & { readonly spec: Spec; readonly status?: Status };

export function isTrue(status: Status | undefined, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
}

/** `NAMESPACE/NAME` */
export function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** The parts of such a key. */
export function metadataOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/** The requests for a look by annotation: a new one in either is another text. */
export function requestOf({ metadata: { annotations = {} } }: KubeObject): string | undefined {
  const asked = REQUESTS.flatMap((name) => annotations[name] ?? []);
  return asked.length === 0 ? undefined : tokenOf(asked.join(' '));
}

/** What the status repeats and is only compared: a long one by its digest, since cut ones could be alike. */
export function tokenOf(text: string): string {
  return text.length <= 200 ? text : digest(text);
}

/**
 * Why there is nothing to run: what a user has to mend, or what may pass. `reason` is one word for programs. It repeats no secret.
 */
export class Refusal extends Error {
  readonly reason: string;
  readonly mayPass: boolean;
  constructor(reason: string, message: string, { mayPass = false }: { readonly mayPass?: boolean } = {}) {
    super(message);
    this.reason = reason;
    this.mayPass = mayPass;
  }
}

/** One gateway has one lock: what calls to it do not have of a URL, and slashes at its end, make it no other. */
export function gatewayOf(text: string): string {
  const url = parseUrl(text);
  return url === undefined ? text : `${url.origin}${pathOf(url)}/`;
}
