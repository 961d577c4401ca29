import { describe, expect, it } from 'vitest';
import type { ValidateReport } from '../../src/outcome/files.ts';
import { makeWorld } from '../support/cli.ts';
import { alias } from '../support/documents.ts';

const topic = (name: string, physicalName: string): string => alias(name, physicalName);
const project = (environments: string): string =>
  `apiVersion: gwconf/v1\nkind: Project\nenvironments: ${environments}\n`;
const THREE = project(
  '{ dev: { files: [base] }, staging: { files: [base, late] }, prod: { files: [base, late, prod] } }',
);

async function validate(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<ValidateReport> {
  const { out } = await makeWorld(files).run('validate', '-o', 'json', ...args);
  return JSON.parse(out) as ValidateReport;
}

describe('validate, where gwconf.yaml has several environments', () => {
  it('checks all of them, and says which have a problem unless all do', async () => {
    const { result, summary, problems } = await validate({
      'gwconf.yaml': THREE,
      'base/a.yaml': topic('orders', '[]'),
      'late/b.yaml': topic('refunds', '{}'),
      'prod/c.yaml': topic('claims', '3.5'),
    });
    expect({ result, summary }).toEqual({
      result: 'error',
      summary: { resources: 6, errors: 3, warnings: 0, environments: ['dev', 'staging', 'prod'] },
    });
    expect(problems.map(({ file, message }) => `${file ?? ''}: ${message.replace(/^.*found /, '')}`)).toEqual(
      ['base/a.yaml: a list', 'late/b.yaml: a map (in staging and prod)', 'prod/c.yaml: 3.5 (in prod)'],
    );
  });

  it('counts the resources of all', async () => {
    const world = makeWorld({
      'gwconf.yaml': THREE,
      'base/a.yaml': topic('a', 'x'),
      'late/b.yaml': topic('b', 'y'),
      'prod/c.yaml': topic('c', 'z'),
    });
    expect(await world.run('validate')).toMatchObject({
      code: 0,
      out: 'Valid: 6 resources in 3 environments, 0 errors, 0 warnings.\n',
    });
  });

  it('checks one with --env, and files that are named without any', async () => {
    const files = {
      'gwconf.yaml': THREE,
      'base/a.yaml': topic('orders', '[]'),
      'late/b.yaml': topic('b', 'y'),
    };
    const one = await validate(files, '--env', 'dev');
    expect([one.summary, one.problems.length]).toEqual([{ resources: 1, errors: 1, warnings: 0 }, 1]);
    const named = await validate(files, 'late');
    expect([named.summary, named.problems]).toEqual([{ resources: 1, errors: 0, warnings: 0 }, []]);
  });

  it('uses the variables of each, and passes over one without files', async () => {
    const report = await validate({
      'gwconf.yaml': project(
        '{ dev: { files: [base], variables: { to: 3 } }, prod: { files: [base], variables: { to: x } }, later: {} }',
      ),
      'base/a.yaml': topic('orders', 'x').replace('{ physicalName: x }', '\n  physicalName: ${var.to}'),
    });
    expect(report.summary.environments).toEqual(['dev', 'prod']);
    expect(report.problems.map(({ message }) => message)).toEqual([expect.stringMatching(/\(in dev\)$/)]);
  });

  it('shows a fault of gwconf.yaml once', async () => {
    const { problems } = await validate({
      'gwconf.yaml': `${THREE}lint: { nonsense: error }\n`,
      'base/a.yaml': topic('a', 'x'),
      'late/b.yaml': topic('b', 'y'),
      'prod/c.yaml': topic('c', 'z'),
    });
    expect(problems.map(({ file }) => file)).toEqual(['gwconf.yaml']);
  });
});
