import { defineKind } from '../define-kind.ts';
import { closed } from '../closed.ts';
import type { Resource } from '../../model/resource.ts';
import { gatewayV2 } from './common.ts';

export type PluginKind = Resource<
  'Plugin',
  { readonly name: string },
  {
    readonly pluginId: string;
    readonly readme: string;
    readonly parent?: string;
    readonly license?: string;
    readonly description?: string;
    readonly title?: string;
    readonly version?: string;
  }
>;

const text = { type: 'string' };

// gateway-api A.6: the list is fixed for a gateway; its items have no metadata and spec.
export const plugin = defineKind<PluginKind>({
  name: 'Plugin',
  summary: 'A plugin class that the gateway can run. Read-only.',
  isBuiltIn: true,
  ...gatewayV2('plugin'),
  read: ({ plugin: name, ...spec }) => ({ metadata: { name: typeof name === 'string' ? name : '' }, spec }),
  schema: {
    metadata: closed(['name'], { name: text }),
    spec: closed(['pluginId', 'readme'], {
      pluginId: text,
      readme: text,
      parent: text,
      license: text,
      description: text,
      title: text,
      version: text,
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'Plugin',
    metadata: { name: 'io.conduktor.gateway.interceptor.AuditPlugin' },
    spec: { pluginId: 'AuditPlugin', readme: '# Audit' },
  },
  columns: [
    { title: 'ID', at: '/spec/pluginId' },
    { title: 'VERSION', at: '/spec/version' },
  ],
});
