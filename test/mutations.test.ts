import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isList, isObject, type Json, type JsonObject } from '../src/model/json/json.ts';
import { hasErrors } from '../src/model/problem.ts';
import { checkWorld } from '../src/plan/checks/world-checks.ts';
import { makePlan } from '../src/plan/make-plan.ts';
import { redact } from '../src/plan/secrets/redact.ts';
import { formatFile } from '../src/schema/fmt/fmt.ts';
import { catalog } from '../src/schema/kinds/index.ts';
import { plugins } from '../src/schema/plugins/index.ts';
import { load } from '../src/schema/load/load.ts';
import { locateProblems } from '../src/schema/load/locate.ts';
import { NO_VARIABLES } from '../src/schema/yaml/interpolate.ts';
import { printYaml } from '../src/schema/yaml/print.ts';
import { yamlFiles } from './support/corpus.ts';
import { planText } from './support/plans.ts';
import { orAll } from './support/soak.ts';
import { templateText } from './support/template-text.ts';

/** One of so many mutations is tried; `npm run soak` tries all. */
const STRIDE = orAll(307, 1);

const { kinds, ownKinds } = catalog;

/** A value of each JSON type, also nested. */
const OTHERS: readonly Json[] = [
  null,
  true,
  3,
  -1,
  '',
  'x',
  [],
  {},
  ['x'],
  { x: 1 },
  [{}],
  [null],
  { x: { x: [1] } },
];

/** The value with one node dropped, renamed, repeated or replaced, for each node and each way. */
function* mutationsOf(value: Json): Generator<Json> {
  yield* OTHERS;
  if (isList(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1);
      yield [...value, item];
      for (const mutated of mutationsOf(item)) yield value.with(at, mutated);
    }
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const { [key]: _, ...rest } = value;
      yield rest;
      yield { ...rest, [`${key}x`]: child };
      for (const mutated of mutationsOf(child)) yield { ...value, [key]: mutated };
    }
  }
}

/** All documents of the corpus, the examples and the templates. */
function documents(): readonly JsonObject[] {
  const names = [...kinds.keys(), ...ownKinds.keys(), ...plugins.map(({ title }) => title)];
  const templates = names.flatMap((name) => templateText(name) ?? []);
  const found = new Map<string, JsonObject>();
  for (const text of [...yamlFiles.map((file) => file.text), ...templates]) {
    for (const document of parseAllDocuments(text, { logLevel: 'silent' })) {
      const value = document.errors.length > 0 ? null : (document.toJS() as Json);
      if (isObject(value) && 'kind' in value) found.set(JSON.stringify(value), value);
    }
  }
  return [...found.values()];
}

/** What `validate`, `fmt` and `plan` do with a document, on an empty gateway. */
function useDocument(document: Json): void {
  const file = { path: 'in.yaml', text: printYaml([document]), named: true };
  const found = load([file], catalog, NO_VARIABLES);
  const { value: desired, declared, removals } = found;
  const world = { desired, declared, removals, rules: {}, kinds };
  const problems = [...found.problems, ...checkWorld(world)];
  locateProblems(problems);
  formatFile(file, catalog);
  // A removal that is valid can name nothing.
  const isKnown =
    problems.length + desired.size > 0 || (isObject(document) && document['kind'] === 'Removal');
  if (!isKnown) throw new Error('neither a problem nor a resource');
  if (hasErrors(found.problems)) return;
  const live = { resources: new Map(), unavailable: new Map() };
  const { value: plan } = makePlan(desired, live, kinds, { gateway: 'embedded:', rules: {}, removals });
  planText(redact(plan, kinds));
}

it('a document with any node dropped, renamed, repeated or of another type is a resource or has a problem', () => {
  let count = 0;
  for (const document of documents()) {
    for (const mutated of mutationsOf(document)) {
      count += 1;
      if (count % STRIDE !== 0) continue;
      expect(() => useDocument(mutated), JSON.stringify(mutated)).not.toThrow();
    }
  }
  expect(count).toBeGreaterThan(10_000);
}, 3_600_000);
