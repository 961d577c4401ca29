import { describe, expect, it } from 'vitest';
import { type LocatedProblem, applyLint, type Lint } from '../../src/model/problem.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { locateProblems } from '../../src/schema/load/locate.ts';
import { surveyKinds } from '../../src/plan/checks/survey.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { dedent } from '../support/expect-problems.ts';

function located(text: string, lint: Lint = {}): readonly LocatedProblem[] {
  const { value, problems } = load(
    [{ path: 'in.yaml', text: dedent(text), named: true }],
    catalog,
    NO_VARIABLES,
  );
  return locateProblems(
    applyLint([...problems, ...surveyKinds({ desired: value, kinds: catalog.kinds })], lint),
  );
}

function told(text: string, lint?: Lint): readonly string[] {
  return located(text, lint).map(
    ({ severity, code, at }) => `${severity} ${code} ${at?.line ?? 0}:${at?.column ?? 0}`,
  );
}

/** An interceptor without a scope, which is worth a word at line 4, with a comment above that line. */
const bare = (comment: string): string => `
  apiVersion: gateway/v2
  kind: Interceptor
  ${comment}
  metadata: { name: audit }
  spec: { pluginClass: com.example.Own, priority: 0, config: {} }
`;
const REST = ['warning unknown-class 5:22', 'warning unusual-value 5:49'];

describe('# gwconf-ignore CODE: reason, on the line above', () => {
  it('silences that code there', () => {
    expect(told(bare('# nothing'))).toEqual(['info omitted-scope 4:19', ...REST]);
    expect(told(bare('# gwconf-ignore omitted-scope: passthrough is all there is'))).toEqual(REST);
  });

  it.each([
    '#gwconf-ignore omitted-scope:x',
    '#   gwconf-ignore   omitted-scope  :  x',
    '# gwconf-ignore omitted-scope: x\r',
    '\t# gwconf-ignore omitted-scope: x: y # z',
  ])('may be written as %j', (comment) => {
    expect(told(bare(comment))).toEqual(REST);
  });

  it('silences a warning of a line with several, and leaves the others', () => {
    const text = bare('# x').replace(
      '\n  spec',
      '\n  # gwconf-ignore unusual-value: the provider is not used\n  spec',
    );
    expect(told(text)).toEqual(['info omitted-scope 4:19', 'warning unknown-class 6:22']);
  });

  it('needs a reason, and is told at its own place without one', () => {
    expect(told(bare('# gwconf-ignore omitted-scope'))).toEqual(['warning unexplained-ignore 3:1', ...REST]);
    expect(told(bare('# gwconf-ignore omitted-scope:  '))).toEqual([
      'warning unexplained-ignore 3:1',
      ...REST,
    ]);
    const [problem] = located(bare('# gwconf-ignore omitted-scope:'));
    expect(`${problem?.message ?? ''}; ${problem?.hint ?? ''}`).toBe(
      'the comment ignores omitted-scope without a reason; write # gwconf-ignore omitted-scope: REASON',
    );
  });

  it.each([
    '# gwconf-ignore priority-tie: another code',
    '# gwconf-ignore omitted-scop: no code',
    '# gwconf-ignore omitted-scope-x: no code',
    '# gwconf-ignored omitted-scope: no such comment',
    '# please gwconf-ignore omitted-scope: not how it begins',
    '# gwconf-ignore: no code at all',
    '# gwconf-ignore omitted-scope, priority-tie: two codes',
  ])('silences nothing as %j', (comment) => {
    expect(told(bare(comment))).toContain('info omitted-scope 4:19');
  });

  it('silences nothing from two lines above, from the line itself or from the line below', () => {
    const text = bare('# gwconf-ignore omitted-scope: x\n  #')
      .replace('audit }', 'audit } # gwconf-ignore omitted-scope: x')
      .replace('\n  spec', '\n  # gwconf-ignore omitted-scope: x\n  spec');
    expect(told(text)).toContain('info omitted-scope 5:19');
  });

  it('silences an error about what a gateway could see differently, if it says why', () => {
    const text = `
      apiVersion: gateway/v2
      kind: AliasTopic
      metadata: { name: orders }
      spec:
        # gwconf-ignore invalid-value: we know better
        physicalName: a b
    `;
    expect(told(text)).toEqual([]);
    expect(told(text.replace(': we know better', ''))).toEqual([
      expect.stringContaining('warning unexplained-ignore'),
      'error invalid-value 6:17',
    ]);
  });

  it('silences no error without which nothing else can be read, nor one of another sort', () => {
    const of = (comment: string, spec: string): string => `
      apiVersion: gateway/v2
      kind: AliasTopic
      metadata: { name: orders }
      spec:
        # gwconf-ignore ${comment}: we know better
        ${spec}
    `;
    expect(told(of('invalid-value', 'physicalName: [a]'))).toEqual(['error invalid-value 6:17']);
    expect(told(of('missing-variable', 'physicalName: ${NONE}'))[0]).toContain('error missing-variable');
  });

  it('silences no warning that the project made an error', () => {
    const text = bare('# gwconf-ignore omitted-scope: x');
    expect(told(text, { 'omitted-scope': 'error' })).toEqual(['error omitted-scope 4:19', ...REST]);
    expect(told(text, { 'omitted-scope': 'warning' })).toEqual(REST);
  });

  it('silences an error that the project made a warning', () => {
    const text = bare('# x')
      .replace('priority: 0', 'priority: 1, commnt: x')
      .replace('\n  spec', '\n  # gwconf-ignore unknown-field: the next version has it\n  spec');
    expect(told(text).join()).not.toContain('unknown-field');
    expect(told(text, { 'unknown-field': 'warning' }).join()).not.toContain('unknown-field');
  });

  it('silences the later one of two that are involved', () => {
    const document = (name: string, comment: string): string => `
      apiVersion: gateway/v2
      kind: Interceptor
      metadata: { name: ${name}, scope: {} }
      spec:
        pluginClass: io.conduktor.gateway.interceptor.AuditPlugin
        ${comment}
        priority: 1
        config: {}
    `;
    const ignore = '# gwconf-ignore priority-tie: they do not touch the same requests';
    const ties = (text: string): readonly string[] =>
      told(text).filter((line) => line.includes('priority-tie'));
    expect(ties(`${document('a', '#')}---${document('b', '#')}`)).toHaveLength(1);
    expect(ties(`${document('a', '#')}---${document('b', ignore)}`)).toEqual([]);
    expect(ties(`${document('a', ignore)}---${document('b', '#')}`)).toHaveLength(1);
  });
});
