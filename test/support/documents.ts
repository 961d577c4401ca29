/** Resources as text, four lines each: apiVersion, kind, metadata, spec. `resources.ts` has them as values. */

/** The text of gwconf.yaml: the fields of each environment as they stand in its braces, a line each; `more` are lines of other fields. */
export function projectOf(environments: Readonly<Record<string, string>>, more = ''): string {
  const lines = Object.entries(environments).map(([name, fields]) => `  ${name}: { ${fields} }\n`);
  return `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${lines.join('')}${more}`;
}

export function documentOf(kind: string, metadata: string, spec = '{}'): string {
  return `apiVersion: gateway/v2\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;
}

export function cluster(name: string, spec = '{}'): string {
  return documentOf('VirtualCluster', `{ name: ${name} }`, spec);
}

/** Without a virtual cluster it is in passthrough. */
export function alias(name: string, physicalName = `${name}-v1`, vCluster?: string): string {
  return documentOf('AliasTopic', inside(name, vCluster), `{ physicalName: ${physicalName} }`);
}

/** EXTERNAL if it has an external name, else LOCAL. */
export function account(name: string, vCluster = 'passthrough', externalName?: string): string {
  const spec =
    externalName === undefined ? '{ type: LOCAL }' : `{ type: EXTERNAL, externalNames: [${externalName}] }`;
  return documentOf('GatewayServiceAccount', inside(name, vCluster), spec);
}

/** An interceptor of passthrough that encrypts with keys of a vault; `more` are other fields of its config. */
export function encrypting(token: string, ...more: readonly string[]): string {
  const kms = `kmsConfig: { vault: { uri: "http://vault", type: TOKEN, token: ${JSON.stringify(token)} } }`;
  const plugin = 'pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, priority: 1';
  const metadata = '{ name: encrypt, scope: { vCluster: passthrough } }';
  return documentOf('Interceptor', metadata, `{ ${plugin}, config: { ${[...more, kms].join(', ')} } }`);
}

/** An interceptor that masks these fields of a topic. */
export function masking(name: string, ...fields: readonly string[]): string {
  return `
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: ${name}, scope: { vCluster: passthrough } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
    priority: 1
    config: { topic: cards, policies: [{ name: p, rule: { type: MASK_ALL }, fields: [${fields.join(', ')}] }] }
`;
}

/** One file of several documents. */
export function all(...texts: readonly string[]): string {
  return texts.join('---\n');
}

function inside(name: string, vCluster: string | undefined): string {
  return vCluster === undefined ? `{ name: ${name} }` : `{ name: ${name}, vCluster: ${vCluster} }`;
}
