import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';
import { plugins } from '../../../src/schema/plugins/index.ts';
import { NO_VARIABLES } from '../../../src/schema/yaml/interpolate.ts';
import { templateText } from '../../support/template-text.ts';
import { parseYaml } from '../../../src/schema/yaml/parse.ts';
import { dedent } from '../../support/expect-problems.ts';

const declarable = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);
const names = [
  ...declarable.map(({ name }) => name),
  ...catalog.ownKinds.keys(),
  ...plugins.map(({ title }) => title),
];

describe.each(names)('the template of %s', (name) => {
  const text = templateText(name) ?? '';
  const check = (content: string) =>
    load([{ path: 'a.yaml', text: content, named: true }], catalog, NO_VARIABLES);

  it('declares one resource, or asks for none, without an error', () => {
    const { value, declaring, problems } = check(text);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(declaring.size).toBe(1);
    expect(value.size).toBe(name === 'Removal' ? 0 : 1);
  });

  it('is YAML with any of its fields taken out of the comments', () => {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      if (!/^ *# [\w"-]+: /.test(line)) continue;
      const changed = lines
        .with(index, line.replace('# ', ''))
        .join('\n')
        .replace('config: {} #', 'config: #');
      const [document] = parseYaml({ path: '', text: changed }, NO_VARIABLES);
      expect(document?.problems, line).toEqual([]);
    }
  });
});

describe('a template', () => {
  it('is the example of a kind, with what else there is in comments', () => {
    expect(templateText('AliasTopic')).toBe(
      dedent(`
        # An alias of a topic, in one virtual cluster.
        apiVersion: gateway/v2
        kind: AliasTopic
        metadata:
          # The name that clients use.
          name: orders
          # The virtual cluster of the resource. Default: passthrough.
          vCluster: prod
        spec:
          # The physical topic; not another alias.
          physicalName: orders-v3
          # The physical cluster; always main in a Standard virtual cluster. Immutable. Default: main.
          # physicalCluster: main
      `),
    );
  });

  it('of a plugin class has its defaults', () => {
    expect(templateText('CacheInterceptorPlugin')).toBe(
      dedent(`
        # Caches records in the gateway.
        apiVersion: gateway/v2
        kind: Interceptor
        metadata:
          name: cache-interceptor
          # The clients that it applies to. Default: the passthrough virtual cluster. All three null: global.
          scope:
            # Default: passthrough.
            vCluster: prod
            # group: …
            # The name of a client; it does not have to be a service account.
            # username: …
        spec:
          # comment: ""
          pluginClass: io.conduktor.gateway.interceptor.CacheInterceptorPlugin
          # Interceptors with lower priority run first.
          priority: 100
          # The configuration of the plugin; its fields depend on pluginClass.
          config:
            # Regular expression for topic names. Default: .*.
            topic: .*
            # The cache.
            # cacheConfig: { type: IN_MEMORY, rocksdbConfig: {}, inMemConfig: {} }
      `),
    );
  });

  it('says which gateways have the class', () => {
    expect(templateText('FetchEncryptPlugin')?.split('\n').slice(0, 4)).toEqual([
      '# Encrypts records or their fields when they are consumed.',
      '# Deprecated since gateway 3.16.0.',
      '# Removed in gateway 3.19.0.',
      'apiVersion: gateway/v2',
    ]);
    expect(templateText('CelTopicPlugin')).toContain('\n# Deprecated.\n');
  });

  it('is found by any name of the kind or class', () => {
    for (const name of ['Interceptor', 'GatewayInterceptor', 'interceptor']) {
      expect(templateText(name)).toBe(templateText('Interceptor'));
    }
    for (const name of ['EncryptPlugin', 'io.conduktor.gateway.interceptor.EncryptPlugin', 'encryptplugin']) {
      expect(templateText(name)).toBe(templateText('EncryptPlugin'));
    }
  });

  it.each(['Plugin', 'ConcentratedTopic', 'Thing', ''])('is none of %j', (name) => {
    expect(templateText(name)).toBeUndefined();
  });
});
