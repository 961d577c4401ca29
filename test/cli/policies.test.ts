import { describe, expect, it } from 'vitest';
import type { ValidateReport } from '../../src/report/view/validate-report.ts';
import { makeWorld, type World } from '../support/cli.ts';

const TOPICS = `
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: payments-orders }
  spec: { physicalName: orders }
  ---
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: billing }
  spec: { physicalName: billing }
`;

/** A world whose project has these policies. */
function worldWith(policies: string, files: Readonly<Record<string, string>> = {}): World {
  const project = `apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { files: [d] } }\npolicies: ${policies}\n`;
  return makeWorld({ 'gwconf.yaml': project, 'd/topics.yaml': TOPICS, ...files });
}

async function problemsOf(world: World): Promise<readonly string[]> {
  const { out } = await world.run('validate', '-o', 'json');
  const { problems } = JSON.parse(out) as ValidateReport;
  return problems.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

function policy(expression: string, more = ''): string {
  return `
    apiVersion: gwconf/v1
    kind: Policy
    metadata: { name: mine }
    spec:
      match: { kind: AliasTopic }
      expression: '${expression}'
      message: it is not so
      ${more}
      examples:
        pass: [{ object: { kind: AliasTopic, metadata: { name: payments-a } } }]
        fail: [{ object: { kind: AliasTopic, metadata: { name: other } } }]
  `;
}

const PREFIX = 'object.metadata.name.startsWith("payments-")';

describe('policies', () => {
  it('block validate, plan and apply with exit code 3, and a mandatory one cannot be lowered', async () => {
    const world = worldWith('{ builtIn: { team-prefix: { prefixes: [payments-] } } }');
    const lint = world.read('gwconf.yaml').concat('lint: { policy/team-prefix: warning }\n');
    for (const command of ['validate', 'plan', 'apply']) {
      const gateway = command === 'validate' ? [] : ['--url', 'embedded:gateway.json'];
      const { code, err } = await world.run(
        command,
        ...gateway,
        ...(command === 'apply' ? ['--auto-approve'] : []),
      );
      expect([command, code]).toEqual([command, 3]);
      expect(err).toContain('AliasTopic/billing@vCluster=passthrough does not meet the policy team-prefix');
      expect(err).toContain('d/topics.yaml:8:');
    }
    expect(world.has('gateway.json')).toBe(false);
    world.write('gwconf.yaml', lint);
    expect(await problemsOf(world)).toContain(
      'error invalid-value: policy/team-prefix cannot be lowered to warning',
    );
  });

  it('only warn where they are advisory', async () => {
    const world = worldWith('{ builtIn: { team-prefix: { prefixes: [payments-], severity: advisory } } }');
    expect(await problemsOf(world)).toEqual([expect.stringMatching(/^warning policy\/team-prefix: /)]);
    expect((await world.run('plan', '--url', 'embedded:')).code).toBe(0);
  });

  it.each([
    ['2026-03-01', 'info', '(waived until 2026-03-01: PAY-7)'],
    ['2026-02-28', 'error', 'the name does not begin with the prefix of a team'],
  ])('are waived until %s for some objects', async (until, severity, words) => {
    const waiver = `{ address: AliasTopic/billing*, reason: PAY-7, until: ${until} }`;
    const world = worldWith(`{ builtIn: { team-prefix: { prefixes: [payments-], waivers: [${waiver}] } } }`);
    const [only, ...others] = await problemsOf(world);
    expect(others).toEqual([]);
    expect(only?.startsWith(severity)).toBe(true);
    expect(only?.endsWith(words)).toBe(true);
  });

  it('are read from the files that gwconf.yaml lists', async () => {
    const world = worldWith('{ files: [policies] }', { 'policies/a.policy.yaml': policy(PREFIX) });
    expect(await problemsOf(world)).toEqual([
      'error policy/mine: AliasTopic/billing@vCluster=passthrough does not meet the policy mine: it is not so',
    ]);
  });

  it('that cannot be used are errors, and never pass for ones that are met', async () => {
    for (const [files, message] of [
      [{ 'policies/a.policy.yaml': policy('object.kind != ""') }, 'should fail; it passes'],
      [{ 'policies/a.policy.yaml': policy('object.metadata.nam == ""') }, 'field not found: nam'],
      [{ 'policies/a.policy.yaml': policy('object.metadata.name') }, 'neither true nor false'],
      [{ 'policies/a.policy.yaml': policy('"a" == "a"') }, 'uses none of'],
      [{ 'policies/a.policy.yaml': policy('principal.username == object.kind') }, 'uses principal and also'],
      [
        { 'policies/a.policy.yaml': policy(PREFIX, 'messageExpression: change.action') },
        'change has no value',
      ],
      [{ 'policies/a.policy.yaml': policy(PREFIX, 'severity: off') }, 'mandatory'],
      [{ 'policies/a.policy.yaml': policy(PREFIX, 'path: "${HOME}"') }, 'a policy has no variables'],
      [
        { 'policies/a.policy.yaml': policy(PREFIX), 'policies/b.policy.yaml': policy(PREFIX) },
        'two policies mine',
      ],
      [{ 'policies/a.yaml': policy(PREFIX) }, 'policies contains no policy'],
      [{}, 'policies'],
    ] as const) {
      const errors = (await problemsOf(worldWith('{ files: [policies] }', files))).filter((one) =>
        /^error (?!policy)/.test(one),
      );
      expect(errors.length, message).toBeGreaterThan(0);
      expect(
        errors.every((one) => one.includes(message)),
        errors.join(),
      ).toBe(true);
    }
  });
});
