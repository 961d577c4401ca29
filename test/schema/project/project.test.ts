import { describe, expect, it } from 'vitest';
import { type SourceFile, isLowerable, applyLint } from '../../../src/model/problem.ts';
import { PROBLEM_CODES } from '../../../src/model/problem-codes.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { projectSchema, SECURITY_MODES } from '../../../src/schema/project/project-schema.ts';
import { fillGateway, parseProject } from '../../../src/schema/project/project.ts';
import type { Environment, Project } from '../../../src/schema/project/project.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { dedent, seen, type Seen } from '../../support/expect-problems.ts';

const HEAD = 'apiVersion: gwconf/v1\nkind: Project\n';
type Env = Readonly<Record<string, string>>;

function fileOf(text: string): SourceFile {
  return { path: 'gwconf.yaml', text: dedent(text), named: true };
}

function parse(text: string): ReturnType<typeof parseProject> {
  return parseProject(fileOf(text), catalog.kinds);
}

function problemsIn(text: string): readonly Seen[] {
  return parse(text).problems.map((problem) => seen(problem));
}

function sentencesIn(text: string): readonly string[] {
  return parse(text).problems.map(({ message, hint }) => `${message}; ${hint ?? ''}`);
}

function projectIn(text: string): Project {
  const { value, problems } = parse(text);
  if (value === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return value;
}

function prodIn(text: string): Environment | undefined {
  return projectIn(`${HEAD}environments:\n  prod: ${text}\n`).environments.get('prod');
}

/** The connection of an environment, filled in from variables. */
function gatewayIn(
  text: string,
  name: string,
  env: Env,
  isPublic?: (name: string) => boolean,
): ReturnType<typeof fillGateway> {
  const valueOf = (variable: string): string | undefined =>
    Object.hasOwn(env, variable) ? env[variable] : undefined;
  const variables = variablesFrom(valueOf, isPublic && { isPublic });
  return fillGateway(projectIn(text).environments.get(name) ?? {}, variables);
}

it('warns of environments that a reader takes for another', () => {
  const told = (...names: readonly string[]): readonly string[] =>
    sentencesIn(`${HEAD}environments:\n${names.map((name) => `  "${name}": {}\n`).join('')}`);
  expect(told('prod', 'prod1', 'prodl')).toEqual([]);
  expect(told('prod', 'pr\u043ed', 'PROD')).toEqual([
    'the environment pr[U+043E]d looks like prod; rename one of them',
    'the environment PROD looks like prod; rename one of them',
  ]);
});

describe('a project file', () => {
  it('may say all that the issue shows', () => {
    const text = `
      apiVersion: gwconf/v1
      kind: Project
      environments:
        prod:                                  # every key is optional; what is missing comes from flags and variables
          gateway: { url: https://gw:8888, user: ci, password: "\${GW_PASSWORD}", ca: ca.pem, cert: c.pem, key: k.pem, timeout: 30s }
          version: 3.15.0                      # not stated: 3.21 is assumed, and findings that hang on the version are warnings
          security: SASL_SSL                   # a GATEWAY_SECURITY value, or GATEWAY_MANAGED, KAFKA_MANAGED
          pin: { host: "gw*" }                 # apply to any other host is refused, exit 4
          files: [base, prod]                  # relative to this file; -f replaces them
          variables: { partitions: 6 }
          publicVariables: [TEAM]              # environment variables whose values may be shown
          manages: ["*@vCluster=payments*"]    # this and the next: the issue on ownership
          protect: [{ kind: Interceptor, pluginClass: "*Encrypt*" }]
          limits: { deletes: "10%", updates: "50%" }
          protection: { pci: [com.example.Tokenize, "Interceptor/pci-*"] }
          exposures: [{ address: "Interceptor/mask*", protection: masking, reason: renamed, until: 2027-01-31 }]
      lint: { priority-tie: error }            # severities
    `;
    const { value, problems } = parse(text);
    expect(problems).toEqual([]);
    expect(value?.lint).toEqual({ 'priority-tie': 'error' });
    expect(value?.environments.get('prod')).toMatchObject({
      name: 'prod',
      version: '3.15.0',
      security: 'SASL_SSL',
      pin: { host: 'gw*' },
      files: ['base', 'prod'],
      variables: { partitions: 6 },
      publicVariables: ['TEAM'],
      manages: ['*@vCluster=payments*'],
      protect: [{ kind: 'Interceptor', pluginClass: '*Encrypt*' }],
      limits: { deletes: { percent: 10 }, updates: { percent: 50 } },
      protection: { pci: ['com.example.Tokenize', 'Interceptor/pci-*'] },
      exposures: [
        { address: 'Interceptor/mask*', protection: 'masking', reason: 'renamed', until: '2027-01-31' },
      ],
    });
    expect(gatewayIn(text, 'prod', { GW_PASSWORD: 'hunter2' })).toMatchObject({
      value: {
        url: 'https://gw:8888',
        user: 'ci',
        password: 'hunter2',
        ca: 'ca.pem',
        cert: 'c.pem',
        key: 'k.pem',
        timeout: '30s',
      },
      problems: [],
    });
  });

  it('may say nothing at all', () => {
    const policies = { builtIn: [], files: [], rules: [] };
    const nothing = { environments: new Map(), lint: {}, differs: [], waves: [], policies };
    expect(projectIn('')).toEqual(nothing);
    expect(projectIn('# later\n')).toEqual(nothing);
    expect(projectIn(HEAD)).toMatchObject(nothing);
  });

  it('may have an environment that says nothing', () => {
    expect(prodIn('{}')).toEqual({ name: 'prod' });
  });

  it.each(SECURITY_MODES)('knows the security mode %s', (mode) => {
    expect(prodIn(`{ security: ${mode} }`)?.security).toBe(mode);
  });

  it('keeps the types of variables', () => {
    expect(
      prodIn('{ variables: { a: 6, b: "6", c: true, d: null, e: 1.5, __proto__: x } }')?.variables,
    ).toEqual(
      Object.fromEntries(
        Object.entries({ a: 6, b: '6', c: true, d: null, e: 1.5 }).concat([['__proto__', 'x']]),
      ),
    );
  });

  it('has a schema that names every key for editors', () => {
    expect(JSON.stringify(projectSchema)).toMatch(/"publicVariables".*"manages"/);
  });
});

describe('a mistake in a project file', () => {
  it.each<[string, string, readonly Seen[]]>([
    [
      'an unknown key',
      `${HEAD}enviroments: {}\n`,
      [{ code: 'unknown-field', at: '3:1', path: '/enviroments' }],
    ],
    [
      'an unknown key of an environment',
      `${HEAD}environments:\n  prod:\n    file: [a]\n`,
      [{ code: 'unknown-field', at: '5:5', path: '/environments/prod/file' }],
    ],
    [
      'a last day that is none, and one without an owner',
      `${HEAD}environments:\n  prod:\n    ignore:\n      - { address: a*, reason: r, until: 2027-13-01 }\n`,
      [
        { code: 'missing-field', at: '6:9', path: '/environments/prod/ignore/0/owner' },
        { code: 'invalid-value', at: '6:42', path: '/environments/prod/ignore/0/until' },
      ],
    ],
    [
      'reasons of blanks',
      `${HEAD}environments:\n  prod:\n    exposures:\n      - { address: Interceptor/a, reason: " ", until: 2027-12-01 }\n    protect: [{ kind: Interceptor, reason: " " }]\n`,
      [
        { code: 'invalid-value', at: '7:44', path: '/environments/prod/protect/0/reason' },
        { code: 'invalid-value', at: '6:43', path: '/environments/prod/exposures/0/reason' },
      ],
    ],
    [
      'an exposure that is accepted without a reason, and on a day that is none',
      `${HEAD}environments:\n  prod:\n    exposures:\n      - { address: Interceptor/a, until: 2027-13-01 }\n`,
      [
        { code: 'missing-field', at: '6:9', path: '/environments/prod/exposures/0/reason' },
        { code: 'invalid-value', at: '6:42', path: '/environments/prod/exposures/0/until' },
      ],
    ],
    [
      'a sort of protection that nothing gives',
      `${HEAD}environments:\n  prod:\n    protection: { pci: [] }\n`,
      [{ code: 'invalid-value', at: '5:24', path: '/environments/prod/protection/pci' }],
    ],
    [
      'an unknown key of a gateway',
      `${HEAD}environments:\n  prod:\n    gateway:\n      pasword: x\n`,
      [{ code: 'unknown-field', at: '6:7', path: '/environments/prod/gateway/pasword' }],
    ],
    [
      'an unknown key of a pin',
      `${HEAD}environments:\n  prod:\n    pin: { hosts: a, host: b }\n`,
      [{ code: 'unknown-field', at: '5:12', path: '/environments/prod/pin/hosts' }],
    ],
    [
      'an unknown key of what is managed',
      `${HEAD}environments:\n  prod:\n    manages: [{ vCluster: a }]\n`,
      [{ code: 'unknown-field', at: '5:17', path: '/environments/prod/manages/0/vCluster' }],
    ],
    [
      'a pin without a host',
      `${HEAD}environments:\n  prod: { pin: {} }\n`,
      [{ code: 'missing-field', at: '4:11', path: '/environments/prod/pin/host' }],
    ],
    ['no kind', 'apiVersion: gwconf/v1\n', [{ code: 'missing-field', at: '1:1', path: '/kind' }]],
    [
      'another kind',
      'apiVersion: gwconf/v1\nkind: project\n',
      [{ code: 'invalid-value', at: '2:7', path: '/kind' }],
    ],
    [
      'another apiVersion',
      'apiVersion: v1\nkind: Project\n',
      [{ code: 'invalid-value', at: '1:13', path: '/apiVersion' }],
    ],
    [
      'a version that is a number',
      `${HEAD}environments:\n  prod: { version: 3.10 }\n`,
      [{ code: 'invalid-value', at: '4:20', path: '/environments/prod/version' }],
    ],
    [
      'a version in words',
      `${HEAD}environments:\n  prod: { version: latest }\n`,
      [{ code: 'invalid-value', at: '4:20', path: '/environments/prod/version' }],
    ],
    [
      'a security mode that does not exist',
      `${HEAD}environments:\n  prod: { security: SASL }\n`,
      [{ code: 'invalid-value', at: '4:21', path: '/environments/prod/security' }],
    ],
    [
      'files that are no list',
      `${HEAD}environments:\n  prod: { files: base }\n`,
      [{ code: 'invalid-value', at: '4:18', path: '/environments/prod/files' }],
    ],
    [
      'a variable that is a list',
      `${HEAD}environments:\n  prod: { variables: { a: [1] } }\n`,
      [{ code: 'invalid-value', at: '4:27', path: '/environments/prod/variables/a' }],
    ],
    [
      'environments in a list',
      `${HEAD}environments: [prod]\n`,
      [{ code: 'invalid-value', at: '3:15', path: '/environments' }],
    ],
    ['a text', 'hello\n', [{ code: 'invalid-value', at: '1:1', path: '' }]],
    ['a list', '- a\n', [{ code: 'invalid-value', at: '1:1', path: '' }]],
    ['broken YAML', `${HEAD}environments: {\n`, [{ code: 'invalid-yaml', at: '3:15' }]],
    ['a key that is there twice', `${HEAD}lint: {}\nlint: {}\n`, [{ code: 'invalid-yaml', at: '4:1' }]],
    ['a second document', `${HEAD}---\n${HEAD}`, [{ code: 'invalid-value', at: '4:1' }]],
  ])('is told with its place: %s', (_, text, expected) => {
    const { value, problems } = parse(text);
    expect(problems.map((problem) => seen(problem))).toEqual(expected);
    expect(value).toBeUndefined();
  });

  it('is told together with the others', () => {
    expect(
      problemsIn(`${HEAD}a: 1\nb: 2\nenvironments:\n  prod: { c: 3, version: 4 }\n`).map(({ at }) => at),
    ).toEqual(['3:1', '4:1', '6:11', '6:26']);
  });

  it('has a cure', () => {
    expect(sentencesIn(`${HEAD}enviroments: {}\n`)).toEqual([
      'the project file has no field enviroments; did you mean environments?',
    ]);
    expect(sentencesIn(`${HEAD}environments: { prod: { version: 3.10 } }\n`)).toEqual([
      '/environments/prod/version of the project file: expected text; found 3.1; put quotes around it',
    ]);
    expect(sentencesIn(`${HEAD}environments: { prod: { protect: VirtualCluster } }\n`)[0]).toContain(
      'write it as a list: [{ kind: … }]',
    );
    expect(sentencesIn(`${HEAD}environments: { prod: { gateway: { url: } } }\n`)[0]).toContain(
      'expected text; found null',
    );
  });

  it.each([
    '{ kind: AliasTopic, pluginClass: "*.EncryptPlugin" }',
    '{ kind: Interceptor, address: "Alias*/*" }',
  ])('is a rule of protect whose keys no object can match together: %s', (rule) => {
    const [problem] = problemsIn(`${HEAD}environments:\n  prod:\n    protect:\n      - ${rule}\n`);
    expect(problem).toEqual({ code: 'invalid-value', at: '6:9', path: '/environments/prod/protect/0' });
  });

  it('has a cure for a class of protect that is misspelt, and nothing is said of one of your own', () => {
    const told = (pluginClass: string): readonly string[] =>
      sentencesIn(`${HEAD}environments: { prod: { protect: [{ pluginClass: "${pluginClass}" }] } }\n`);
    expect(told('*.EncryptPlugn')).toEqual([
      'no plugin class that gwconf knows matches "*.EncryptPlugn"; did you mean *.EncryptPlugin?',
    ]);
    expect(told('maskingplugin')).toEqual([]);
    for (const one of ['com.example.EncryptPlugn', 'EncryptPlugin', '*Encrypt*', 'io.conduktor.*'])
      expect(told(one)).toEqual([]);
  });

  it('never repeats what the connection says, which may be a secret', () => {
    const { problems } = parse(
      `${HEAD}environments: { prod: { gateway: { password: [hunter2], user: 12345 } } }\n`,
    );
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems.map(({ message, hint }) => [message, hint]))).not.toMatch(/hunter2|12345/);
  });
});

