import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/v1/read/request.ts';
import { readCalls, type ReadFiles } from '../../../src/v1/read/read-calls.ts';

const show = (text: string): string => text.replaceAll('\uE000', '<').replaceAll('\uE001', '>');
const isCall = (call: ReadFiles['calls'][number]): call is Call => 'gateway' in call;

function read(files: Readonly<Record<string, string>>, ...named: readonly string[]): ReadFiles {
  const paths = named.length === 0 ? Object.keys(files) : named;
  return readCalls(
    paths.map((path) => ({ path, text: files[path] ?? '' })),
    { read: (path) => files[path] },
  );
}

/** Each call as `line METHOD gateway path body`. */
function linesOf({ calls, problems }: ReadFiles): readonly string[] {
  expect(problems).toEqual([]);
  return calls.map((call) =>
    show(
      isCall(call)
        ? `${call.line} ${call.method} ${call.gateway} ${call.path}${call.body === undefined ? '' : ` ${JSON.stringify(call.body)}`}`
        : `${call.line} ${call.method ?? ''} ${call.path ?? ''}: ${call.why}`,
    ),
  );
}

const COLLECTION = JSON.stringify(
  {
    info: { name: 'x', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    variable: [
      { key: 'base', value: 'http://{{host}}:8888' },
      { key: 'vc', value: 'own' },
    ],
    auth: { type: 'basic', basic: [{ key: 'password', value: 's3cret' }] },
    item: [
      {
        name: 'folder',
        item: [
          {
            request: {
              method: 'POST',
              header: [{ key: 'Authorization', value: 's3cret' }],
              url: {
                raw: '{{base}}/admin/vclusters/v1/vcluster/{{vc}}/username/:user',
                variable: [{ key: 'user', value: 'a' }],
              },
              body: { mode: 'raw', raw: '{"lifeTimeSeconds": {{ttl}} }' },
            },
          },
        ],
      },
      { request: { method: 'GET', url: 'https://{{api-host}}/admin/plugins/v1' } },
      {
        request: {
          method: 'POST',
          url: '{{base}}/admin/userMappings/v1',
          body: { mode: 'urlencoded', urlencoded: [] },
        },
      },
      { request: 'https://example.com/x' },
    ],
  },
  null,
  2,
);
const ENVIRONMENT = JSON.stringify({
  name: 'dev',
  _postman_variable_scope: 'environment',
  values: [
    { key: 'host', value: 'gw', enabled: true },
    { key: 'vc', value: 'dev', enabled: true },
    { key: 'ttl', value: 's3cret', type: 'secret', enabled: true },
  ],
});

describe('a Postman collection', () => {
  it('is read with its folders, variables and environment', () => {
    const found = read({ 'c.json': COLLECTION, 'dev.json': ENVIRONMENT });
    expect(linesOf(found)).toEqual([
      '30 POST http://gw:8888 /admin/vclusters/v1/vcluster/dev/username/a {"lifeTimeSeconds":"<ttl>"}',
      '56 GET https://<api_host> /admin/plugins/v1',
      '62 POST /admin/userMappings/v1: its body is not JSON',
    ]);
    expect(found.others).toBe(1);
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });
});

describe('a client whose variables change', () => {
  it.each([
    [
      'a script of Postman',
      'c.json',
      JSON.stringify({
        info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
        variable: [{ key: 'vc', value: 'x' }],
        event: [{ script: { exec: ['pm.collectionVariables.set("vc", "y")'] } }],
        item: [{ request: { method: 'DELETE', url: 'gw/admin/username/{{vc}}' } }],
      }),
    ],
    ['a variable that is set again', 'a.http', '@vc = x\n@vc = y\nDELETE gw/admin/username/{{vc}}'],
    [
      'a script of an HTTP file',
      'a.http',
      '@vc = x\n< {%\nclient.global.set(name, "y")\n%}\nDELETE gw/admin/username/{{vc}}',
    ],
  ])('has the value of none: %s', (_, path, text) => {
    expect(linesOf(read({ [path]: text }))).toEqual([
      expect.stringContaining('DELETE http://gw /admin/username/<vc>'),
    ]);
  });
});

describe('several Postman environments', () => {
  it('fill in what they agree on', () => {
    const other = ENVIRONMENT.replace('"gw"', '"other"');
    const found = read({ 'c.json': COLLECTION, 'dev.json': ENVIRONMENT, 'prod.json': other });
    expect(linesOf(found)[0]).toBe(
      '30 POST http://<host>:8888 /admin/vclusters/v1/vcluster/dev/username/a {"lifeTimeSeconds":"<ttl>"}',
    );
  });
});

describe('an HTTP file', () => {
  it('loses no request that is written in another way', () => {
    const text = `@host = http://gw
###
delete {{host}}/admin/username/a
###
GET {{ host }}/admin/plugins/v1
###
< {%
  request.variables.set("x", "1")
%}
DELETE {{host}}/admin/username/b
###
curl -X DELETE {{host}}/admin/username/c
###
CALL {{host}}/admin/username/d now
`;
    expect(linesOf(read({ 'a.http': text }))).toEqual([
      '3 DELETE http://gw /admin/username/a',
      '5 GET http://gw /admin/plugins/v1',
      '10 DELETE http://gw /admin/username/b',
      '12 DELETE http://gw /admin/username/c',
      '14  /admin/username/d: its request line is not read',
    ]);
  });
  it('is read with its variables, files and lines', () => {
    const text = `@host = gw:8888
# a comment
### make
POST http://{{host}}/admin/userMappings/v1 HTTP/1.1
Authorization: Basic s3cret
Content-Type: application/json

{ "username": "{{$processEnv USER_NAME}}" }

> {% client.log("x") %}
###
GET /admin/interceptors/v1/all
  ?pluginClass=x
Host: gw:8888

### file
PUT http://{{host}}/admin/interceptors/v1/interceptor/a

< ./a.json
### missing
PUT http://{{host}}/admin/interceptors/v1/interceptor/b

< ./b.json
###
GET https://example.com
`;
    const found = read({ 'dir/calls.http': text, 'dir/a.json': '{"priority": 1}' }, 'dir/calls.http');
    expect(linesOf(found)).toEqual([
      '4 POST http://gw:8888 /admin/userMappings/v1 {"username":"<USER_NAME>"}',
      '12 GET http://gw:8888 /admin/interceptors/v1/all',
      '17 PUT http://gw:8888 /admin/interceptors/v1/interceptor/a {"priority":1}',
      '21 PUT /admin/interceptors/v1/interceptor/b: its body is in a file that is not among the files',
    ]);
    expect(found.calls[1]).toMatchObject({ query: { pluginClass: 'x' } });
    expect(found.others).toBe(1);
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });
});

describe('a GitHub workflow', () => {
  it('is read with its variables, matrix and lines', () => {
    const text = `env:
  GW: http://gw:8888
jobs:
  a:
    strategy:
      matrix: { vc: [x, y], exclude: [{ vc: y }], include: [{ vc: z }] }
    env: { NAME: "\${{ vars.USER_NAME }}" }
    steps:
      - uses: actions/checkout@v4
      - name: two
        run: |
          set -e
          curl -u "\${{ secrets.AUTH }}" -X POST "$GW/admin/username/$NAME" \\
            -d '{"lifeTimeSeconds": 1}'
          curl -X DELETE $GW/admin/vclusters/v1/vcluster/\${{ matrix.vc }}/topics
      - run: curl -d @body.json $GW/admin/userMappings/v1
`;
    const found = read(
      { '.github/workflows/a.yml': text, 'body.json': '{"username":"a"}' },
      '.github/workflows/a.yml',
    );
    const each = (vc: string): readonly string[] => [
      '13 POST http://gw:8888 /admin/username/<USER_NAME> {"lifeTimeSeconds":1}',
      `15 DELETE http://gw:8888 /admin/vclusters/v1/vcluster/${vc}/topics`,
      '16 POST http://gw:8888 /admin/userMappings/v1 {"username":"a"}',
    ];
    expect(linesOf(found)).toEqual([...each('x'), ...each('z')]);
  });
});

it.each([
  '- { shell: "$C", args: { chdir: a } }',
  'a: { image: curl, working_dir: a, command: "$C" }',
  'steps: [{ script: "$C", workingDirectory: a }]',
])('a command is read in the folder that it has: %s', (text) => {
  const files = {
    'x.yml': text.replace('$C', 'curl -d @b.json gw/admin/username/u'),
    'b.json': '0',
    'a/b.json': '1',
  };
  expect(linesOf(read(files, 'x.yml'))).toEqual(['1 POST http://gw /admin/username/u 1']);
});

it('a job of GitLab runs what comes before all jobs', () => {
  const text =
    'variables: { U: a }\ndefault: { before_script: [U=b] }\nj: { script: [curl -X DELETE gw/admin/username/$U] }\nk: { before_script: [], script: [curl -X DELETE gw/admin/username/$U] }\n';
  expect(linesOf(read({ '.gitlab-ci.yml': text }))).toEqual([
    '3 DELETE http://gw /admin/username/b',
    '4 DELETE http://gw /admin/username/a',
  ]);
});

describe('a variable of a YAML file', () => {
  const CALL = 'curl -X DELETE gw/admin/username/$U';
  it.each([
    [
      'is open in a job that another one extends',
      `b: { variables: { U: a }, script: [${CALL}] }\nj: { variables: { U: c }, extends: [b] }`,
    ],
    [
      'is open in a job without a name of its own',
      `.b: { variables: { U: a }, script: [${CALL}] }\nj: { variables: { U: c } }`,
    ],
    [
      'is open in a service that another one extends',
      `services: { b: { environment: { U: a }, command: "${CALL.replace('$', '$$$$')}" }, c: { environment: { U: c }, extends: { service: b } } }`,
    ],
    [
      'is open where a matrix sets it',
      `j: { variables: { U: a }, parallel: { matrix: [{ U: [b] }] }, script: [${CALL}] }`,
    ],
    [
      'is open where a matrix of names sets it',
      `variables: { U: a }\nsteps: [{ script: "${CALL}" }]\nstrategy: { matrix: { x: { U: b } } }`,
    ],
    [
      'is open where a rule sets it',
      `j: { variables: { U: a }, rules: [{ if: x, variables: { U: b } }], script: [${CALL}] }`,
    ],
    [
      'is open where a command sets it for later ones',
      `variables: { U: a }\nsteps: [{ script: 'echo "##vso[task.setvariable variable=U]b"' }, { script: "${CALL}" }]`,
    ],
    [
      'is open where a service gets it from outside',
      `services: { a: { environment: [U], command: "${CALL.replace('$', '$$$$')}" } }`,
    ],
  ])('%s', (_, text) => {
    expect(linesOf(read({ 'ci.yml': text })).map((line) => line.slice(2))).toEqual([
      'DELETE http://gw /admin/username/<U>',
    ]);
  });

  it('is that of the job in lists that the job refers to', () => {
    const text = `.b: &b\n  - ${CALL}\n.c: { script: [${CALL}] }\nj:\n  variables: { U: a }\n  script:\n    - *b\n    - !reference [.c, script]\n    - curl -X PUT gw\n`;
    expect(linesOf(read({ '.gitlab-ci.yml': text })).filter((line) => line.endsWith('/a'))).toEqual([
      '2 DELETE http://gw /admin/username/a',
      '3 DELETE http://gw /admin/username/a',
    ]);
  });

  it.each(['script', 'commands', 'command'])('is what a command before it in the list %s sets', (key) => {
    const text = `env: { U: a }\nsteps: [{ ${key}: [export U=b, ${CALL}] }]`;
    expect(linesOf(read({ 'ci.yml': text }))).toEqual(['2 DELETE http://gw /admin/username/b']);
  });

  it('makes no endless list of lists that refer to each other', () => {
    const text = `.b: { script: [!reference [.b, script], !reference [.b, script], ${CALL}] }`;
    expect(linesOf(read({ '.gitlab-ci.yml': text })).length).toBeGreaterThan(0);
  });
});

it('a command that YAML reads as a map is told', () => {
  const text =
    'j:\n  script:\n    - curl -X DELETE gw/admin/username/a\n    - curl -H a: b gw/admin/username/c\n';
  expect(linesOf(read({ '.gitlab-ci.yml': text }))).toEqual([
    '3 DELETE http://gw /admin/username/a',
    '4  /admin/username/c: it uses v1, and no call was read there',
  ]);
});

describe('a step of a GitHub workflow', () => {
  const USE = 'curl -d @b.json $GW/admin/username/$VC';
  const workflow = (steps: string): string =>
    `env: { GW: gw, VC: x }\ndefaults: { run: { working-directory: a } }\njobs: { j: { steps: [${steps}] } }`;
  it.each([
    ['has the variables of the workflow', `{ run: '${USE}' }`, ['x 1']],
    ['runs in a folder', `{ run: '${USE}', working-directory: a/b }`, ['x 2']],
    ['has what one before it sets', `{ run: 'echo "VC=y" >> $GITHUB_ENV' }, { run: '${USE}' }`, ['<VC> 1']],
    ['may have what a file sets', `{ run: 'cat f >> $GITHUB_ENV' }, { run: 'GW=gw; ${USE}' }`, ['<VC> 1']],
    ['has its own', `{ run: 'echo VC=y >> $GITHUB_ENV' }, { env: { VC: z }, run: '${USE}' }`, ['z 1']],
  ])('%s', (_, steps, expected) => {
    const files = { 'w.yml': workflow(steps), 'b.json': '0', 'a/b.json': '1', 'a/b/b.json': '2' };
    const found = linesOf(read(files, 'w.yml')).map((line) => line.slice(line.lastIndexOf('/') + 1));
    expect(found).toEqual(expected);
  });
});

describe('other files with commands', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'Makefile',
      "GW ?= gw:8888\nTTL := 5\nusers: deps\n\t@for u in a b; do \\\n\t  curl -X POST $(GW)/admin/username/$$u -d '{\"lifeTimeSeconds\": '$(TTL)'}'; done\n\t-curl $${X}/y\n",
      [
        '5 POST http://gw:8888 /admin/username/a {"lifeTimeSeconds":5}',
        '5 POST http://gw:8888 /admin/username/b {"lifeTimeSeconds":5}',
      ],
    ],
    [
      'variables.mk',
      'URL = $(GW)/admin\nGW = gw # a comment\nU = a \\\n  b\nU += c\nV = x\nall: V = y\nifeq ($(ENV),prod)\nN = p\nelse\nN = q\nendif\nall:\n\tfor u in $(U); do curl $(URL)/username/$$u \\\n -X DELETE; done\n\tcurl -X DELETE $(URL)/username/$(N)\n\tcurl -X DELETE $(URL)/username/$(V)\n',
      [
        '14 DELETE http://gw /admin/username/a',
        '14 DELETE http://gw /admin/username/b',
        '14 DELETE http://gw /admin/username/c',
        '16 DELETE http://gw /admin/username/<N>',
        '17 DELETE http://gw /admin/username/<V>',
      ],
    ],
    [
      'own.mk',
      'U = a\nW := $(U)\nV = x\nall:\n\t@ U=b; curl -X DELETE gw/admin/username/$$U # c\n\tcurl gw/admin/username/$(W) \\\n\t-X DELETE\n\tcurl gw/admin/username/$(V) -X DELETE\nV = y\n',
      [
        '5 DELETE http://gw /admin/username/b',
        '6 DELETE http://gw /admin/username/a',
        '8 DELETE http://gw /admin/username/<V>',
      ],
    ],
    [
      'Makefile',
      '.ONESHELL:\nall:\n\tU=b\n\tcurl -X DELETE gw/admin/username/$$U\n',
      ['4 DELETE http://gw /admin/username/b'],
    ],
    [
      'job.yaml',
      'a: { image: curlimages/curl, args: [-X, DELETE, "http://gw/admin/username/a"] }\nb: { command: [curl, -X, DELETE, "http://gw/admin/username/$(NAME)"] }\nc: { uri: { url: "http://gw/admin/username/a", method: DELETE } }\n',
      [
        '1 DELETE http://gw /admin/username/a',
        '2 DELETE /admin/username/…: its path has the output of NAME',
        '3  /admin/username/a: it is made by a module, which gwconf does not read',
      ],
    ],
    [
      '.gitlab-ci.yaml',
      'variables: { GW: gw, U: a, V: x }\n.base: { script: [curl -X DELETE $GW/admin/username/$V] }\nb:\n  variables: { V: c }\n  before_script: [T=$GW/admin/username]\n  script:\n    - W=d\n    - curl -X DELETE $T/$U\n    - curl -X DELETE $T/$V\n    - curl -X DELETE $T/$W\n',
      [
        '2 DELETE http://gw /admin/username/<V>',
        '8 DELETE http://gw /admin/username/a',
        '9 DELETE http://gw /admin/username/c',
        '10 DELETE http://gw /admin/username/d',
      ],
    ],
    [
      'compose.yml',
      'services: { a: { environment: [U=a], command: sh -c "curl -X DELETE gw/admin/username/$$U" } }\n',
      ['1 DELETE http://gw /admin/username/a'],
    ],
    [
      'pod.yml',
      "{ image: x, env: [{ name: U, value: a }], args: ['curl -X DELETE gw/admin/username/$(U)'] }\n",
      ['1 DELETE http://gw /admin/username/a'],
    ],
    [
      'config.yml',
      'jobs: { a: { steps: [{ run: { command: "curl -X DELETE gw/admin/username/<< parameters.u >>" } }] } }\n',
      ['1 DELETE http://gw /admin/username/<parameters_u>'],
    ],
    [
      'own.dockerfile',
      'FROM alpine\nRUN U=b && curl -X DELETE gw/admin/username/$U # c\nRUN curl \\\n -X DELETE gw/admin/username/$U\nCMD curl gw/admin/plugins/v1\n',
      [
        '2 DELETE http://gw /admin/username/b',
        '3 DELETE http://gw /admin/username/<U>',
        '5 GET http://gw /admin/plugins/v1',
      ],
    ],
    [
      'Dockerfile',
      'FROM alpine\nRUN apk add curl && \\\n  curl -X DELETE gw:8888/admin/username/a\nHEALTHCHECK --interval=5s CMD curl -f http://localhost:8888/health\nCMD ["curl", "gw:8888/admin/plugins/v1"]\n',
      [
        '3 DELETE http://gw:8888 /admin/username/a',
        '4 GET http://localhost:8888 /health',
        '5 GET http://gw:8888 /admin/plugins/v1',
      ],
    ],
    [
      '.gitlab-ci.yml',
      'job:\n  script:\n    - echo a\n    - curl -X DELETE gw:8888/admin/username/a\n    - |\n      x=b\n      curl -X DELETE gw:8888/admin/username/$x\n',
      ['4 DELETE http://gw:8888 /admin/username/a', '7 DELETE http://gw:8888 /admin/username/b'],
    ],
    [
      'docker-compose.yaml',
      'services:\n  setup:\n    command: sh -c "curl -X DELETE http://gw:8888/admin/username/a"\n',
      ['3 DELETE http://gw:8888 /admin/username/a'],
    ],
    [
      'compose.yaml',
      'services:\n  setup:\n    entrypoint: sh -c\n    command: |\n      "curl -X DELETE http://gw:8888/admin/username/a"\n',
      ['5  /admin/username/a: it uses v1, and no call was read there'],
    ],
    [
      'session.har',
      JSON.stringify({
        log: {
          entries: [
            {
              request: {
                method: 'PUT',
                url: 'http://gw:8888/admin/interceptors/v1/interceptor/a',
                postData: { text: '{"priority":1}' },
              },
              response: { status: 200 },
            },
            {
              request: { method: 'POST', url: 'http://gw:8888/admin/interceptors/v1/interceptor/a' },
              response: { status: 409 },
            },
          ],
        },
      }),
      [
        '1 PUT http://gw:8888 /admin/interceptors/v1/interceptor/a {"priority":1}',
        '1 POST /admin/interceptors/v1/interceptor/a: the gateway refused it with 409',
      ],
    ],
    [
      'setup',
      '#!/usr/bin/env bash\ncurl -X DELETE gw:8888/admin/username/a\n',
      ['2 DELETE http://gw:8888 /admin/username/a'],
    ],
  ])('are read: %s', (path, text, expected) => {
    expect(linesOf(read({ [path]: text }))).toEqual(expected);
  });

  it('are skipped if nothing reads them, and are a problem if they are broken', () => {
    const found = read({
      'a.py': 'requests.post("/admin/plugins/v1")',
      'data.json': '[1]',
      'a.yaml': 'password: s3cret\n  x: [',
      'b.sh': 'curl gw/admin/plugins/v1 \uE000A\uE001',
      'c.json': String.raw`{"calls": [{"method": "GET", "path": "\uE000"}]}`,
    });
    expect(found.skipped).toEqual(['a.py', 'data.json']);
    expect(found.calls).toMatchObject([
      { file: 'a.py', path: '/admin/plugins/v1' },
      { file: 'b.sh', path: '/admin/plugins/v1' },
    ]);
    expect(found.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'unreadable-file a.yaml is not valid YAML or JSON',
      'unreadable-file b.sh has characters from U+E000 to U+E004, which gwconf reserves',
      'unreadable-file c.json has characters from U+E000 to U+E004, which gwconf reserves',
    ]);
    expect(found.problems.every(({ confidential }) => confidential)).toBe(true);
  });
});
