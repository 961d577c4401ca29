import { describe, expect, it } from 'vitest';
import { verdictOf, type World } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';
import { interceptorValues, rawState, shownState, type TerraformResource } from '../support/terraform.ts';
import { projectOf } from '../support/documents.ts';

const PROJECT = projectOf({ prod: 'files: [gateway], manages: ["*", "!*@vCluster=other*"]' });
const CLUSTER = 'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: prod }\nspec: {}\n';
const OWN = { pluginClass: 'com.example.Own', priority: 1, config: {} };

async function begin(): Promise<{ readonly there: Served; readonly mine: World }> {
  const there = await serve();
  await there.put(resource('VirtualCluster', { name: 'prod' }, {}));
  return { there, mine: worldBeside(there, { 'gwconf.yaml': PROJECT, 'gateway/clusters.yaml': CLUSTER }) };
}

const vault = {
  kmsConfig: { vault: { uri: 'https://vault:8200', token: 'canary-token' } },
};
const ENCRYPT: TerraformResource = {
  name: 'encrypt',
  key: "it's",
  values: interceptorValues('encrypt', { topic: 'cards', ...vault }, { vcluster: 'prod' }),
  sensitive: [['spec', 'config']],
};
const ACCOUNT: TerraformResource = {
  type: 'gateway_service_account_v2',
  name: 'app',
  module: 'module.team',
  values: { name: 'app', vcluster: 'prod', spec: { type: 'LOCAL', external_names: null } },
};
const TOKEN: TerraformResource = {
  type: 'gateway_token_v2',
  name: 'app',
  values: { username: 'app', vcluster: 'prod', lifetime_seconds: 60, token: 'canary-jwt' },
};