describe('what an environment manages', () => {
  const managed = (item: string): readonly string[] | undefined => prodIn(`{ manages: [${item}] }`)?.manages;

  it('is a glob over addresses', () => {
    expect(managed('"AliasTopic/*", "*@vCluster=a*"')).toEqual(['AliasTopic/*', '*@vCluster=a*']);
  });

  it('is a kind, a virtual cluster and a name, each of which may be left out', () => {
    expect(managed('{ kind: AliasTopic, virtualCluster: a, name: "orders*" }')).toEqual([
      'AliasTopic/orders*@vCluster=a',
      'AliasTopic/orders*@vCluster=a,*',
    ]);
    expect(managed('{ virtualCluster: a }')).toEqual(['*/*@vCluster=a', '*/*@vCluster=a,*']);
    expect(managed('{ kind: GatewayGroup }')).toEqual(['GatewayGroup/*']);
    expect(managed('{ name: x }')).toEqual(['*/x', '*/x@*']);
  });
});

describe('variables in a project file', () => {
  const text = `
    apiVersion: gwconf/v1
    kind: Project
    environments:
      prod:
        gateway: { url: "\${URL}", user: "\${USER}-ci", password: "\${PASSWORD}" }
        variables:
          token: Bearer \${TOKEN}
          count: \${COUNT}
          half: 0.5
      dev:
        gateway: { ca: "\${FOLDER}/ca.pem", password: "\${var.token}", key: "\${file:key}" }
  `;
  const env = { URL: 'https://gw', USER: 'me', PASSWORD: '007', FOLDER: '/etc' };
  const told = (name: string, isPublic?: () => boolean): readonly string[] =>
    gatewayIn(text, name, env, isPublic).problems.map(({ code, path }) => `${code} ${path ?? ''}`);

  it('fill in the connection, as text', () => {
    expect(gatewayIn(text, 'prod', env, () => true)).toMatchObject({
      value: { url: 'https://gw', user: 'me-ci', password: '007' },
      problems: [],
    });
  });

  it('are missed in the chosen environment only', () => {
    expect(problemsIn(text)).toEqual([]);
    const { value, problems } = gatewayIn(text, 'prod', {}, () => true);
    expect(value).toEqual({});
    expect(problems.map((problem) => seen(problem))).toEqual([
      { code: 'missing-variable', at: '5:21', path: '/environments/prod/gateway/url' },
      { code: 'missing-variable', at: '5:37', path: '/environments/prod/gateway/user' },
      { code: 'missing-variable', at: '5:61', path: '/environments/prod/gateway/password' },
    ]);
    for (const { hint } of problems) expect(hint).not.toContain('placeholder of the gateway');
  });

  it('are public in settings that are shown', () => {
    expect(told('prod')).toEqual(['exposed-secret /environments/prod/gateway/url']);
    expect(gatewayIn(text, 'prod', env).value).toEqual({ user: 'me-ci', password: '007' });
    expect(told('dev')).toContain('exposed-secret /environments/dev/gateway/ca');
  });

  it('are environment variables only', () => {
    expect(told('dev', () => true)).toEqual([
      'missing-variable /environments/dev/gateway/password',
      'unresolved-source /environments/dev/gateway/key',
      'exposed-secret /environments/dev/gateway/key',
    ]);
  });

  it('stay templates in variables of the environment', () => {
    expect(projectIn(text).environments.get('prod')?.variables).toMatchObject({
      token: { text: 'Bearer ${TOKEN}', plain: false },
      count: { text: '${COUNT}', plain: true },
      half: 0.5,
    });
  });

  it.each([
    ['apiVersion: ${A}\nkind: Project\n', '1:13'],
    [`${HEAD}"\${A}": 1\n`, '3:1'],
    [`${HEAD}environments:\n  \${A}: {}\n`, '4:3'],
    [`${HEAD}environments:\n  prod: { version: "\${A}" }\n`, '4:20'],
    [`${HEAD}environments:\n  prod: { files: ["x/\${A}"] }\n`, '4:19'],
    [`${HEAD}environments:\n  prod: { pin: { host: "\${A:-x}" } }\n`, '4:24'],
    [`${HEAD}environments:\n  prod: { publicVariables: ["\${A}"] }\n`, '4:29'],
    [`${HEAD}environments:\n  prod: { protect: [{ kind: a, reason: "\${A}" }] }\n`, '4:40'],
    [`${HEAD}environments:\n  prod: { exec: { a: { command: [sh, "\${A}"] } } }\n`, '4:38'],
    [`${HEAD}environments:\n  prod: { variables: { "\${A}": 1 } }\n`, '4:24'],
    [`${HEAD}lint: { priority-tie: "\${A}" }\n`, '3:23'],
  ])('cannot be anywhere else: %j', (written, at) => {
    const found = problemsIn(written).filter(({ code }) => code === 'bad-placeholder');
    expect(found).toMatchObject([{ code: 'bad-placeholder', at }]);
  });

  it('can be written as text', () => {
    const { exec } = prodIn('{ exec: { a: { command: [sh, "-c", "echo $${HOME}"] } } }') ?? {};
    expect(exec?.['a']?.command).toEqual(['sh', '-c', 'echo ${HOME}']);
  });
});

