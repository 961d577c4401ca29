// Difficult inputs: easy to write, and expensive for a program that is not prepared for them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gwconf } from './measure.mjs';
import { listsOf, make, writeScenario, yamlOf } from './workload.mjs';

const DOCUMENTS = 100_000;
const FILES = 10_000;
const MEMBERS = 20_000;
const CONFIG_BYTES = 5_000_000;
const COMMENTS = 10_000;
const SAME_NAME = 5_000;
const CHAIN = 5_000;
const CYCLE = 10_000;

/** Each writes files into a folder and lists into a scenario, and returns what to run there. */
export const shapes = {
  [`one file of ${DOCUMENTS} documents`]({ folder }) {
    writeFileSync(join(folder, 'all.yaml'), yamlOf(topics(DOCUMENTS)));
    return () => gwconf('validate', folder);
  },
  [`${FILES} files`]({ folder }) {
    for (const [at, topic] of topics(FILES).entries())
      writeFileSync(join(folder, `topic-${at}.yaml`), yamlOf([topic]));
    return () => gwconf('validate', folder);
  },
  [`a group of ${MEMBERS}, one of them new`]({ folder, lists, url }) {
    const group = (members) => [make('GatewayGroup', { name: 'all' }, { members })];
    const members = Array.from({ length: MEMBERS }, (_, at) => ({
      name: `app-${at}`,
      vCluster: 'passthrough',
    }));
    const accounts = members.map(({ name }) => make('GatewayServiceAccount', { name }, { type: 'LOCAL' }));
    writeFileSync(join(folder, 'group.yaml'), yamlOf(group(members)));
    lists([...group(members.slice(1).reverse()), ...accounts]);
    return () => gwconf('plan', folder, '--url', url);
  },
  [`a config of ${CONFIG_BYTES / 1e6} MB, one field of it new`]({ folder, lists, url }) {
    const entries = Array.from({ length: CONFIG_BYTES / 50 }, (_, at) => [
      `key-${at}`,
      { name: `entry-${at}`, pattern: `p-${at}-.*` },
    ]);
    const guard = (config) => [
      make('Interceptor', { name: 'guard' }, { pluginClass: 'com.example.Own', priority: 1, config }),
    ];
    writeFileSync(join(folder, 'guard.yaml'), yamlOf(guard(Object.fromEntries(entries))));
    lists(guard(Object.fromEntries(entries.slice(1))));
    return () => gwconf('plan', folder, '--url', url);
  },
  [`${COMMENTS} comments that silence a problem`]({ folder }) {
    const guards = Array.from({ length: COMMENTS }, (_, at) =>
      make(
        'Interceptor',
        { name: `guard-${at}` },
        { pluginClass: 'com.example.Own', priority: 1, config: {} },
      ),
    );
    const silenced = yamlOf(guards).replaceAll(
      /^( *)metadata:/gm,
      '$1# gwconf-ignore omitted-scope: as agreed\n$&',
    );
    writeFileSync(join(folder, 'guards.yaml'), silenced);
    return () => gwconf('validate', folder);
  },
  [`${SAME_NAME} interceptors of one name`]({ folder, lists, url }) {
    const guards = Array.from({ length: SAME_NAME }, (_, at) =>
      make(
        'Interceptor',
        { name: 'guard', scope: { vCluster: 'passthrough', username: `app-${at}` } },
        { pluginClass: 'com.example.Own', priority: 1, config: {} },
      ),
    );
    writeFileSync(join(folder, 'guards.yaml'), yamlOf(guards));
    lists([]);
    return () => gwconf('plan', folder, '--url', url);
  },
  [`a chain of ${CHAIN}, each depends on the next`]({ folder, lists, url }) {
    writeFileSync(join(folder, 'accounts.yaml'), yamlOf(accounts(CHAIN, (at) => at + 1)));
    lists(accounts(CHAIN, (at) => at));
    return () => gwconf('plan', folder, '--url', url, '--max-updates', CHAIN);
  },
  [`a cycle of ${CYCLE} accounts that swap names`]({ folder, lists, url }) {
    writeFileSync(join(folder, 'accounts.yaml'), yamlOf(accounts(CYCLE, (at) => (at + 1) % CYCLE)));
    lists(accounts(CYCLE, (at) => at));
    return () => gwconf('plan', folder, '--url', url, '--max-updates', CYCLE);
  },
};

/** Writes an input, and returns the function that measures it. */
export function prepare(root, name, at, url) {
  const folder = join(root, `shape-${at}`);
  mkdirSync(folder, { recursive: true });
  const scenario = `shape-${at}`;
  const lists = (resources) => writeScenario(root, scenario, listsOf(resources));
  return shapes[name]({ folder, lists, url: `${url}/${scenario}` });
}

function topics(count) {
  return Array.from({ length: count }, (_, at) =>
    make('AliasTopic', { name: `topic-${at}` }, { physicalName: `physical-${at}` }),
  );
}

function accounts(count, nameOf) {
  return Array.from({ length: count }, (_, at) =>
    make(
      'GatewayServiceAccount',
      { name: `app-${at}` },
      { type: 'EXTERNAL', externalNames: [`sub-${nameOf(at)}`] },
    ),
  );
}
