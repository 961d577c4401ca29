import { describe, expect, it } from 'vitest';
import { isBlocked, applyLint } from '../../../src/model/problem.ts';
import { CHECKS, checkFiles, checkWorld, type Check } from '../../../src/plan/checks/world-checks.ts';
import { planChanges } from '../../../src/plan/make-plan.ts';
import { makeUndo } from '../../../src/plan/undo/undo.ts';
import { guardUndo } from '../../../src/plan/checks/guard.ts';
import { renderSarif } from '../../../src/report/ci/sarif.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { locateProblems } from '../../../src/schema/load/locate.ts';
import { parseProject } from '../../../src/schema/project/project.ts';
import { removalOf, SOMEWHERE } from '../../support/rules.ts';
import { desiredOf, liveOf, toyKinds } from '../../support/toy-kinds.ts';

const FILES = {
  desired: desiredOf({ 'Person/p': { room: 'gone' }, 'Room/r': {} }),
  removals: [removalOf('Room/r', { expires: '2026-01-31' })],
  rules: {
    manages: ['Room/*'],
    ignore: [{ address: 'Team/t', reason: 'r', owner: 'o', until: '2026-01-31', place: SOMEWHERE }],
  },
  kinds: toyKinds,
  today: '2026-02-01',
};
const codesOf = (problems: readonly { readonly code: string }[]): readonly string[] =>
  problems.map(({ code }) => code);

describe('the list of checks', () => {
  it('tells from files alone what no gateway is needed for, and of that what none can change first', () => {
    expect(codesOf(checkFiles(FILES))).toEqual(['not-managed', 'contradiction', 'expired-removal']);
    expect(codesOf(checkWorld(FILES))).toEqual([
      'not-managed',
      'contradiction',
      'expired-removal',
      'expired-acceptance',
      'dangling-reference',
    ]);
  });

  it('has the same order with a plan, and more to say', () => {
    const { world } = planChanges(FILES.desired, liveOf({ 'Room/x': {} }), toyKinds, {
      gateway: 'memory:',
      rules: {
        ...FILES.rules,
        limits: { deletes: { objects: 0 } },
        protect: [{ kind: 'Room', place: SOMEWHERE }],
      },
      removals: FILES.removals,
      prune: ['Room/*'],
      today: FILES.today,
    });
    expect(codesOf(checkWorld(world))).toEqual([...codesOf(checkWorld(FILES)), 'protected', 'over-limit']);
  });

  it('holds for an undo, too: it does not delete what others refer to by now', () => {
    const { plan } = planChanges(desiredOf({ 'Room/r': {} }), liveOf({}), toyKinds, { gateway: 'memory:' });
    const undo = makeUndo(plan.changes, toyKinds);
    const live = liveOf({ 'Room/r': {}, 'Person/late': { room: 'r' } });
    expect(guardUndo(undo.changes, live, {}, toyKinds)).toMatchObject([
      { code: 'still-referenced', address: 'Room/r' },
    ]);
  });
});

describe('a check with a code of a policy', () => {
  const noRooms: Check = {
    name: 'no rooms',
    needs: 'files or plan',
    run: ({ desired }) =>
      [...desired.values()].flatMap(({ address, document }) =>
        address.startsWith('Room/')
          ? [
              {
                code: 'policy/no-rooms',
                severity: 'error',
                message: `${address} is a room`,
                at: { document, path: '', on: 'value' },
              },
            ]
          : [],
      ),
  };
  const problems = checkWorld(FILES, [...CHECKS, noRooms]).filter(({ code }) => code.startsWith('policy/'));

  it('blocks a run like a safety rule, and can be neither lowered nor turned off', () => {
    expect(problems).toHaveLength(1);
    expect(isBlocked(problems)).toBe(true);
    expect(applyLint(problems, { 'policy/no-rooms': 'warning' })).toEqual(problems);
    expect(applyLint(problems, { 'policy/no-rooms': 'off' })).toEqual(problems);
  });

  it('may be named in lint', () => {
    const text =
      'apiVersion: gwconf/v1\nkind: Project\nlint: { policy/no-rooms: error, policy/other: warning, policy/: off }\n';
    const file = { path: 'gwconf.yaml', text, named: true };
    expect(parseProject(file, catalog.kinds).problems).toMatchObject([
      { code: 'invalid-value', message: 'policy/other cannot be lowered to warning' },
      { code: 'unknown-field', message: 'unknown problem code policy/' },
    ]);
  });

  it('is a rule of its own in SARIF', () => {
    const { runs } = JSON.parse(renderSarif(locateProblems(problems), 'gwconf 1.2.3')) as {
      runs: {
        tool: { driver: { rules: { id: string }[] } };
        results: { ruleId: string; ruleIndex: number }[];
      }[];
    };
    const [run] = runs;
    const [result] = run?.results ?? [];
    expect(result?.ruleId).toBe('policy/no-rooms');
    expect(run?.tool.driver.rules[result?.ruleIndex ?? -1]?.id).toBe('policy/no-rooms');
  });
});