it.each([
  ['a literal', '"https://gw:8888"', 'password: hunter2', true],
  ['a variable', '"https://gw:8888"', 'password: "${GW_PASSWORD}"', false],
  ['that of the embedded gateway', '"embedded:practice.json"', 'password: hunter2', false],
])('a password in clear text is told and not shown: %s', (_, url, password, isTold) => {
  const text = `${HEAD}environments: { prod: { files: [a], gateway: { url: ${url}, user: ci, ${password} } } }\n`;
  const told = parse(text).problems;
  expect(told.map(({ code, confidential }) => [code, confidential])).toEqual(
    isTold ? [['literal-secret', true]] : [],
  );
  expect(sentencesIn(text).join('')).not.toContain('hunter2');
});

describe('lint', () => {
  it('raises, lowers and turns off what may be lowered', () => {
    const lint = {
      'priority-tie': 'error',
      'omitted-scope': 'off',
      'unknown-field': 'warning',
      'literal-secret': 'info',
    };
    const text = `${HEAD}lint: ${JSON.stringify(lint)}\n`;
    expect(problemsIn(text)).toEqual([]);
    expect(projectIn(text).lint).toEqual(lint);
  });

  it('names no code that does not exist', () => {
    expect(
      problemsIn(`${HEAD}lint:\n  priority-ties: error\n  constructor: off\n  __proto__: off\n`),
    ).toEqual([
      { code: 'unknown-field', at: '4:3', path: '/lint/priority-ties' },
      { code: 'unknown-field', at: '5:3', path: '/lint/constructor' },
      { code: 'unknown-field', at: '6:3', path: '/lint/__proto__' },
    ]);
    expect(sentencesIn(`${HEAD}lint: { priority-ties: error }\n`)).toEqual([
      'unknown problem code priority-ties; did you mean priority-tie?',
    ]);
  });

  it('gives no severity that does not exist', () => {
    expect(problemsIn(`${HEAD}lint: { priority-tie: fatal }\n`)).toEqual([
      { code: 'invalid-value', at: '3:23', path: '/lint/priority-tie' },
    ]);
  });

  const codes = Object.entries(PROBLEM_CODES);
  const fixed = codes.filter(
    ([code, { severity }]) => !isLowerable(code as keyof typeof PROBLEM_CODES, severity),
  );

  it.each(fixed.map(([code]) => code))('does not lower %s, and says so at the severity', (code) => {
    const [told, ...more] = problemsIn(`${HEAD}lint:\n  ${code}: info\n`);
    expect(told).toEqual({ code: 'invalid-value', at: `4:${code.length + 5}`, path: `/lint/${code}` });
    expect(more).toEqual([]);
    expect(problemsIn(`${HEAD}lint: { ${code}: "off" }\n`)).toHaveLength(1);
    expect(problemsIn(`${HEAD}lint: { ${code}: error }\n`)).toEqual([]);
  });

  it('is silent about every other code, whatever it gives it', () => {
    const free = codes.filter((entry) => !fixed.includes(entry)).map(([code]) => code);
    expect(free.length).toBeGreaterThan(20);
    for (const severity of ['error', 'warning', 'info', 'off']) {
      const lint = Object.fromEntries(free.map((code) => [code, severity]));
      expect(problemsIn(`${HEAD}lint: ${JSON.stringify(lint)}\n`)).toEqual([]);
    }
  });
});

