import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalog, memoryGateway, serveGateway, type Server } from '../src/index.ts';
import { readDocument } from './support/markdown.ts';
import { runDocument } from './support/run-document.ts';
import { makeSandbox, ROOT, type Ran, type Sandbox } from './support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = makeSandbox();
});
afterAll(() => {
  sandbox.remove();
});

describe('examples/teams', () => {
  it('does what its README says', async () => {
    const place = makeSandbox();
    place.copy('examples/teams', '.');
    const told = await runDocument(readDocument('examples/teams/README.md'), place);
    await expect(told).toMatchFileSnapshot(join(ROOT, 'examples', 'teams', 'README.md'));
    place.remove();
  });
});

describe.each(['quickstart', 'teams'])('examples/%s', (name) => {
  it('is valid, without a warning', async () => {
    const { stdout } = await sandbox.bash(`gwconf validate -f ${join(ROOT, 'examples', name)}`, {
      VAULT_TOKEN: 'practice',
    });
    expect(stdout).toMatch(/^Valid: \d+ resources, 0 errors, 0 warnings\.\n$/);
  });

  it('names the editor schema in each file', () => {
    const folder = join(ROOT, 'examples', name);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.yaml'),
    );
    const modeline = (path: string): string => {
      const up = '../'.repeat(path.split(/[\\/]/).length + 1);
      return `# yaml-language-server: $schema=${up}schemas/resources.schema.json`;
    };
    expect(files.map((path) => readFileSync(join(folder, path), 'utf8').split('\n', 1)[0])).toEqual(
      files.map(modeline),
    );
  });
});

describe('examples/ci.yml', () => {
  type Environment = Readonly<Record<string, string>>;
  type Step = { readonly run?: string; readonly env?: Environment };
  type Job = {
    readonly env?: Environment;
    readonly steps: readonly Step[];
    readonly needs?: string;
    readonly if?: string;
  };
  // Its shape is GitHub's; what is read of it is checked by running it.
  const workflow = parse(readDocument('examples/ci.yml')) as {
    readonly jobs: { readonly check: Job; readonly plan: Job; readonly deliver: Job };
  };
  const values: Environment = {
    'vars.GATEWAY_USER': 'admin',
    'secrets.GATEWAY_PASSWORD': 'conduktor',
    'secrets.VAULT_TOKEN': 'hvs.a-secret-that-nobody-may-see',
    'secrets.GWCONF_PLAN_KEY': 'a-key-that-only-the-workflow-knows',
  };
  const gateway = memoryGateway(catalog.kinds, {});
  let server: Server;

  beforeAll(async () => {
    server = await serveGateway(gateway, { port: 0 });
    sandbox.copy('examples/teams', 'gateway');
    const { code, stderr } = await sandbox.bash(`
      npm pack --ignore-scripts --silent --pack-destination . ${ROOT}
      echo '{ "name": "configuration", "private": true }' > package.json
      npm install --silent --save-dev ./gwconf-*.tgz
    `);
    expect(code, stderr).toBe(0);
  });
  afterAll(async () => {
    await server.close();
    await gateway.close();
  });

  it('plans, keeps the plan, and applies that plan; a pull request is compared with the snapshot', async () => {
    const planned = await runSteps(workflow.jobs.plan);
    expect(outputs()).toEqual(['result=changes', 'result=ok']);
    const checked = await runSteps(workflow.jobs.check);
    expect(outputs().slice(2)).toEqual(['result=valid', 'result=changes']);
    expect(workflow.jobs.deliver.needs).toBe('plan');
    expect(workflow.jobs.deliver.if).toContain("needs.plan.outputs.result == 'changes'");

    const delivered = await runSteps(workflow.jobs.deliver);
    expect(outputs().at(-1)).toBe('result=applied');
    expect(gateway.snapshot().resources).toHaveLength(15);

    const kept = ['plan.json', 'report.json', 'ledger.json', 'snapshot.json'].map((path) =>
      readFileSync(join(sandbox.folder, path), 'utf8'),
    );
    const seen = [...planned, ...checked, ...delivered].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect([...kept, ...seen].join('')).not.toContain('nobody-may-see');
    expect(JSON.stringify(gateway.snapshot())).toContain('nobody-may-see');
  });

  it('finds nothing more to deliver', async () => {
    await runSteps(workflow.jobs.plan);
    expect(outputs().slice(-2)).toEqual(['result=no-changes', 'result=ok']);
  });

  /** Every `run:` of a job, as GitHub runs it: in bash, with the job's environment. */
  async function runSteps(job: Job): Promise<readonly Ran[]> {
    const environment = Object.fromEntries(
      Object.entries(job.env ?? {}).map(([name, text]) => [
        name,
        text.replace(/^\$\{\{ (.*) \}\}$/, valueOf),
      ]),
    );
    const ran: Ran[] = [];
    for (const { run, env } of job.steps) {
      if (run === undefined) continue;
      const result = await sandbox.bash(run, {
        ...environment,
        ...env,
        GITHUB_OUTPUT: 'outputs',
        CI: 'true',
      });
      expect(result.code, `${run}\n${result.stdout}${result.stderr}`).toBe(0);
      ran.push(result);
    }
    return ran;
  }

  function valueOf(_: string, name: string): string {
    const value = name === 'vars.GATEWAY_URL' ? server.url : values[name];
    if (value === undefined) throw new Error(`the test has no value for ${name}`);
    return value;
  }

  function outputs(): readonly string[] {
    return readFileSync(join(sandbox.folder, 'outputs'), 'utf8').trimEnd().split('\n');
  }
});
