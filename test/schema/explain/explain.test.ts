import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { explain } from '../../../src/schema/explain/explain.ts';
import { plugins } from '../../../src/schema/plugins/index.ts';
import { dedent } from '../../support/expect-problems.ts';

describe('explain', () => {
  it('tells of a kind what it is and its fields', () => {
    expect(text('AliasTopic')).toBe(
      dedent(`
        AliasTopic

        An alias of a topic, in one virtual cluster.

        Not with:  KAFKA_MANAGED, DELEGATED_SASL_PLAINTEXT, DELEGATED_SASL_SSL

        Fields:
          apiVersion            gateway/v2, required
          kind                  AliasTopic, required
          metadata.name         text, required        The name that clients use.
          metadata.vCluster     text                  The virtual cluster of the resource.
          spec.physicalName     text, required        The physical topic; not another alias.
          spec.physicalCluster  text                  The physical cluster; always main in a Standard virtual cluster. Immutable.
      `),
    );
  });

  it('tells of a field its type, default, bounds and what else the form says', () => {
    expect(text('AliasTopic.spec.physicalCluster')).toBe(
      dedent(`
        AliasTopic.spec.physicalCluster

        The physical cluster; always main in a Standard virtual cluster. Immutable.

        Type:        text
        Required:    no
        Default:     "main"
        Min length:  1
        Immutable:   a change deletes the resource and creates it again
        Since:       gateway 3.5.0
      `),
    );
    expect(text('Interceptor.spec.priority')).toBe(
      dedent(`
        Interceptor.spec.priority

        Interceptors with lower priority run first.

        Type:      integer
        Required:  yes
        Minimum:   -2147483648
        Maximum:   2147483647
      `),
    );
  });

  it('tells of a plugin class which gateways have it', () => {
    expect(text('FetchEncryptPlugin')).toMatch(
      /^io\.conduktor\.gateway\.interceptor\.FetchEncryptPlugin\n\n.*\n\nUsed in: +Interceptor, as spec\.pluginClass\nDeprecated: +since gateway 3\.16\.0\nRemoved: +in gateway 3\.19\.0\n\nFields:\n/,
    );
  });

  it.each([
    ['GatewayInterceptor', 'Aliases:  GatewayInterceptor'],
    ['VirtualCluster', 'Built in:  passthrough'],
    ['VirtualCluster', 'Holds:     the topics, ACLs and consumer groups inside it'],
    ['Plugin', 'Read-only:  only the gateway creates it'],
    ['UserMapping', 'Known to:  gwconf only'],
    ['VirtualCluster.spec.superUsers', 'Set:       the order of its items does not matter'],
    ['VirtualCluster.spec.superUsers', 'Type:      list of text'],
    ['VirtualCluster.spec.superUsers', 'Default:   []'],
    ['VirtualCluster.spec.clientProperties', 'Server-managed:  set by the gateway'],
    ['VirtualCluster.spec.acls', 'resourcePattern.name          text, required'],
    ['VirtualCluster.spec.acls[].permissionType', 'Type:      one of ALLOW, DENY\nRequired:  yes'],
    ['VirtualCluster.spec.acls.0.permissionType', 'VirtualCluster.spec.acls[].permissionType'],
    ['GatewayGroup.spec.members.vCluster', 'Default:   "passthrough"'],
    ['GatewayServiceAccount.spec.type', 'Any case:  upper and lower case are equal'],
    ['GatewayServiceAccount.spec.externalNames[]', 'Unique:      no two resources of the kind can'],
    ['GatewayServiceAccount.spec.externalNames', 'Max items:  1'],
    ['Interceptor.metadata.scope.vCluster', 'Type:      text or null'],
    ['Interceptor.spec.pluginClass', 'Known values; others are sent unchanged:\n  io.conduktor'],
    [
      'Interceptor.spec.config',
      'Its fields depend on spec.pluginClass: gwconf explain ReadOnlyTopicPolicyPlugin',
    ],
    ['CelTopicPlugin', 'Deprecated:  yes'],
    ['EncryptPlugin.kmsConfig.vault.token', 'Secret:    hidden in all output'],
    ['EncryptPlugin.throttleTimeMs', 'Since:     gateway 3.12.0'],
    ['EncryptSchemaBasedPlugin.tags', 'Set:       the order'],
    ['CreateTopicPolicyPlugin.topic', 'Default:   ".*"'],
    [
      'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin.numPartition.min',
      'Type:      integer',
    ],
    ['safeguard.createtopicpolicyplugin.numPartition', 'CreateTopicPolicyPlugin.numPartition\n'],
    ['FieldLevelDataMaskingPlugin.policies.rule.type', 'Default:   "MASK_ALL"'],
    [
      'SchemaPayloadValidationPolicyPlugin.schemaRegistryConfig.additionalConfigs.basic.auth.user.info',
      'Type:      text',
    ],
    [
      'ConcentrationRule.spec.offsetCorrectness',
      'Deprecated:  true: since gateway 3.21.0, to be removed in 3.24.0',
    ],
  ])('tells of %s: %s', (question, expected) => {
    expect(text(question)).toContain(expected);
  });

  it.each([
    ['Interceptr', undefined, 'Interceptor'],
    ['CreateTopicPlicy', undefined, 'CreateTopicPolicyPlugin'],
    ['Interceptor.spec.prioritee', 'Interceptor.spec', 'priority'],
    ['GatewayGroup.spec.members.vClustr', 'GatewayGroup.spec.members[]', 'vCluster'],
    ['EncryptPlugin.kmsConfig.valt', 'EncryptPlugin.kmsConfig', 'vault'],
    ['AliasTopic.spec.physicalName.deeper', 'AliasTopic.spec.physicalName', undefined],
    ['Interceptor.constructor', 'Interceptor', undefined],
    ['Interceptor.priority', 'Interceptor', 'Interceptor.spec.priority'],
    ['Interceptor.vCluster', 'Interceptor', undefined],
    ['__proto__', undefined, undefined],
  ])('knows nothing of %j', (question, within, near) => {
    const found = explain(question, catalog);
    expect(found).toMatchObject({ within, near });
  });

  it('knows every field that there is', () => {
    const forms = [
      'Project',
      ...catalog.kinds.keys(),
      ...catalog.ownKinds.keys(),
      ...plugins.map(({ title }) => title),
    ];
    const asked = forms.flatMap((name) => below(name));
    expect(asked.length).toBeGreaterThan(800);
  });
});

/** What is asked for with what is listed below it, and so on. */
function below(question: string): readonly string[] {
  const [, fields = ''] = text(question).split('\nFields:\n');
  const names = fields.split('\n').flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
  return [question, ...names.flatMap((name) => below(`${question}.${name}`))];
}

function text(question: string): string {
  const found = explain(question, catalog);
  if (!('text' in found)) throw new Error(`${question} is not known`);
  return found.text;
}