describe('the severity of a problem', () => {
  const problem = (code: keyof typeof PROBLEM_CODES, severity: 'error' | 'warning' | 'info') =>
    ({ code, severity, message: 'm' }) as const;

  it('is the one that the project gives its code', () => {
    expect(applyLint([problem('priority-tie', 'warning')], { 'priority-tie': 'error' })).toEqual([
      problem('priority-tie', 'error'),
    ]);
    expect(applyLint([problem('omitted-scope', 'info')], { 'omitted-scope': 'warning' })).toEqual([
      problem('omitted-scope', 'warning'),
    ]);
    expect(applyLint([problem('priority-tie', 'warning')], { 'priority-tie': 'off' })).toEqual([]);
  });

  it('falls from error only where that can be meant', () => {
    expect(applyLint([problem('unknown-field', 'error')], { 'unknown-field': 'warning' })).toEqual([
      problem('unknown-field', 'warning'),
    ]);
    expect(applyLint([problem('unknown-field', 'error')], { 'unknown-field': 'off' })).toEqual([]);
    expect(applyLint([problem('missing-field', 'error')], { 'missing-field': 'off' })).toEqual([
      problem('missing-field', 'error'),
    ]);
    expect(applyLint([problem('unjudged-order', 'warning')], { 'unjudged-order': 'off' })).toEqual([
      problem('unjudged-order', 'warning'),
    ]);
    expect(applyLint([problem('dangling-reference', 'error')], { 'dangling-reference': 'off' })).toEqual([
      problem('dangling-reference', 'error'),
    ]);
  });

  it('stays what it is for every other code', () => {
    const found = [problem('priority-tie', 'warning'), problem('invalid-yaml', 'error')];
    expect(applyLint(found, { 'omitted-scope': 'off' })).toEqual(found);
  });
});
