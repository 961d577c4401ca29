import type { Log, Result, Run } from 'sarif';
import { describe, expect, it } from 'vitest';
import type { LocatedProblem } from '../../../src/model/problem.ts';
import { PROBLEM_CODES } from '../../../src/model/problem-codes.ts';
import { renderSarif } from '../../../src/report/ci/sarif.ts';
import { TOOL, FULL, HOSTILE, INFO, NASTY, PLACELESS } from '../hostile.ts';

describe('sarif', () => {
  it('has a result with both places', () => {
    const [result] = resultsOf(FULL);
    expect(result).toEqual({
      ruleId: 'duplicate-resource',
      ruleIndex: 0,
      level: 'error',
      message: { text: 'AliasTopic/orders is declared twice; keep one of the two' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'topics/orders.yaml' },
            region: { startLine: 9, startColumn: 3 },
          },
          logicalLocations: [{ fullyQualifiedName: 'AliasTopic/orders', kind: 'resource' }],
        },
      ],
      relatedLocations: [
        {
          id: 1,
          physicalLocation: {
            artifactLocation: { uri: 'topics/more.yaml' },
            region: { startLine: 2, startColumn: 5 },
          },
          message: { text: 'the first is here' },
        },
      ],
      partialFingerprints: { 'gwconf/v1': expect.stringMatching(/^[0-9a-f]{16}$/) as unknown },
    });
  });

  it('names the tool, its version, and a rule for each code that there is a result of', () => {
    const { tool } = runOf(FULL, INFO, FULL);
    expect(tool.driver).toMatchObject({ name: 'gwconf', semanticVersion: '1.2.3' });
    expect(tool.driver.rules?.map(({ id }) => id)).toEqual(['duplicate-resource', 'unusual-value']);
    expect(tool.driver.rules?.find(({ id }) => id === 'unusual-value')).toEqual({
      id: 'unusual-value',
      shortDescription: { text: PROBLEM_CODES['unusual-value'].meaning },
      defaultConfiguration: { level: 'warning' },
    });
    const { tool: unused, columnKind, results } = runOf();
    expect([unused.driver.rules, columnKind, results]).toEqual([[], 'utf16CodeUnits', []]);
  });

  it('has a level for each severity', () => {
    expect(resultsOf(FULL, HOSTILE, INFO).map(({ level }) => level)).toEqual(['error', 'warning', 'note']);
  });

  it('has a notification for a problem in no file', () => {
    const run = runOf(PLACELESS);
    expect(run.results).toEqual([]);
    expect(run.invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          {
            descriptor: {
              id: 'connection-error',
              index: 0,
            },
            level: 'error',
            message: { text: 'the gateway cannot be reached' },
          },
        ],
      },
    ]);
    expect(runOf(FULL).invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [] }]);
  });

  it('has a fingerprint that does not depend on the line', () => {
    const moved = { ...FULL, at: { file: 'topics/orders.yaml', line: 90, column: 1 } };
    expect(printsOf(moved)).toEqual(printsOf(FULL));
    expect(printsOf({ ...FULL, message: 'in other words' })).toEqual(printsOf(FULL));
    const others: readonly LocatedProblem[] = [
      { ...FULL, path: '/spec' },
      { ...FULL, code: 'invalid-value' },
      { ...FULL, at: { file: 'b.yaml', line: 9, column: 3 } },
      INFO,
      { ...INFO, message: 'that is not' },
    ];
    expect(new Set(printsOf(FULL, ...others)).size).toBe(6);
    const [first = '', second] = printsOf(FULL, FULL);
    expect([first, second]).toEqual([printsOf(FULL)[0], `${first}:1`]);
  });

  it.each([
    ['./a.yaml', 'a.yaml'],
    ['../up/a.yaml', '../up/a.yaml'],
    ['a b/ü#?.yaml', 'a%20b/%C3%BC%23%3F.yaml'],
    ['folder\\a.yaml', 'folder/a.yaml'],
    ['/abs/a.yaml', 'file:///abs/a.yaml'],
    ['C:\\abs\\a.yaml', 'file:///C:/abs/a.yaml'],
    ['\ud800.yaml', '%EF%BF%BD.yaml'],
  ])('names %j by the URI %s', (file, uri) => {
    const [result] = resultsOf({ ...INFO, at: { file, line: 1, column: 1 } });
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(uri);
  });

  it('escapes what it prints', () => {
    const [result] = resultsOf(HOSTILE);
    expect(result?.message.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(result?.message.text).not.toContain('[t](u)');
    expect(resultsOf({ ...FULL, message: NASTY, hint: NASTY })).toHaveLength(1);
  });
});

function runOf(...problems: readonly LocatedProblem[]): Run {
  const log = JSON.parse(renderSarif(problems, TOOL)) as Log; // the test is about what is in it
  expect(log.version).toBe('2.1.0');
  const [run, ...more] = log.runs;
  if (run === undefined || more.length > 0) throw new Error('expected one run');
  return run;
}

function resultsOf(...problems: readonly LocatedProblem[]): readonly Result[] {
  return runOf(...problems).results ?? [];
}

function printsOf(...problems: readonly LocatedProblem[]): readonly (string | undefined)[] {
  return resultsOf(...problems).map(({ partialFingerprints }) => partialFingerprints?.['gwconf/v1']);
}
