import { describe, expect, it } from 'vitest';
import {
  changeAt,
  entriesOf,
  joinPointer,
  parsePointer,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../../src/model/json/json.ts';
import { renderMarkdown } from '../../../src/report/markdown/markdown.ts';
import { GITHUB } from '../../../src/report/markdown/prose.ts';
import { pageOf } from '../../../src/report/page/page-of.ts';
import { readReport } from '../../../src/report/read/read-report.ts';
import { makeWorld, type World } from '../../support/cli.ts';
import { planReport } from '../../support/forge/reports.ts';
import { alias, all, documentOf } from '../../support/documents.ts';

const TOPICS = all(
  alias('orders'),
  documentOf(
    'Interceptor',
    '{ name: own }',
    '{ pluginClass: com.example.Own, priority: 100, config: { list: [1, { deep: true }] } }',
  ),
);

/** Reports of every command and most states, as the commands write them. */
async function makeReports(): Promise<readonly string[]> {
  const world = makeWorld({ 'topics.yaml': TOPICS, 'broken.yaml': 'kind: AliasTopic\n' });
  world.env['GWCONF_URL'] = 'embedded:state.json';
  const reports: string[] = [];
  const run = async (...args: readonly string[]): Promise<void> => {
    reports.push((await world.run(...args, '-o', 'json')).out);
  };
  await run('validate', 'topics.yaml');
  await run('validate', 'broken.yaml');
  await run('plan', 'topics.yaml', '--out', 'plan.json', '--target', 'AliasTopic/*');
  await run('plan', 'broken.yaml');
  await run('apply', '-f', 'topics.yaml', '--auto-approve');
  await change(world, run);
  return [...reports, JSON.stringify(withBaseAndLosses())];
}

/** A plan with a base, a change of which the fields have several causes, and principals that lose something. */
function withBaseAndLosses(): JsonObject {
  const counts = { create: 1, update: 0, replace: 0, delete: 0 };
  const report = planReport(2);
  const [first, second] = report['changes'] as readonly JsonObject[];
  const fields = [
    { op: 'set', path: '/spec/a', before: 1, after: 2, cause: 'drift' },
    { op: 'remove', path: '/spec/b', before: 1, cause: 'base' },
  ];
  const who = { virtualCluster: 'prod', username: 'alice', groups: ['team'], externalGroup: 'ops' };
  const exposure = {
    ...{ ...who, username: null, protection: 'masking', lasting: true, lost: ['Interceptor/mask'] },
    ...{ from: 'AliasTopic/a', accepted: { reason: 'agreed', until: '2026-12-31' } },
  };
  const chain = (...names: readonly string[]): readonly JsonObject[] =>
    names.map((name) => ({ address: `Interceptor/${name}`, pluginClass: 'Some', priority: 1 }));
  return {
    ...report,
    base: {
      ...{ ref: 'origin/main', commit: '0123456789abcdef'.repeat(3), behind: 2 },
      causes: { branch: counts, drift: counts, 'base-or-drift': counts, base: counts },
    },
    exposures: [exposure, { ...exposure, lasting: false, until: 'AliasTopic/b', calls: 1 }],
    effects: [{ ...who, before: chain('mask', 'audit'), after: chain('audit') }],
    changes: [
      { ...first, cause: 'base-or-drift' },
      { ...second, action: 'update', cause: 'mixed', fields },
    ],
  };
}

async function change(world: World, run: (...args: readonly string[]) => Promise<void>): Promise<void> {
  await run('apply', 'plan.json'); // stale
  world.write('topics.yaml', TOPICS.replace('orders-v1', 'orders-v2').replace('deep: true', 'deep: [x]'));
  await run('plan', 'topics.yaml', '--prune', '--manages', '*');
  await run('drift', 'topics.yaml', '--manages', '*');
  world.write('topics.yaml', TOPICS.split('---')[0] ?? '');
  await run('plan', 'topics.yaml', '--prune', '--manages', '*', '--max-deletes', '0');
  await run('undo', '--auto-approve');
}

/** Every place of a value. */
function placesIn(value: Json, at: Pointer = ''): readonly Pointer[] {
  const items: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((item: Json, index): readonly [string, Json] => [String(index), item])
    : entriesOf(value);
  return [at, ...items.flatMap(([key, item]) => placesIn(item, joinPointer(at, key)))];
}

function render(text: string): string | undefined {
  const { value, problems } = readReport(text, 'report.json');
  if (value === undefined) {
    expect(problems).toHaveLength(1);
    return undefined;
  }
  return renderMarkdown(pageOf(value), { limit: 65_536, dialect: GITHUB });
}

describe('a report from a file', () => {
  it('is read whatever command wrote it, and rendered whatever was changed in it', async () => {
    const texts = await makeReports();
    let refused = 0;
    for (const text of texts) {
      expect(render(text)).toMatch(/^### /);
      const value = JSON.parse(text) as Json;
      for (const place of placesIn(value).filter((one) => one !== '')) {
        for (const other of [null, 'text', {}, [null]]) {
          const changed = changeAt(value, parsePointer(place), () => other);
          if (render(JSON.stringify(changed)) === undefined) refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(500);
  });

  it('may have fields that a later version adds', () => {
    const report = {
      ...{ format: 'gwconf/validate-report@1', result: 'valid', later: { x: 1 } },
      ...{ summary: { resources: 1, errors: 0, warnings: 0, later: 2 }, problems: [] },
    };
    expect(render(JSON.stringify(report))).toContain('Valid');
  });

  it.each([
    ['not JSON', '{', 'is not a report: it is not JSON'],
    ['of another tool', '{"format":"terraform"}', 'is neither a saved plan nor a report of gwconf'],
    ['a list', '[]', 'is neither a saved plan nor a report of gwconf'],
    [
      'a snapshot',
      '{"format":"gwconf/snapshot@1"}',
      'has the format gwconf/snapshot@1, which is not one of a report',
    ],
    ['a later version', '{"format":"gwconf/plan-report@2"}', 'has the format gwconf/plan-report@2'],
    ['not complete', '{"format":"gwconf/plan-report@1"}', 'has not the shape of its format'],
    [
      'for an environment with an endless name',
      JSON.stringify({ ...planReport(1), environment: 'x'.repeat(501) }),
      'has not the shape of its format',
    ],
    ['a name of every object', '{"format":"gwconf/constructor"}', 'has the format gwconf/constructor'],
    [
      'nested too deep',
      `{"format":${'['.repeat(2000)}${']'.repeat(2000)}}`,
      'is nested deeper than 1024 levels',
    ],
  ])('is refused in a sentence where it is %s', (_, text, message) => {
    const { value, problems } = readReport(text, 'report.json');
    expect(value).toBeUndefined();
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });
});
