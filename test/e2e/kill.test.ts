import { readdirSync } from 'node:fs';
import { nameOfMachine } from '../../src/host/node-host.ts';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/apply/journal/journal.ts';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Snapshot } from '../../src/emulator/saved-state.ts';
import type { SavedPlan } from '../../src/plan/saved/saved-plan.ts';
import { sealPlan, sign } from '../../src/plan/saved/seal-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { startKillingServer, type KillingServer, type SeenWrite } from '../support/killing-server.ts';
import { expectTrue, journalIn } from '../support/journals.ts';
import { fileOf, textOf } from '../support/plans.ts';
import { start } from '../support/process.ts';
import { AFTER, DESIRED, gatewayBefore, PHYSICAL_CLUSTERS, planLeft } from '../support/sixty-calls.ts';
import { LOGIN } from '../support/served.ts';
import { someOf } from '../support/soak.ts';

const BEFORE = await gatewayBefore();
const PLAN = await planLeft(BEFORE);
const WRITES = PLAN.changes.reduce((sum, { action }) => sum + (action === 'replace' ? 2 : 1), 0);

const LIMITS = ['--max-deletes', '100%', '--max-updates', '100%'];

/** Where the killed process ran, so that its lock is taken over. */
const HERE = { host: nameOfMachine() };

let server: KillingServer;
let saved: SavedPlan;
beforeAll(async () => {
  server = await startKillingServer();
  const about = { tool: 'gwconf test', createdAt: '2026-11-20T13:15:00.000Z', salt: 'salt' };
  saved = sign(sealPlan({ ...PLAN, gateway: server.url }, DESIRED, catalog.kinds, about));
});
afterAll(() => server.close());

const kills = Array.from({ length: WRITES }, (_, place) => ({
  at: place + 1,
  when: place % 2 === 0 ? ('before' as const) : ('after' as const),
  width: [1, 2, 4, 8, 16, 64][Math.floor(place / 2) % 6] ?? 8,
}));

// test/apply/resume.test.ts stops a run at each line, without a process.
it.each(someOf(kills, 15))(
  'apply --parallelism $width that is killed $when its write $at was done left a true journal; --resume converges, and so does a new apply',
  async ({ at, when, width }) => {
    const world = makeWorld({ 'all.yaml': fileOf(...AFTER), 'p.plan': textOf(saved) });
    Object.assign(world.env, LOGIN, { GWCONF_URL: server.url });
    const gateway = gatewayWith(BEFORE.snapshot());
    const place = { cwd: world.folder, env: { ...LOGIN, GWCONF_URL: server.url } };
    const killed = start(place, 'apply', 'p.plan', ...LIMITS, '--parallelism', String(width));
    server.serve(gateway, { at, when, kill: () => void killed.child.kill('SIGKILL') });
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });

    const text = journalOf(world);
    expectRecorded(text, server.writes, when === 'before');
    await expectTrue(journalIn(text, 'killed'), saved.changes, gateway, 'killed');

    const found = gateway.snapshot();
    server.serve(gateway);
    expect((await world.runWith(HERE, 'apply', '--resume', ...LIMITS)).code).toBe(0);
    expect((await planLeft(gateway)).changes).toEqual([]);

    const other = gatewayWith(found);
    server.serve(other);
    const flags = ['--prune', '--manages', '*', '--max-deletes', '99', '--yes'];
    const again = await world.runWith(HERE, 'apply', '-f', 'all.yaml', ...flags);
    expect(again.code, again.err).toBe(0);
    expect((await planLeft(other)).changes).toEqual([]);
  },
);

/** The text of the only journal. */
function journalOf(world: World): string {
  const [name = ''] = readdirSync(join(world.folder, '.gwconf/journal')).filter((one) =>
    one.endsWith('.ndjson'),
  );
  return world.read(join('.gwconf/journal', name));
}

/** Holds the calls of a journal against those that the gateway saw; one more may never have been done. */
function expectRecorded(text: string, writes: readonly SeenWrite[], oneMore: boolean): void {
  const records = text
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as JournalRecord] : []));
  const answers = new Map(records.flatMap((one) => (one.type === 'result' ? [[one.n, one.answer]] : [])));
  const intents = records.filter((one) => one.type === 'intent');
  const open = [...intents];
  for (const { call, address, status } of writes) {
    const place = open.findIndex((intent) => intent.call === call && intent.address === address);
    const intent = open[place] ?? expect.fail(`${call} ${address} is not in the journal`);
    open.splice(place, 1);
    const answer = answers.get(intent.n);
    if (answer !== undefined) expect(['done', 'unchanged', 'absent'].includes(answer)).toBe(status < 300);
  }
  for (const { n, address } of open)
    expect(answers.has(n), `${address} has an answer to nothing`).toBe(false);
  if (oneMore) expect(open.length).toBeGreaterThan(0);
}

function gatewayWith(state: Snapshot): EmbeddedGateway {
  return memoryGateway(catalog.kinds, { state, physicalClusters: PHYSICAL_CLUSTERS });
}
