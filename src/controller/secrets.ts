import type { Masker } from '../plan/secrets/masker.ts';
import { readAllowedHosts, originOf, VARIABLE } from '../workflow/live/allowed-hosts.ts';
import type { ConnectionOptions } from '../workflow/live/connection.ts';
import { isLoopback, parseHttpUrl } from '../model/text/url.ts';
import type { Host } from '../workflow/host.ts';
import { ALLOWED, compileRule, PUBLIC, readVariableRule } from '../workflow/project/variables.ts';
import { PATHS, pathOf, type Kube } from './kube.ts';
import { Refusal, type GatewayConfig, type KubeObject } from './resource.ts';

/** Each output is searched for these, in every spelling: a megabyte takes many seconds, in which no other resource is looked at. */
const MOST_SECRET_BYTES = 256_000;

/** What a resource takes from Secrets. */
export type Given = {
  readonly connection: ConnectionOptions;
  readonly variables: ReadonlyMap<string, string>;
  /** The Secrets of variables as they are: others give other values. */
  readonly versions: readonly string[];
};

/** Reads the Secrets that a resource names; the masker learns every value. Throws a Refusal for one that is missing. */
export async function readSecrets(
  host: Host,
  kube: Pick<Kube, 'get'>,
  { metadata: { namespace = '' }, spec }: GatewayConfig,
  masker: Masker,
): Promise<Given> {
  const { url, credentialsSecret, caSecret, clientCertificateSecret } = spec.gateway;
  let left = MOST_SECRET_BYTES;
  const spend = (values: Iterable<string>): void => {
    for (const value of values) left -= value.length;
    if (left >= 0) return;
    const most = `${MOST_SECRET_BYTES / 1000} KB`;
    throw new Refusal('SecretTooLarge', `the Secrets of a resource hold more than ${most} together`);
  };
  const read = async (
    name: string | undefined,
    keys: readonly string[],
  ): Promise<Partial<Record<string, string>>> => {
    if (name === undefined) return {};
    const { values } = await readSecret(kube, namespace, name);
    for (const key of keys)
      if ((values.get(key) ?? '') === '')
        throw new Refusal('SecretMissing', `the Secret ${name} in the namespace ${namespace} has no ${key}`);
    const learnt = keys.filter((key) => key !== 'user' && !key.endsWith('.crt'));
    spend(learnt.map((key) => values.get(key) ?? ''));
    for (const key of learnt) masker.learn(values.get(key) ?? '');
    return Object.fromEntries(values);
  };
  const login = await read(credentialsSecret, ['user', 'password']);
  const { 'ca.crt': ca } = await read(caSecret, ['ca.crt']);
  const { 'tls.crt': cert, 'tls.key': key } = await read(clientCertificateSecret, ['tls.crt', 'tls.key']);
  checkUrl(host, url, credentialsSecret !== undefined);
  const variables = new Map<string, string>();
  const versions: string[] = [];
  /** Of two Secrets with the same key, the later one has the value. */
  const rules = new Map<string, { readonly isShown: boolean; readonly isExcluded: boolean }>();
  for (const { secret } of spec.variablesFrom ?? []) {
    const { values, version } = await readSecret(kube, namespace, secret);
    versions.push(version);
    spend(values.values());
    const { isPublic, isAllowed } = ruleOf(values);
    for (const [name, value] of values) {
      variables.set(name, value);
      rules.set(name, { isShown: isPublic(name), isExcluded: !isAllowed(name) });
    }
  }
  const shown = [...rules].flatMap(([name, { isShown }]) => (isShown ? [name] : []));
  const excluded = [...rules].flatMap(([name, { isExcluded }]) => (isExcluded ? [`!${name}`] : []));
  variables.set(PUBLIC, shown.join(','));
  variables.set(ALLOWED, ['*', ...excluded].join(','));
  return {
    connection: { url, user: login['user'], password: login['password'], ca, cert, key },
    variables,
    versions,
  };
}

/** A Secret speaks of its own keys alone: who may write one of a namespace cannot show what is in another. */
function ruleOf(values: ReadonlyMap<string, string>): ReturnType<typeof compileRule> {
  const env = (name: string): string | undefined => values.get(name) ?? (name === ALLOWED ? '*' : undefined);
  return compileRule(readVariableRule(env, undefined));
}

async function readSecret(
  kube: Pick<Kube, 'get'>,
  namespace: string,
  name: string,
): Promise<{ readonly values: ReadonlyMap<string, string>; readonly version: string }> {
  const path = pathOf(PATHS.core(namespace, 'secrets'), name);
  const found =
    path === undefined
      ? undefined
      : await kube.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(path);
  if (found === undefined)
    throw new Refusal('SecretMissing', `the Secret ${name} does not exist in the namespace ${namespace}`);
  const values = Object.entries(found.data ?? {}).map(([key, base64]) => {
    const text = Buffer.from(base64, 'base64').toString('utf8');
    return [key, text.replace(/\r?\n$/, '')] as const;
  });
  const { uid = '', resourceVersion = '' } = found.metadata;
  return { values: new Map(values), version: `${name} ${uid} ${resourceVersion}` };
}

/** Anybody who may make a resource could name a host of their own, and get what is in a Secret. */
function checkUrl(host: Host, text: string, hasPassword: boolean): void {
  const url = parseHttpUrl(text);
  if (url === undefined)
    throw new Refusal('HostNotAllowed', `spec.gateway.url is not the URL of a gateway: ${text}`);
  const allowed = readAllowedHosts(host);
  if (allowed !== undefined && !allowed.admits(url))
    throw new Refusal('HostNotAllowed', `${VARIABLE} of the controller does not allow ${originOf(url)}`);
  const isPlain = url.protocol === 'http:' && !isLoopback(url.hostname);
  if (isPlain && hasPassword && allowed?.admitsPlainHttp(url) !== true)
    throw new Refusal(
      'PlainHttp',
      `the password would be sent to ${originOf(url)} without encryption: use https, or add ${originOf(url)} to ${VARIABLE} of the controller`,
    );
}
