import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import {
  bare,
  fastest,
  gwconf,
  hasCli,
  inEmptyFolder,
  loadedBy,
  medians,
  officialCli,
  script,
  scriptByClock,
  startEmbedded,
  startUp,
} from './measure.mjs';
import { typeInEditor } from './editor.mjs';
import { prepare, shapes } from './shapes.mjs';
import { make, writable, writeFiles, writeLists, writeScenario, yamlOf } from './workload.mjs';

const COLLECTIONS = writable.map(({ collection }) => collection);

/**
 * The measurements, by group. Each returns rows: a name, a value and its unit; with `limit` it is checked, as `most` or
 * `least`. Ratios are within the run, so that they mean the same on every machine.
 */
export const groups = {
  async 'start-up'({ root, url, times }) {
    const file = join(root, 'one.yaml');
    writeFileSync(file, yamlOf([make('AliasTopic', { name: 'orders' }, { physicalName: 'orders-v3' })]));
    const [node, version, validate] = await fastest(
      5 * times,
      bare,
      () => startUp('--version'),
      () => startUp('validate', file),
    );
    writeScenario(root, 'empty');
    const loaded = async (name, ...args) => ({
      name: `code loaded by ${name}`,
      value: await loadedBy(...args),
      unit: 'KB',
    });
    return [
      milliseconds('bare Node', node),
      milliseconds('--version', version),
      milliseconds('validate of one file', validate),
      most(1.2, ratio('--version / bare Node', version, node)),
      most(1.5, ratio('validate of one file / bare Node', validate, node)),
      most(900, await loaded('validate of one file', 'validate', file)),
      most(1450, await loaded('plan of one file', 'plan', file, '--url', `${url}/empty`)),
    ];
  },

  async editor({ root, times }) {
    const project = join(root, 'editor');
    const folder = writeFiles(project, 10_000);
    const [validate] = await fastest(times, () => gwconf('validate', folder));
    const { first, all, keys, memoryBytes } = await typeInEditor(project, folder, 8 * times);
    return [
      milliseconds('validate of 10,000', validate),
      milliseconds('first problems of the open file in 10,000', { ms: first }),
      milliseconds('an editor knows all of 10,000', { ms: all }),
      milliseconds('from key to problem in 10,000', { ms: keys }),
      most(0.8, ratio('first problems of the open file / validate', { ms: first }, validate)),
      most(1.5, ratio('an editor knows all of 10,000 / validate', { ms: all }, validate)),
      most(0.15, ratio('from key to problem / validate', { ms: keys }, validate)),
      most(300, { name: 'memory of a language server', value: memoryBytes / 1e6, unit: 'MB' }),
    ];
  },

  async plan({ root, times, url, seen, sizes }) {
    const rows = [];
    const nothing = new Map();
    for (const size of sizes) {
      const folder = writeFiles(root, size);
      await writeLists(root, `same-${size}`, size);
      await writeLists(root, `changed-${size}`, size, { changed: true });
      const repeat = size > 10_000 ? 1 : times;
      const planAt = (scenario) => () => gwconf('plan', folder, '--url', `${url}/${scenario}-${size}`);
      const [floor, same, changed] = await fastest(
        repeat,
        () => script('floor', folder, `${url}/same-${size}`, ...COLLECTIONS),
        planAt('same'),
        planAt('changed'),
      );
      expect(same.out, 'No changes.');
      expect(changed.out, `${size / 100} to update`);
      await seen(`same-${size}`);
      await planAt('same')();
      const { requests } = await seen(`same-${size}`);
      nothing.set(size, same);
      const overFloor = ratio(`plan ${size}, nothing to do / floor`, same, floor);
      rows.push(
        milliseconds(`floor ${size}`, floor),
        milliseconds(`plan ${size}, nothing to do`, same),
        milliseconds(`plan ${size}, 1 % changed`, changed),
        size === 10_000 ? most(1.2, overFloor) : overFloor,
        size === 100_000 ? most(700, memory(`plan ${size}`, same)) : memory(`plan ${size}`, same),
        most(7, { name: `requests of a plan of ${size}`, value: requests, unit: '' }),
      );
    }
    if (nothing.has(100_000))
      rows.push(most(11, ratio('plan 100000 / plan 10000', nothing.get(100_000), nothing.get(10_000))));
    return rows;
  },

  /** Many environments with the same files, against one. */
  async fleet({ root, times, url }) {
    const [size, count] = [10_000, 40];
    await writeLists(root, `same-${size}`, size);
    const cwd = join(root, 'fleet');
    const files = writeFiles(cwd, size);
    const names = Array.from({ length: count }, (_, at) => `env-${at}`);
    const environments = names.map((name) => ({
      [name]: { gateway: { url: `${url}/same-${size}?${name}` }, files: [files] },
    }));
    const project = {
      apiVersion: 'gwconf/v1',
      kind: 'Project',
      environments: Object.assign({}, ...environments),
    };
    writeFileSync(join(cwd, 'gwconf.yaml'), JSON.stringify(project));
    const of = (command, wanted) => () => gwconf(command, '--chdir', cwd, '--env', wanted);
    const [valid, allValid, plan, allPlans] = await fastest(
      times,
      of('validate', 'env-0'),
      of('validate', '*'),
      of('plan', 'env-0'),
      of('plan', '*'),
    );
    expect(allValid.out, `valid in ${count}`);
    expect(allPlans.out, `no changes in ${count}`);
    return [
      milliseconds(`validate of ${size} in ${count} environments`, allValid),
      most(2.5, ratio(`validate of ${size} in ${count} environments / in one`, allValid, valid)),
      milliseconds(`plan of ${size} in ${count} environments`, allPlans),
      most(12, ratio(`plan of ${size} in ${count} environments / in one`, allPlans, plan)),
      memory(`plan of ${size} in ${count} environments`, allPlans),
    ];
  },

  /** A change for every principal, against a change for none. */
  async effects({ root, times, url, sizes }) {
    const size = Math.max(...sizes);
    const folder = writeFiles(root, size);
    await writeLists(root, `same-${size}`, size);
    const planWith = (name, resource) => {
      const file = join(root, `${name}.yaml`);
      writeFileSync(file, yamlOf([resource]));
      return () => gwconf('plan', folder, file, '--url', `${url}/same-${size}`);
    };
    const scope = { vCluster: null, group: null, username: null };
    const pluginClass = 'io.conduktor.gateway.interceptor.AuditPlugin';
    const [without, all] = await fastest(
      size > 10_000 ? 1 : times,
      planWith('topic', make('AliasTopic', { name: 'orders' }, { physicalName: 'orders-v3' })),
      planWith(
        'audit',
        make('Interceptor', { name: 'audit', scope }, { pluginClass, priority: 1, config: {} }),
      ),
    );
    expect(all.out, '1 to create');
    return [
      milliseconds(`plan ${size}, one topic`, without),
      milliseconds(`plan ${size}, an interceptor for all principals`, all),
      most(1.5, ratio(`plan ${size}, an interceptor for all principals / one topic`, all, without)),
    ];
  },

  /** Not with --quick. */
  async million({ root, url, sizes }) {
    if (!sizes.includes(100_000)) return [];
    const planOf = async (size) => {
      const folder = writeFiles(root, size);
      await writeLists(root, `same-${size}`, size);
      const made = await gwconf('plan', folder, '--url', `${url}/same-${size}`);
      expect(made.out, `${size} objects up to date`);
      return made;
    };
    const [some, many] = [await planOf(100_000), await planOf(1_000_000)];
    return [
      milliseconds('plan 1000000, nothing to do', many),
      most(12, ratio('plan 1000000 / plan 100000', many, some)),
      most(2000, memory('plan 1000000', many)),
    ];
  },

  /** Resources of Kubernetes on three replicas, each looked at once. */
  async controller({ root, url, sizes }) {
    writeScenario(root, 'fleet');
    const rows = [];
    for (const size of sizes.includes(100_000) ? [1_000, 10_000] : [100]) {
      const { out } = await scriptByClock('kubernetes', String(size), '3', `${url}/fleet`);
      const { seconds, calls, peakMb, shares } = JSON.parse(out);
      const name = `${size} resources on 3 replicas`;
      rows.push(
        { name, value: seconds, unit: 's' },
        most(12, { name: `${name}: calls to the API server for each`, value: calls / size, unit: '' }),
        most(500, memory(name, { peakMb })),
        { name: `${name}: replicas that worked`, value: shares, unit: '' },
      );
    }
    return rows;
  },

  async export({ root, times, url, sizes }) {
    const size = Math.min(10_000, Math.max(...sizes));
    const folder = writeFiles(root, size);
    await writeLists(root, `same-${size}`, size);
    const address = `${url}/same-${size}`;
    let round = 0;
    const [plan, made] = await fastest(
      times,
      () => gwconf('plan', folder, '--url', address),
      () => gwconf('export', '--out', join(root, `exported-${(round += 1)}`), '--url', address),
    );
    expect(made.out, `${size} objects in`);
    return [
      milliseconds(`export of ${size}`, made),
      most(1.4, ratio(`export of ${size} / its plan`, made, plan)),
    ];
  },

  async apply({ root, url, seen, times, applySizes }) {
    const rows = [];
    for (const count of applySizes) {
      const file = join(root, `topics-${count}.yaml`);
      writeFileSync(file, yamlOf(topicsOf(count)));
      for (const latency of [0, 5, 20]) {
        let round = 0;
        const at = (name) => {
          const scenario = `${name}-${count}-${latency}-${(round += 1)}`;
          writeScenario(root, scenario);
          return `${scenario}@${latency}`;
        };
        let last;
        const apply = () => {
          last = at('apply');
          return inEmptyFolder(root, last, 'apply', '-f', file, '--auto-approve', '--url', `${url}/${last}`);
        };
        const floor = () => scriptByClock('floor-apply', file, `${url}/${at('floor')}`, topicsPath);
        const [least, own] = await fastest(count * latency > 100_000 ? 1 : times, floor, apply);
        const { writes, width } = await seen(last);
        if (writes !== count) throw new Error(`expected ${count} writes; found ${writes}`);
        const label = `apply of ${count} creates, ${latency} ms`;
        const overFloor = ratio(`${label} / floor`, own, least);
        rows.push(
          milliseconds(`floor: ${label}`, least),
          milliseconds(label, own),
          latency === 0 ? most(1.8, overFloor) : count < 1000 ? overFloor : most(1, overFloor),
          { name: `${label}: in flight`, value: width.most, unit: '', over: width.overTime },
        );
      }
    }
    return rows;
  },

  /** The same creates from a saved plan, and their undo, beside an apply of the files: by CPU time, in turns. */
  async 'apply PLAN and undo'({ root, url, times, applySizes }) {
    const count = Math.max(...applySizes);
    const file = join(root, `topics-${count}.yaml`);
    writeFileSync(file, yamlOf(topicsOf(count)));
    const saved = join(root, 'topics.plan');
    const approved = ['--auto-approve', '--url'];
    let round = 0;
    let last;
    const isNew = () => {
      last = `saved-${(round += 1)}`;
      writeScenario(root, last);
      return `${url}/${last}`;
    };
    const runOf = (...args) => inEmptyFolder(root, last, ...args, ...approved, `${url}/${last}`);
    const [fromPlan, apply, undo] = await medians(
      times,
      async () => {
        await gwconf('plan', '-f', file, '--out', saved, '--url', isNew());
        return runOf('apply', saved);
      },
      () => {
        isNew();
        return runOf('apply', '-f', file);
      },
      () => runOf('undo', '--max-deletes', String(count)), // of the apply before it
    );
    const byCpu = ({ cpuMs }) => ({ ms: cpuMs });
    return [
      milliseconds(`apply of ${count} creates: processor time`, byCpu(apply)),
      most(1.05, ratio(`apply PLAN of ${count} creates / apply`, byCpu(fromPlan), byCpu(apply))),
      most(1.05, ratio(`undo of ${count} creates / apply`, byCpu(undo), byCpu(apply))),
    ];
  },

  /**
   * Creates beside the official CLI with 8 connections, in turns; medians, since the other one is no minimum. Only where `conduktor` is
   * on the PATH.
   */
  async rivals({ root, url, seen, times, applySizes }) {
    if (!hasCli) return [];
    const rows = [];
    const used = new Map();
    let round = 0;
    const compare = async (label, count, rounds, open, limit) => {
      const file = join(root, `topics-${count}.yaml`);
      writeFileSync(file, yamlOf(topicsOf(count)));
      const run = (make) => async () => {
        const gateway = await open();
        const made = await make(gateway.url, `rival-${(round += 1)}`);
        const written = await gateway.count(topicsPath);
        if (written !== count) throw new Error(`${label}: expected ${count} creates; found ${written}`);
        gateway.stop();
        return made;
      };
      const [own, cli] = await medians(
        rounds,
        run((to, name) => inEmptyFolder(root, name, 'apply', '-f', file, '--auto-approve', '--url', to)),
        run((to) => officialCli(to, 'apply', '-f', file, '--parallelism', '8')),
      );
      used.set(label, own);
      const beside = ratio(`${label} / official CLI`, own, cli);
      rows.push(
        milliseconds(label, own),
        milliseconds(`official CLI: ${label}`, cli),
        limit === undefined ? beside : most(limit, beside),
        milliseconds(`${label}: processor time`, { ms: own.cpuMs }),
        milliseconds(`official CLI: ${label}: processor time`, { ms: cli.cpuMs }),
        memory(label, own),
      );
    };
    const plain = (latency) => () => {
      const scenario = `rivals-${(round += 1)}@${latency}`;
      writeScenario(root, scenario.split('@')[0]);
      const count = async () => (await seen(scenario)).writes;
      return { url: `${url}/${scenario}`, count, stop: () => undefined };
    };
    for (const count of applySizes.filter((one) => one >= 1000))
      for (const [latency, limit] of Object.entries(BESIDE_CLI[count])) {
        const rounds = count > 1000 ? times : 2 * times - 1;
        await compare(`apply of ${count} creates, ${latency} ms`, count, rounds, plain(latency), limit);
      }
    const [some, many] = [1000, 10_000].map((count) => used.get(`apply of ${count} creates, 0 ms`));
    if (many !== undefined)
      rows.push({
        name: 'processor time of one more create',
        value: ((many.cpuMs - some.cpuMs) / 9000) * 1000,
        unit: 'µs',
      });
    await compare('apply of 1000 creates, embedded gateway', 1000, 2 * times - 1, startEmbedded);
    return rows;
  },

  async report({ root, url, sizes }) {
    const size = Math.max(...sizes);
    const folder = writeFiles(root, size);
    writeScenario(root, 'empty');
    const planWith = (...args) => gwconf('plan', folder, '--url', `${url}/empty`, ...args);
    const without = await planWith('-o', 'github'); // which tells of problems only
    const formats = {
      human: [],
      JSON: ['-o', 'json'],
      Markdown: ['-o', 'github', '-o', `markdown=${join(root, 'plan.md')}`],
      HTML: ['-o', 'github', '-o', `html=${join(root, 'plan.html')}`],
      'saved plan': ['-o', 'github', '--out', join(root, 'saved.plan')],
    };
    const rows = [milliseconds(`plan ${size}, all new`, without), memory(`plan ${size}, all new`, without)];
    for (const [name, args] of Object.entries(formats)) {
      const made = await planWith(...args);
      const value = Math.max(0, made.ms - without.ms) / 1000;
      rows.push(
        most(MOST_SECONDS[name] ?? 3, {
          name: `${name} of ${size} changes, beyond the plan`,
          value,
          unit: 's',
        }),
      );
      rows.push(most(800, memory(`${name} of ${size} changes`, made)));
    }
    return rows;
  },

  async order({ times }) {
    const counts = [10_000, 100_000];
    const best = [Infinity, Infinity];
    for (let round = 0; round < times; round += 1)
      for (const [at, count] of counts.entries())
        best[at] = Math.min(best[at], Number((await script('ordering', count)).out));
    const [some, many] = best.map((ms) => ({ ms }));
    return [
      milliseconds('order 10000 changes', some),
      milliseconds('order 100000 changes', many),
      most(12, ratio('order 100000 / 10000 changes', many, some)),
    ];
  },

  async shapes({ root, url }) {
    const rows = [];
    for (const [at, name] of Object.keys(shapes).entries()) {
      const made = await prepare(root, name, at, url)();
      rows.push(milliseconds(name, made), memory(name, made));
    }
    return rows;
  },
};

/** How long an apply may take beside the official CLI with 8 connections, by the number of creates and the latency. */
const BESIDE_CLI = { 1000: { 0: 1, 5: 0.6, 20: 0.35 }, 10_000: { 0: 1, 5: 0.5 } };

const topicsPath = '/gateway/v2/alias-topic';

function topicsOf(count) {
  return Array.from({ length: count }, (_, at) =>
    make('AliasTopic', { name: `topic-${at}` }, { physicalName: `physical-${at}` }),
  );
}

function expect(text, part) {
  if (!text.includes(part)) throw new Error(`expected ${part}; found ${text.slice(-300)}`);
}

const milliseconds = (name, { ms }) => ({ name, value: ms, unit: 'ms' });
const memory = (name, { peakMb }) => ({ name: `${name}: memory`, value: peakMb, unit: 'MB' });
const ratio = (name, one, other) => ({ name, value: one.ms / other.ms, unit: '×' });
/** Of 100,000 changes, beyond the plan: of a saved plan a twentieth of it. */
const MOST_SECONDS = { Markdown: 1, HTML: 0.5, 'saved plan': 0.6 };

const most = (limit, row) => ({ ...row, limit, bound: 'most' });
const least = (limit, row) => ({ ...row, limit, bound: 'least' });