describe('import --from-terraform', () => {
  it.each([
    ['a state file', rawState],
    ['the output of terraform show', shownState],
  ])('declares what Terraform manages, and ends with what is left to do: %s', async (_, print) => {
    const { there, mine } = await begin();
    const encrypt = { ...OWN, pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin' };
    await there.put(
      resource('GatewayServiceAccount', { name: 'app', vCluster: 'prod' }, { type: 'LOCAL' }),
      resource(
        'Interceptor',
        { name: 'encrypt', scope: { vCluster: 'prod' } },
        { ...encrypt, config: { topic: 'cards', ...vault } },
      ),
      resource('AliasTopic', { name: 'by-hand', vCluster: 'prod' }, { physicalName: 'x' }),
    );
    const topic = { type: 'conduktor_console_topic_v2', name: 't', values: { name: 't' } };
    mine.write('state.json', print(ENCRYPT, ACCOUNT, TOKEN, topic));
    const ran = await mine.run('import', '--from-terraform', 'state.json');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: changes']);
    const files = [mine.read('gateway/interceptor.yaml'), mine.read('gateway/service-account.yaml')].join('');
    expect(files).toContain('token: "${GW_PROD_ENCRYPT_VAULT_TOKEN}"');
    expect(files + ran.out + ran.err).not.toContain('canary');
    expect(ran.out).toContain('No changes. 3 objects up to date. 1 orphaned.');
    expect(ran.out.slice(ran.out.indexOf('Not of'))).toMatchInlineSnapshot(`
      "Not of the gateway, so left to Terraform:
        conduktor_console_topic_v2 (1)

      1 token without a document: tokens are not part of the configuration. They stay valid until they expire.
      To issue another one:
        gwconf token issue --account app --virtual-cluster prod --lifetime 60s

      When the plan is empty, take the objects out of the state, and only then delete their blocks from the .tf files:
        terraform state rm 'conduktor_gateway_token_v2.app'
        terraform state rm 'conduktor_gateway_interceptor_v2.encrypt["it'\\''s"]'
        terraform state rm 'module.team.conduktor_gateway_service_account_v2.app'

      No changes. 3 objects up to date. 1 orphaned.
      "
    `);
    expect(there.writes().filter(({ method }) => method !== 'PUT')).toEqual([]);
    const again = await mine.run('import', '--from-terraform', 'state.json');
    expect([again.code, verdictOf(again)]).toEqual([0, 'result: no-changes']);
  });

  it('takes over what globs select, within manages, and tells what it leaves', async () => {
    const { there, mine } = await begin();
    await there.put(
      resource('Interceptor', { name: 'encrypt', scope: { vCluster: 'prod', username: 'old' } }, OWN),
    );
    const other = { ...ACCOUNT, name: 'o', values: { ...ACCOUNT.values, vcluster: 'other' } };
    mine.write('state.json', rawState(ENCRYPT, ACCOUNT, other));
    const ran = await mine.run(
      'import',
      '*/encrypt*',
      '*/app*@vCluster=other',
      '--from-terraform',
      'state.json',
    );
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: incomplete']);
    expect(mine.has('gateway/service-account.yaml')).toBe(false);
    expect(ran.err).toContain(
      'warning[not-imported]: GatewayServiceAccount/app@vCluster=other is not added: manages does not match it',
    );
    expect(ran.err).toContain(
      "warning[unclear-state]: Interceptor/encrypt@vCluster=prod,username=old is in no file and not in Terraform's state",
    );
  });

  it('is incomplete where an object cannot be taken over', async () => {
    const { mine } = await begin();
    const values = { ...interceptorValues('i', {}), name: null };
    mine.write('state.json', rawState({ name: 'nameless', values }));
    const ran = await mine.run('import', '--from-terraform', 'state.json');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([1, 'result: incomplete']);
    expect(ran.err).toContain('nameless cannot be taken over');
  });

  it('leaves with Terraform what a file cannot declare', async () => {
    const { mine } = await begin();
    const unknown = interceptorValues('encrypt', { topic: 'x', recordValue: 5 }, { vcluster: 'prod' });
    mine.write('state.json', rawState({ ...ENCRYPT, values: unknown }, ACCOUNT));
    const ran = await mine.run('import', '--from-terraform', 'state.json');
    expect(ran.err).toContain('warning[not-imported]: Interceptor/encrypt@vCluster=prod stays as it is');
    expect(ran.out.match(/terraform state rm .*/g)).toEqual([
      "terraform state rm 'module.team.conduktor_gateway_service_account_v2.app'",
    ]);
  });

  it('prints a diff, and writes nothing with --dry-run', async () => {
    const { mine } = await begin();
    mine.write('state.json', rawState(ENCRYPT));
    const ran = await mine.run('import', '--from-terraform', 'state.json', '--dry-run');
    expect(ran.out).toContain('+++ b/gateway/interceptor.yaml');
    expect(ran.out + ran.err).not.toContain('canary');
    expect(mine.has('gateway/interceptor.yaml')).toBe(false);
  });

  it.each([
    ['not JSON', 'error[invalid-state]: state.json is not JSON'],
    ['{"version":3,"serial":1}', 'error[invalid-state]: state.json is a state of version 3; expected 4'],
    [
      '{"version":4,"serial":1,"resources":[{}]}',
      'error[invalid-state]: state.json has 1 resources without a type, an address',
    ],
  ])('fails without a call, and writes nothing: %s', async (text, message) => {
    const { there, mine } = await begin();
    there.forget();
    mine.write('state.json', text);
    const ran = await mine.run('import', '--from-terraform', 'state.json');
    expect([ran.code, verdictOf(ran), ran.out]).toEqual([1, 'result: error', '']);
    expect(ran.err).toContain(message);
    expect(there.requests).toEqual([]);
  });

  it('does not read more than --max-input', async () => {
    const { mine } = await begin();
    mine.write('state.json', rawState(ENCRYPT));
    const ran = await mine.runWith({ maxInputBytes: 500 }, 'import', '--from-terraform', 'state.json');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain('state.json cannot be read: it is larger than');
  });

  it.each([
    ['--from-terraform a --from-cli-state b', 'use one of --drift, --from-terraform and --from-cli-state'],
    ['--from-terraform a --drift', 'use one of --drift, --from-terraform and --from-cli-state'],
    ['--from-terraform missing.json', 'missing.json cannot be read'],
  ])('%s is invalid usage', async (line, message) => {
    const { mine } = await begin();
    const ran = await mine.run('import', ...line.split(' '));
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(message);
  });
});

describe('the state of another folder or workspace', () => {
  it.each([
    ['--from-terraform', shownState()],
    ['--from-cli-state', JSON.stringify({ version: 'v1', resources: [] })],
  ])('does not look like one that is taken over: %s', async (flag, text) => {
    const { mine } = await begin();
    mine.write('state.json', text);
    const ran = await mine.run('import', flag, 'state.json');
    expect(ran.err).toContain('warning[unclear-state]: state.json has no object of the gateway');
  });
});

describe('import --from-cli-state', () => {
  const STATE = JSON.stringify({
    version: 'v1',
    lastUpdated: '2026-05-04T08:00:00Z',
    resources: [
      { apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name: 'prod' } },
      { apiVersion: 'gateway/v2', kind: 'AliasTopic', metadata: { name: 'old', vCluster: 'prod' } },
      { apiVersion: 'gateway/v2', kind: 'AliasTopic', metadata: { name: 'gone', vCluster: 'prod' } },
      { apiVersion: 'v2', kind: 'Topic', metadata: { name: 't', cluster: 'c' } },
    ],
  });

  it('proposes to remove what no file declares, in comments', async () => {
    const { there, mine } = await begin();
    await there.put(
      resource('AliasTopic', { name: 'old', vCluster: 'prod' }, { physicalName: 'x' }),
      resource('AliasTopic', { name: 'by-hand', vCluster: 'prod' }, { physicalName: 'x' }),
    );
    mine.write('cli-state.json', STATE);
    const ran = await mine.run('import', '--from-cli-state', 'cli-state.json');
    expect([ran.code, verdictOf(ran)], ran.err).toEqual([0, 'result: changes']);
    expect(ran.out).toMatch(/^created gateway\/removals\.yaml\n/);
    expect(ran.out).toMatch(
      /Not of the gateway, so left to the official CLI:\n {2}Topic \(1\)\n\nNo changes\..*\n$/,
    );
    expect(mine.read('gateway/removals.yaml')).toMatchInlineSnapshot(`
      "# # Proposed by gwconf import --from-cli-state cli-state.json: the official CLI has applied these objects, and no file
      # # declares them, so its next apply would delete them. Remove one # from each line to delete them with gwconf apply.
      # # To keep them, declare them: gwconf import ADDRESS
      #
      # apiVersion: gwconf/v1
      # kind: Removal
      # metadata:
      #   name: from-cli-state
      # spec:
      #   reason: applied with the official CLI, and in no file any more
      #   remove:
      #     - AliasTopic/old@vCluster=prod
      "
    `);

    const again = await mine.run('import', '--from-cli-state', 'cli-state.json');
    expect([again.code, verdictOf(again)], again.err).toEqual([0, 'result: no-changes']);
    expect(again.out).toContain('is declared, in a Removal (also one in comments), or not on the gateway.\n');

    mine.write(
      'gateway/removals.yaml',
      mine
        .read('gateway/removals.yaml')
        .replace(/^(?:#.*\n)*#\n/, '')
        .replace(/^# /gm, ''),
    );
    const plan = await mine.run('plan');
    expect(plan.out).toContain('- AliasTopic/old@vCluster=prod');
    expect(plan.out).toContain('1 to delete');
    const removed = await mine.run('import', '--from-cli-state', 'cli-state.json');
    expect(removed.out).toContain('No removal is proposed');
  });

  it('does not write over a file', async () => {
    const { there, mine } = await begin();
    await there.put(resource('AliasTopic', { name: 'old', vCluster: 'prod' }, { physicalName: 'x' }));
    mine.write('cli-state.json', STATE);
    mine.write('gateway/removals.yaml', '# ours\n');
    const ran = await mine.run('import', '--from-cli-state', 'cli-state.json');
    expect(ran.err).toContain('warning[not-imported]: no removal is proposed: gateway/removals.yaml exists');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: incomplete']);
    expect(ran.out).not.toContain('No removal is proposed');
    expect(mine.read('gateway/removals.yaml')).toBe('# ours\n');
    const named = await mine.run('import', '--from-cli-state', 'cli-state.json', '--to', 'gateway/cli.yaml');
    expect(named.out).toContain('created gateway/cli.yaml');
  });
});
