import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import { applyPlan } from '../src/apply/apply.ts';
import { bindPlan, checkPlan } from '../src/apply/verify/check-plan.ts';
import type { Entry } from '../src/apply/events.ts';
import { memoryGateway, type EmbeddedGateway } from '../src/emulator/memory.ts';
import { readLive } from '../src/gateway/read-live.ts';
import { hasErrors, isBlocked, type Problem } from '../src/model/problem.ts';
import type { Resource } from '../src/model/resource.ts';
import type { Rules } from '../src/model/rules.ts';
import { DEFAULT_LIMITS } from '../src/plan/checks/limits.ts';
import { makePlan } from '../src/plan/make-plan.ts';
import type { Plan } from '../src/plan/change/plan.ts';
import { redact } from '../src/plan/secrets/redact.ts';
import { COMMON_FORMATS, FORMATS, type Format, type View } from '../src/report/formats.ts';
import { SCRIPT, STYLE } from '../src/report/html/assets.ts';
import { NO_PAINT } from '../src/report/text/layout.ts';
import { renderProblems } from '../src/report/text/problems-text.ts';
import { makeApplyReport, type ApplyReport } from '../src/outcome/apply.ts';
import { makePlanReport } from '../src/outcome/plan.ts';
import { catalog } from '../src/schema/kinds/index.ts';
import { load } from '../src/schema/load/load.ts';
import { parseProject } from '../src/schema/project/project.ts';
import { locateProblems } from '../src/schema/load/locate.ts';
import { variablesFrom } from '../src/schema/yaml/interpolate.ts';
import { virtualClock } from './support/clock.ts';
import { kindOf } from './support/kinds.ts';
import { planText } from './support/plans.ts';

/**
 * A scenario is a folder named for what happens: what is written in `desired/`, what is there in `live.yaml`, and
 * in a `gwconf.yaml` of one environment what rules there are; beside them, recorded whole, what gwconf made of it; with a folder
 * `formats`, in each of them. What
 * somebody else writes between plan and apply is in `meanwhile.yaml`. `npx vitest run test/scenarios.test.ts -u` records anew.
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
    const desired = load(
      filesIn(here),
      catalog,
      variablesFrom((variable) => settings.variables?.[variable]),
    );

    const live = await readLive(gateway, [...catalog.kinds.values()]);
    const { target = [], exclude = [], prune } = settings;
    const made = hasErrors(desired.problems)
      ? undefined
      : makePlan(desired.value, live, catalog.kinds, {
          gateway: gateway.url,
          selection: { target, exclude },
          rules: rulesOf(here),
          removals: desired.removals,
          ...(prune === undefined ? {} : { prune }),
        });
    const problems = locateProblems([...desired.problems, ...(made?.problems ?? [])]);
    const shown = made === undefined ? undefined : redact(made.value, catalog.kinds);
    const ended =
      made === undefined || hasErrors(problems) ? undefined : await carriedOut(made.value, gateway, here);

    await recorded(
      here,
      'problems.txt',
      problems.length === 0 ? undefined : renderProblems(problems, NO_PAINT),
    );
    const report = makePlanReport(shown, gateway.url, problems);
    await recorded(here, 'plan.json', json(report));
    await recordedInFormats(here, 'plan', { report, problems }, FORMAT_NAMES);
    await recorded(
      here,
      'plan.txt',
      shown === undefined || (hasErrors(problems) && !isBlocked(problems)) ? undefined : planText(shown),
    );
    const found = [...problems, ...locateProblems(ended?.stale ?? [])];
    const outcome =
      ended === undefined || shown === undefined
        ? undefined
        : makeApplyReport(ended.result, gateway.url, shown.counts, ended.entries, found);
    await recorded(here, 'outcome.json', outcome === undefined ? undefined : json(outcome));
    if (outcome !== undefined)
      await recordedInFormats(here, 'outcome', { report: outcome, problems: found }, COMMON_FORMATS);
  });
});

const FORMAT_NAMES = Object.keys(FORMATS) as readonly Format[]; // the keys of a literal

/** As Markdown; where there is a folder `formats`, in every format there. */
async function recordedInFormats(
  here: string,
  name: string,
  view: View,
  formats: readonly Format[],
): Promise<void> {
  const print = (format: Format): string =>
    [...FORMATS[format](view, { paint: NO_PAINT, tool: 'gwconf test' })].join('');
  await recorded(here, `${name}.md`, print('markdown'));
  if (!existsSync(join(here, 'formats'))) return;
  for (const format of formats) {
    if (format === 'json' || format === 'markdown') continue; // they are recorded beside the folder
    // What all pages have is recorded by its digest, in `html.ts`.
    const text = print(format).replace(SCRIPT, 'SCRIPT').replace(STYLE, 'STYLE');
    await recorded(here, join('formats', `${name}.${format}`), text);
  }
}

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

/** Of the one environment that the project file describes, where there is one. */
function rulesOf(here: string): Rules {
  const path = join(here, 'gwconf.yaml');
  if (!existsSync(path)) return {};
  const file = { path: 'gwconf.yaml', text: readFileSync(path, 'utf8') };
  const { value, problems } = parseProject(file, catalog.kinds);
  expect(problems).toEqual([]);
  const [environment] = value?.environments.values() ?? [];
  return { ...environment, limits: { ...DEFAULT_LIMITS, ...environment?.limits } };
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
  await putAll(join(here, 'live.yaml'), gateway);
  return gateway;
}

async function putAll(path: string, gateway: EmbeddedGateway): Promise<void> {
  const documents = existsSync(path) ? parseAllDocuments(readFileSync(path, 'utf8')) : [];
  for (const document of documents) {
    const resource = document.toJS() as Resource; // as the API takes it
    await gateway.put(kindOf(resource.kind), resource);
  }
}

/** What became of a plan: as with a saved one, the gateway is looked at again before anything is written. */
type Ended = {
  readonly result: ApplyReport['result'];
  readonly entries: readonly Entry[];
  readonly stale: readonly Problem[];
};

async function carriedOut(plan: Plan, gateway: EmbeddedGateway, here: string): Promise<Ended> {
  await putAll(join(here, 'meanwhile.yaml'), gateway);
  const { kinds } = catalog;
  const planned = bindPlan(plan, kinds);
  const live = await readLive(gateway, [...kinds.values()]);
  const { already, stale } = checkPlan(planned, live, kinds);
  if (stale.length > 0) return { result: 'stale', entries: [], stale };
  const options = { clock: virtualClock(), parallelism: 1, already };
  for await (const event of applyPlan(plan.changes, gateway, kinds, options)) {
    if (event.type === 'finished') return { ...event.ledger, stale };
  }
  return expect.fail('the run ended without a ledger');
}
