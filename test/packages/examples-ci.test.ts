import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { lintScript } from '../support/actions/lint.ts';
import { hasGit, makeGitWorld } from '../support/git-world.ts';
import { makeWorld } from '../support/cli.ts';
import { ROOT } from '../support/sandbox.ts';
import { projectOf } from '../support/documents.ts';

/** The text of the three jobs of an example, and what marks a secret in it. */
type Example = { readonly check: string; readonly plan: string; readonly apply: string };

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
// For Azure, values are texts.
const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, coerceTypes: true });
const INPUTS = {
  environment: 'prod',
  url: 'https://gateway.example:8888',
  image: 'registry.example/gwconf:0.1.0',
  'check-stage': 'test',
  'deploy-stage': 'deploy',
};
const component = read('templates/gwconf.yml').replaceAll(
  /\$\[\[ inputs\.([\w-]+) \]\]/g,
  (_, name: string) => {
    if (!Object.hasOwn(INPUTS, name)) throw new Error(`no input ${name}`);
    return INPUTS[name as keyof typeof INPUTS];
  },
);
const [header, jobs] = parseAllDocuments(component).map((document) => document.toJS() as unknown);

describe.each([
  ['templates/gwconf.yml, its inputs', 'gitlab-ci', header, '"inputs"'],
  ['templates/gwconf.yml, its jobs', 'gitlab-ci', jobs, '"script"'],
  ['gitlab-ci.yml', 'gitlab-ci', parse(example('gitlab-ci.yml')), '"component"'],
  ['azure-pipelines.yml', 'azure-pipelines', parse(example('azure-pipelines.yml')), '"dependsOn"'],
  ['bitbucket-pipelines.yml', 'bitbucket-pipelines', parse(example('bitbucket-pipelines.yml')), '"manual"'],
  ['circleci.yml', 'circle-ci', parse(example('circleci.yml')), '"docker"'],
])('%s', (_, schema, content, word) => {
  it('is valid, and is not once a word in it is wrong', () => {
    expect(problemsOf(schema, content)).toEqual([]);
    expect(problemsOf(schema, JSON.parse(JSON.stringify(content).replace(word, '"nonsense"')))).not.toEqual(
      [],
    );
  });

  it('has scripts without a problem that ShellCheck knows', async () => {
    expect(await lintScript(scriptsIn(content).join('\n'), 'sh')).toEqual([]);
  });
});

it.each(['Jenkinsfile', 'gitlab-ci.yml', 'bitbucket-pipelines.yml', 'circleci.yml'])(
  '%s says to name the image by its digest, as the component does',
  (name) => {
    for (const text of [example(name), component]) expect(text).toContain('by its digest (NAME@sha256:…)');
  },
);

const EXAMPLES: Readonly<Record<string, Example>> = {
  'templates/gwconf.yml': split(component, 'gwconf-check-prod:', 'gwconf-plan-prod:', 'gwconf-apply-prod:'),
  'azure-pipelines.yml': split(
    example('azure-pipelines.yml'),
    '- stage: check',
    '- stage: plan',
    '- stage: apply',
  ),
  'bitbucket-pipelines.yml': split(
    example('bitbucket-pipelines.yml'),
    'pull-requests:',
    '    main:',
    'name: Apply',
  ),
  'circleci.yml': split(example('circleci.yml'), '  check:', '  plan:', '  apply:'),
  Jenkinsfile: split(example('Jenkinsfile'), "stage('Check')", "stage('Plan')", "stage('Apply')"),
};

/** Where main takes a snapshot, a check without one is not as green as one with a plan. */
const WITHOUT_SNAPSHOT: Readonly<Record<string, RegExp>> = {
  'templates/gwconf.yml': /^No plan was made.*\nexit 75$/,
  'azure-pipelines.yml': /^No plan was made.*\n##vso\[task\.complete result=SucceededWithIssues;\]\n$/,
};

