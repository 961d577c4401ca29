// The workload: resources in files, and the lists of a gateway that has them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { catalog, memoryGateway } from '../dist/index.js';

const NAME = 'teamname';
const PER_TEAM = 100;
const TEAMS_PER_FILE = 2;

export const writable = [...catalog.kinds.values()].filter(({ removal }) => removal !== undefined);

/** A hundred mixed resources of every kind, like those of a team. */
function team() {
  const each = (count, one) => Array.from({ length: count }, (_, at) => one(at));
  return [
    make('VirtualCluster', { name: NAME }),
    ...each(39, (at) =>
      make('AliasTopic', { name: `topic-${at}`, vCluster: NAME }, { physicalName: `${NAME}-topic-${at}` }),
    ),
    ...each(10, (at) =>
      make(
        'ConcentrationRule',
        { name: `rule-${at}`, vCluster: NAME },
        { pattern: `r${at}-.*`, physicalTopics: { delete: `${NAME}-all` }, autoManaged: true },
      ),
    ),
    ...each(30, (at) =>
      make(
        'GatewayServiceAccount',
        { name: `app-${at}`, vCluster: NAME },
        { type: 'EXTERNAL', externalNames: [`${NAME}-${at}`] },
      ),
    ),
    ...each(5, (at) =>
      make(
        'GatewayGroup',
        { name: `${NAME}-${at}` },
        { members: each(6, (i) => ({ name: `app-${at * 6 + i}`, vCluster: NAME })) },
      ),
    ),
    ...each(15, (at) =>
      make(
        'Interceptor',
        { name: `guard-${at}`, scope: { vCluster: NAME, group: `${NAME}-${at % 5}` } },
        {
          pluginClass: 'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin',
          priority: 100 + at,
          config: {
            topic: `r${at}-.*`,
            numPartition: { min: 1, max: 6, action: 'BLOCK' },
            replicationFactor: { min: 3, max: 3, action: 'BLOCK' },
          },
        },
      ),
    ),
  ];
}

export function make(kind, metadata, spec = {}) {
  return { apiVersion: 'gateway/v2', kind, metadata, spec };
}

/** Writes `count` mixed resources to files, and returns their folder. */
export function writeFiles(root, count) {
  const folder = join(root, `files-${count}`);
  mkdirSync(folder, { recursive: true });
  const text = yamlOf(team());
  for (let first = 0; first < count / PER_TEAM; first += TEAMS_PER_FILE) {
    const teams = Array.from({ length: Math.min(TEAMS_PER_FILE, count / PER_TEAM - first) }, (_, at) =>
      text.replaceAll(NAME, `team-${first + at}`),
    );
    writeFileSync(join(folder, `teams-${first}.yaml`), teams.join('---\n'));
  }
  return folder;
}

/** Writes the lists of a gateway with the resources of `writeFiles`; with `changed`, 1 % of them differ. */
export async function writeLists(root, scenario, count, { changed = false } = {}) {
  const gateway = memoryGateway(catalog.kinds);
  for (const one of team()) await gateway.put(catalog.kinds.get(one.kind), one);
  const lists = [];
  for (const kind of writable) {
    const list = await gateway.list(kind);
    const said = changed && kind.name === 'Interceptor' ? list.map(withOtherPriority) : list;
    const items = JSON.stringify(said).slice(1, -1);
    const all = Array.from({ length: count / PER_TEAM }, (_, at) => items.replaceAll(NAME, `team-${at}`));
    lists.push([kind.collection, `[${all.join(',')}]`]);
  }
  writeScenario(root, scenario, lists);
}

function withOtherPriority(interceptor) {
  if (interceptor.metadata.name !== 'guard-0') return interceptor;
  return { ...interceptor, spec: { ...interceptor.spec, priority: 1 } };
}

/** Writes the lists of a scenario; other kinds have empty lists. */
export function writeScenario(root, scenario, lists = []) {
  const given = new Map(lists);
  for (const { collection } of writable) {
    const path = join(root, 'lists', scenario, `${collection}.json`);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, given.get(collection) ?? '[]');
  }
}

/** The lists of a gateway that has exactly these resources. */
export function listsOf(resources) {
  return writable.map(({ name, collection }) => [
    collection,
    JSON.stringify(resources.filter(({ kind }) => kind === name)),
  ]);
}

export function yamlOf(resources) {
  return resources.map((one) => stringify(one, { lineWidth: 0 })).join('---\n');
}
