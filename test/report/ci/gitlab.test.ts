import { describe, expect, it } from 'vitest';
import type { LocatedProblem } from '../../../src/model/problem.ts';
import { renderCodeQuality, renderTerraformReport } from '../../../src/report/ci/gitlab.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { desiredOf, liveOf, toyKinds } from '../../support/toy-kinds.ts';
import { makeWorld } from '../../support/cli.ts';
import { cluster } from '../../support/documents.ts';
import { FULL, HOSTILE, INFO, NASTY, PLACELESS } from '../hostile.ts';

describe('-o gitlab-quality', () => {
  it('has what GitLab reads of a problem', () => {
    expect(findingsOf(FULL)).toEqual([
      {
        description: 'AliasTopic/orders is declared twice; keep one of the two',
        check_name: 'duplicate-resource',
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
        severity: 'blocker',
        location: { path: 'topics/orders.yaml', lines: { begin: 9 } },
      },
    ]);
    expect(findingsOf(FULL, HOSTILE, INFO).map(({ severity }) => severity)).toEqual([
      'blocker',
      'major',
      'info',
    ]);
  });

  it('is an empty list without problems, and has a place for each problem', () => {
    expect(renderCodeQuality([])).toBe('[]\n');
    expect(findingsOf(PLACELESS)[0]?.location).toEqual({ path: '.', lines: { begin: 1 } });
  });

  it('has a fingerprint for each problem that does not depend on its line', () => {
    const moved = { ...FULL, at: { file: 'topics/orders.yaml', line: 90, column: 1 } };
    expect(printsOf(moved)).toEqual(printsOf(FULL));
    expect(new Set(printsOf(FULL, FULL, INFO, PLACELESS, HOSTILE)).size).toBe(5);
  });

  it('escapes what it prints', () => {
    const text = renderCodeQuality([HOSTILE, { ...FULL, message: NASTY, hint: NASTY }]);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('-o gitlab-terraform', () => {
  it('counts what is created, updated and deleted; a replace is a delete and a create', () => {
    const { value: plan } = makePlan(
      desiredOf({
        'Thing/changed': { size: 2 },
        'Thing/new': {},
        'Thing/newer': {},
        'Thing/moved': { born: 'there' },
      }),
      liveOf({ 'Thing/changed': { size: 1 }, 'Thing/gone': {}, 'Thing/moved': { born: 'here' } }),
      toyKinds,
      { gateway: 'here', rules: { manages: ['*'] }, prune: ['*'] },
    );
    const report = makePlanReport(redact(plan, toyKinds), 'here');
    expect(report.summary).toMatchObject({ create: 2, update: 1, replace: 1, delete: 1 });
    expect(JSON.parse(renderTerraformReport(report))).toEqual({ create: 3, update: 1, delete: 2 });
  });

  it.each([
    ['error', 'kind: Nothing\n', []],
    ['blocked', cluster('a'), ['--prune']],
  ])(
    'has no numbers when the result is %s without a plan, so that GitLab does not show zeros',
    async (result, text, flags) => {
      const world = makeWorld({ 'a.yaml': text });
      const ran = await world.run('plan', 'a.yaml', '--url', 'embedded:', ...flags, '-o', 'gitlab-terraform');
      expect(JSON.parse(ran.out)).toEqual({ result });
      expect(ran.code).not.toBe(0);
    },
  );

  it('is a format of plans alone', async () => {
    const ran = await makeWorld({ 'a.yaml': cluster('a') }).run('validate', '.', '-o', 'gitlab-terraform');
    expect(ran.code).toBe(64);
  });
});

type Finding = { readonly severity: string; readonly fingerprint: string; readonly location: unknown };

function findingsOf(...problems: readonly LocatedProblem[]): readonly Finding[] {
  return JSON.parse(renderCodeQuality(problems)) as readonly Finding[]; // the test is about what is in it
}

function printsOf(...problems: readonly LocatedProblem[]): readonly string[] {
  return findingsOf(...problems).map(({ fingerprint }) => fingerprint);
}
