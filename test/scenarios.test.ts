import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import { applyPlan } from '../src/apply/apply.ts';
import type { Ledger } from '../src/apply/events.ts';
import { memoryGateway, type EmbeddedGateway } from '../src/emulator/memory.ts';
import { readLive } from '../src/gateway/live.ts';
import { hasErrors } from '../src/model/problem.ts';
import type { Resource } from '../src/model/resource.ts';
import { makePlan } from '../src/plan/make-plan.ts';
import { redact } from '../src/plan/redact.ts';
import { NO_PAINT } from '../src/report/paint.ts';
import { planText } from '../src/report/plan-text.ts';
import { problemsText } from '../src/report/problems-text.ts';
import { applyReport, planReport } from '../src/report/reports.ts';
import { catalog } from '../src/schema/kinds/index.ts';
import { load } from '../src/schema/load.ts';
import { locateProblems } from '../src/schema/locate.ts';
import { virtualClock } from './support/clock.ts';
import { kindOf } from './support/kinds.ts';

/**
 * A scenario is a folder named for what happens: what is written in `desired/`, what is there in `live.yaml`, and
 * beside them, recorded whole, what gwconf made of it. `npx vitest run test/scenarios.test.ts -u` records anew.
 */
const folder = fileURLToPath(new URL('scenarios', import.meta.url));

/** What of a run is not as usual, in `settings.yaml`. */
type Settings = {
  readonly prune?: readonly string[];
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** The topics of the Kafka cluster, with their cleanup.policy; any, where it is left out. */
  readonly topics?: Readonly<Record<string, string>>;
  readonly physicalClusters?: readonly string[];
  readonly security?: 'GATEWAY_MANAGED' | 'PLAINTEXT';
};

describe.each(readdirSync(folder).sort())('%s', (name) => {
  it('is what is recorded', async () => {
    const here = join(folder, name);
    const settings = settingsOf(here);
    const gateway = await gatewayOf(here, settings);
    const desired = load(filesIn(here), catalog, (variable) => settings.variables?.[variable]);

    const live = await readLive(gateway, [...catalog.kinds.values()]);
    const { target = [], exclude = [], prune } = settings;
    const made = hasErrors(desired.problems)
      ? undefined
      : makePlan(desired.value, live, catalog.kinds, {
          gateway: gateway.url,
          selection: { target, exclude },
          ...(prune === undefined ? {} : { prune }),
        });
    const problems = locateProblems([...desired.problems, ...(made?.problems ?? [])]);
    const shown = made === undefined ? undefined : redact(made.value, catalog.kinds);
    const ledger =
      made === undefined || hasErrors(problems) ? undefined : await carriedOut(made.value.changes, gateway);

    await recorded(
      here,
      'problems.txt',
      problems.length === 0 ? undefined : problemsText(problems, NO_PAINT),
    );
    await recorded(here, 'plan.json', json(planReport(shown, gateway.url, problems)));
    await recorded(
      here,
      'plan.txt',
      shown === undefined || hasErrors(problems) ? undefined : planText(shown, NO_PAINT),
    );
    await recorded(
      here,
      'outcome.json',
      ledger === undefined || shown === undefined
        ? undefined
        : json(applyReport(ledger.result, gateway.url, shown.counts, ledger.entries, problems)),
    );
  });
});

/** A product is in its file, and a file that nothing made is not there. */
async function recorded(here: string, file: string, text: string | undefined): Promise<void> {
  const path = join(here, file);
  if (text === undefined) expect(existsSync(path), `${file} is recorded, and nothing made it`).toBe(false);
  else await expect(text).toMatchFileSnapshot(path);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function settingsOf(here: string): Settings {
  const path = join(here, 'settings.yaml');
  return existsSync(path) ? (parse(readFileSync(path, 'utf8')) as Settings) : {}; // written for this test
}

function filesIn(here: string): readonly { readonly path: string; readonly text: string }[] {
  const desired = join(here, 'desired');
  return readdirSync(desired).map((file) => ({
    path: `desired/${file}`,
    text: readFileSync(join(desired, file), 'utf8'),
  }));
}

async function gatewayOf(
  here: string,
  { topics, physicalClusters, security }: Settings,
): Promise<EmbeddedGateway> {
  const gateway = memoryGateway(catalog.kinds, {
    ...(topics === undefined ? {} : { topics: new Map(Object.entries(topics)) }),
    ...(physicalClusters === undefined ? {} : { physicalClusters }),
    ...(security === undefined ? {} : { security }),
  });
  const path = join(here, 'live.yaml');
  const documents = existsSync(path) ? parseAllDocuments(readFileSync(path, 'utf8')) : [];
  for (const document of documents) {
    const resource = document.toJS() as Resource; // as the API takes it
    await gateway.put(kindOf(resource.kind), resource);
  }
  return gateway;
}

async function carriedOut(
  changes: Parameters<typeof applyPlan>[0],
  gateway: EmbeddedGateway,
): Promise<Ledger> {
  for await (const event of applyPlan(changes, gateway, catalog.kinds, {
    clock: virtualClock(),
    parallelism: 1,
  })) {
    if (event.type === 'finished') return event.ledger;
  }
  return expect.fail('the run ended without a ledger');
}