/** Where build servers say which branch a pull request is for, or its commit: its author can choose it. */
const TARGETS = [
  ...['CHANGE_TARGET', 'BITBUCKET_PR_DESTINATION_BRANCH', 'BITBUCKET_PR_DESTINATION_COMMIT'],
  ...['CI_MERGE_REQUEST_TARGET_BRANCH_NAME', 'CI_MERGE_REQUEST_DIFF_BASE_SHA'],
  ...['SYSTEM_PULLREQUEST_TARGETBRANCH', 'SYSTEM_PULLREQUEST_TARGETBRANCHNAME'],
];

describe.each(Object.keys(EXAMPLES))('%s', (name) => {
  const { check, plan, apply } = EXAMPLES[name] as Example;

  it.skipIf(!hasGit)(
    'checks without a secret, plans with the private key, and applies with the public key',
    async () => {
      expect(check).not.toMatch(
        /password|_key|credentials\(|secret\b|group:|context:|deployment:|environment:/i,
      );
      const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      const world = makeGitWorld({
        'gwconf.yaml': projectOf({ prod: 'files: [gateway]' }, 'lint: { priority-tie: error }\n'),
        'gateway/topics.yaml': read('examples/quickstart/topics.yaml').replace(
          /^metadata:[^]*?^spec/gm,
          (text) => text,
        ),
        'gateway/virtual-clusters.yaml': read('examples/quickstart/virtual-clusters.yaml'),
      });
      world.commit();
      type Env = Readonly<Record<string, string>>;
      const outputsOf = async (job: string, env: Env): Promise<readonly string[]> => {
        const outputs: string[] = [];
        for (const args of commandsIn(job)) {
          const { out, err } = await world.runWith(
            { env: { CI: 'true', GWCONF_ENV: 'prod', ...env } },
            ...args,
          );
          outputs.push(out + err);
        }
        return outputs;
      };
      const run = async (job: string, env: Env): Promise<readonly string[]> =>
        (await outputsOf(job, env)).map((output) => /^result: (.*)$/m.exec(output)?.[1] ?? output);
      const gateway = { GWCONF_URL: 'embedded:state.json' };
      const signs = { ...gateway, GWCONF_PLAN_PRIVATE_KEY: privateKey };
      const verifies = { ...gateway, GWCONF_PLAN_PUBLIC_KEY: publicKey };

      expect(await run(plan, signs)).toContain('changes');
      if (!world.has('snapshot.json'))
        await world.runWith({ env: gateway }, 'snapshot', '--env', 'prod', '--out', 'snapshot.json');
      expect(await run(check, {})).toEqual(['valid', 'changes']);
      world.write('gwconf.yaml', projectOf({ prod: 'files: [gateway]' }));
      const [, shown] = await outputsOf(check, {});
      expect(shown, 'tells of a rule that the branch loosens').toMatch(/priority-tie/);
      world.git('checkout', '--quiet', '--', 'gwconf.yaml');
      expect(await run(apply, verifies)).toEqual(['applied']);
      await run(plan, gateway); // another job wrote a plan, and has no key
      expect(await run(apply, verifies)).not.toContain('applied');
    },
  );

  it('says so where there is no snapshot to plan with, and compares with main, whatever a pull request is for', () => {
    const lines = check.match(/if \[ .*?; fi/g) ?? [];
    const world = makeWorld({});
    const run = (): string => {
      const script = `gwconf() { echo "gwconf $*"; }\n${lines.join('\n').replace('npx --no-install ', '')}`;
      const target = Object.fromEntries(TARGETS.map((variable) => [variable, 'of-its-author']));
      const { status, stdout } = spawnSync('sh', ['-ec', script], {
        ...{ cwd: world.folder, encoding: 'utf8' },
        env: { ...process.env, ...target, CI_DEFAULT_BRANCH: 'main' },
      });
      return `${stdout}${status === 0 ? '' : `exit ${status}`}`;
    };
    expect(run()).toMatch(WITHOUT_SNAPSHOT[name] ?? /^No plan was made.*\n$/);
    world.write('snapshot.json/a', '');
    expect(run()).toMatch(/^gwconf plan --snapshot snapshot.json --base origin\/main /);
  });

  it('gives each key to one job', () => {
    expect(plan).not.toMatch(/PUBLIC_KEY/);
    expect(apply).not.toMatch(/PRIVATE_KEY/);
  });
});

it.skipIf(!hasGit).each(['bitbucket-pipelines.yml', 'Jenkinsfile'])(
  '%s compares with the snapshot of main, whatever a branch has made of it, and does not pass without main',
  (name) => {
    const { check } = EXAMPLES[name] as Example;
    const lines = [...check.matchAll(/(?:- |sh ')((?:rm|if) .*?)'?\s*$/gm)].map(([, line = '']) => line);
    const world = makeGitWorld({ 'a/snapshot.json': 'of main' });
    const run = (): string => {
      const script = ['gwconf() { cat snapshot.json; }', ...lines].join('\n');
      return execFileSync('sh', ['-ec', script], {
        cwd: join(world.folder, 'a'),
        encoding: 'utf8',
        stdio: 'pipe',
      });
    };
    world.commit();
    expect(run).toThrow('origin/main');
    world.git('update-ref', 'refs/remotes/origin/main', 'main');
    world.write('a/snapshot.json', 'of the branch');
    expect(run()).toBe('of main');
    world.git('rm', '--quiet', '--force', 'a/snapshot.json');
    world.write('a/other', '');
    world.commit();
    world.git('tag', 'origin/main');
    expect(run()).toBe('of main');
    world.git('update-ref', 'refs/remotes/origin/main', 'main');
    expect(run()).toMatch(/^No plan was made/);
  },
);

it('CircleCI fails without a snapshot where main has the workflow that takes one, but for a fork', () => {
  const [line = ''] = /if \[ .*$/m.exec((EXAMPLES['circleci.yml'] as Example).check) ?? [];
  const world = makeGitWorld({ '.circleci/config.yml': 'jobs: {}' });
  const run = (env: Readonly<Record<string, string>> = {}): number | null =>
    spawnSync('bash', ['-eo', 'pipefail', '-c', line], {
      cwd: world.folder,
      env: { ...process.env, CIRCLE_PR_NUMBER: '', ...env },
    }).status;
  world.commit();
  world.git('update-ref', 'refs/remotes/origin/main', 'main');
  expect(run(), 'adds these jobs to those of others').toBe(0);
  world.write('.circleci/config.yml', example('circleci.yml'));
  world.commit();
  world.git('update-ref', 'refs/remotes/origin/main', 'main');
  expect([run(), run({ CIRCLE_PR_NUMBER: '12' })]).toEqual([1, 0]);
});

it('GitLab applies also what a pipeline has planned that somebody runs, as after exit code 4', () => {
  const [, source = ''] =
    /CI_PIPELINE_SOURCE =~ \/(.*?)\//.exec((EXAMPLES['templates/gwconf.yml'] as Example).apply) ?? [];
  const sources = ['push', 'web', 'schedule', 'trigger', 'api', 'merge_request_event'];
  expect(sources.filter((one) => new RegExp(source).test(one))).toEqual(['push', 'web']);
});

it('CircleCI takes a snapshot before a plan that may fail', () => {
  expect((EXAMPLES['circleci.yml'] as Example).plan).toMatch(/gwconf snapshot[^]*save_cache[^]*gwconf plan/);
});

it
  .skipIf(!hasGit)
  .each(['templates/gwconf.yml', 'bitbucket-pipelines.yml', 'circleci.yml', 'azure-pipelines.yml'])(
  '%s applies no plan but that of the newest commit of main',
  (name) => {
    const { apply } = EXAMPLES[name] as Example;
    const lines = [...apply.matchAll(/^ *(?:- )?(?:run: )?((?:newest|GWCONF_EXPECT_COMMIT)=.*)$/gm)].map(
      ([, line = '']) => line.replace('npx --no-install ', ''),
    );
    const world = makeGitWorld({ a: 'older' });
    world.commit();
    world.git('remote', 'add', 'origin', '.');
    world.git('checkout', '--quiet', '-b', 'job');
    world.git('checkout', '--quiet', 'main');
    world.write('a', 'newer');
    world.commit();
    world.git('checkout', '--quiet', 'job');
    const script = ['gwconf() { echo "$* of $GWCONF_EXPECT_COMMIT"; }', ...lines].join('\n');
    const out = execFileSync('sh', ['-ec', script], {
      ...{ cwd: world.folder, encoding: 'utf8' },
      env: { ...process.env, CI_DEFAULT_BRANCH: 'main', CI_REPOSITORY_URL: '.', PIPELINE_WORKSPACE: '/w' },
    });
    expect(out.replace('/w/plan/', '')).toBe(`apply plan.json of ${world.git('rev-parse', 'main').trim()}\n`);
  },
);

it('shows on a merge request of GitLab what a plan tells, compared with what it tells of the default branch', () => {
  type Job = { readonly script: readonly string[]; readonly artifacts: { readonly reports: object } };
  const { 'gwconf-check-prod': check, 'gwconf-plan-prod': plan } = jobs as Readonly<Record<string, Job>>;
  const reportsOf = ({ script, artifacts }: Job): string =>
    Object.entries(artifacts.reports)
      .flatMap(([sort, files]) => [files].flat().map((file) => `${sort} ${String(file)}`))
      .filter((report) => script.some((line) => line.includes(`=${report.split(' ')[1]}`)))
      .join(', ');
  expect(check && reportsOf(check)).toBe(
    'codequality quality.json, codequality plan-quality.json, junit plan.xml, terraform changes.json',
  );
  expect(plan && reportsOf(plan)).toBe('codequality quality.json');
});

function problemsOf(schema: string, content: unknown): readonly string[] {
  const validate = validatorOf(schema);
  if (validate(content)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

function validatorOf(name: string): ValidateFunction {
  const known = ajv.getSchema(name);
  if (known !== undefined) return known;
  const file = readFileSync(join(ROOT, 'test', 'fixtures', 'schemas', `${name}.json.gz`));
  ajv.addSchema({ ...(JSON.parse(gunzipSync(file).toString()) as object), $id: name });
  return validatorOf(name);
}

function example(name: string): string {
  return read(`examples/ci/${name}`);
}

/** The text from each heading to the next, without comments. */
function split(text: string, ...headings: readonly [string, string, string]): Example {
  const bare = text.replaceAll(/(?:^| )(?:#|\/\/).*$/gm, '');
  const [check, plan, apply] = headings.map((heading) => bare.indexOf(heading)) as [number, number, number];
  if (!(0 <= check && check < plan && plan < apply)) throw new Error(`no ${headings.join(', ')}`);
  return { check: bare.slice(check, plan), plan: bare.slice(plan, apply), apply: bare.slice(apply) };
}

/** The words of each command of gwconf; there is no quoting in the examples. */
function commandsIn(job: string): readonly (readonly string[])[] {
  const found = job.matchAll(
    /(?:- |run: |script: |sh '|then |gwconf )*gwconf ((?:validate|plan|snapshot|apply) ?[^;'\n]*)/g,
  );
  return [...found].map(([, line = '']) =>
    line
      .trim()
      .replace(/"\$PIPELINE_WORKSPACE\/plan\/(.*)"/, '$1')
      .replace(/--base \S+/, '--base main')
      .split(' '),
  );
}

/** Every text below `script` and `run`. */
function scriptsIn(content: unknown): readonly string[] {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]: [string, unknown]) => {
    const lines = [value].flat().filter((line) => typeof line === 'string');
    return ['script', 'run'].includes(key) && lines.length > 0 ? [lines.join('\n')] : scriptsIn(value);
  });
}
