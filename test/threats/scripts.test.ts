import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesWithin } from '../../src/host/folders.ts';
import { readCalls } from '../../src/v1/read/read-calls.ts';
import { makeWorld, type World } from '../support/cli.ts';
import { orAll } from '../support/soak.ts';

const ENDS = 'it is never made: line 1 ends the script, function or loop before it';
const CERTAIN = 'it is never made: the condition before it is certain';

describe('threat: author: a hostile script', () => {
  const long = orAll(20_000, 400_000);
  const deep = orAll(6_000, 20_000);
  it.each<[string, string]>([
    ['a loop without an end', 'i=0; while true; do i=$((i+1)); done'],
    ['loops in loops', `${'for a in {1..9999}; do '.repeat(9)}echo; ${'done; '.repeat(9)}`],
    [
      'a long sequence',
      'for i in {1..1000000000}; do curl x; done; for i in $(seq 1000000000); do curl x; done',
    ],
    ['a loop of 10^9', 'for ((i=0; i<1000000000; i++)); do curl localhost:8888/admin/username/$i; done'],
    ['recursion', 'f() { f "$1$1"; f; }; f a'],
    ['a script that runs itself', './calls.sh; . ./calls.sh; bash calls.sh'],
    ['text that doubles', `x=aaaaaaaaaa; ${'x=$x$x; '.repeat(60)}`],
    ['braces', `echo ${'{a,b}'.repeat(60)}`],
    ['nested substitutions', `echo ${'$('.repeat(deep)}`],
    ['nested calculations', `echo ${'$((1+'.repeat(deep)}`],
    ['nested defaults', `echo ${'"${a:-'.repeat(deep)}`],
    ['nested ifs', 'if a; then '.repeat(deep)],
    ['nested eval', `eval ${'eval '.repeat(deep)}`],
    ['a long line', `curl ${'a'.repeat(long * 25)}`],
    ['many words', `echo ${'a '.repeat(long / 2)}`],
    ['many commands', 'a;'.repeat(long)],
    [
      'a long text, read line by line',
      `for i in {1..3}; do while read -r line; do :; done; done <<E\n${'a b\n'.repeat(long / 2)}E\n`,
    ],
    ['many here-documents', 'cat <<A\n'.repeat(long / 8)],
    [
      'many variables, copied',
      `${Array.from({ length: deep / 4 }, (_, at) => `a${at}=1;`).join('')}${'(b);'.repeat(deep / 4)}`,
    ],
    ['a pattern', `x=${'a'.repeat(1_999)}; y=\${x##*a*a*a*a*b}; z=\${x%%b*a*a*}`],
  ])('ends in a moment: %s', (_, text) => {
    const steps = { read: 0 };
    const { calls } = readCalls([{ path: 'dir/calls.sh', text }], {
      read: (path) => {
        steps.read += 1;
        return path === 'dir/calls.sh' ? text : undefined;
      },
    });
    expect(calls.length).toBeLessThanOrEqual(1_100);
    expect(steps.read).toBeLessThan(2_000);
  });

  it.each([
    ['GitLab', 'variables', 'j: { script: [CALL] }'],
    ['GitHub', 'env', 'on: push\njobs: { j: { steps: [{ run: CALL }] } }'],
  ])('ends in a moment where each of many scripts of %s could have many variables', (_, key, script) => {
    const knows = (more: number): boolean => {
      const variables = Array.from({ length: more }, (__, at) => `V${at}: ${at}`).join(', ');
      const call = script.replace('CALL', '"curl $GW/admin/plugins/v1"');
      const text = `${key}: { ${variables}, GW: gw }\n${call}\n`;
      const [found] = readCalls([{ path: 'a.yml', text }], { read: () => undefined }).calls;
      return found !== undefined && 'gateway' in found && found.gateway === 'http://gw';
    };
    expect([knows(199), knows(200)]).toEqual([true, false]);
  });

  it.each([
    '[ -n "$PROD" ] && CALL',
    'if [[ $PROD ]]; then CALL; fi',
    'if [ -z "$PROD" ]; then echo; else CALL; fi',
    '[ -z "$PROD" ] && exit 0\nCALL',
    'if [ -z "$PROD" ]; then echo usage; exit 1; fi\nCALL',
  ])('hides no call behind a variable that is not set: %s', (script) => {
    const text = script.replace('CALL', 'curl -X DELETE http://gw:8888/admin/username/a');
    expect(readCalls([{ path: 'calls.sh', text }], { read: () => undefined }).calls).toHaveLength(1);
  });

  it('hides no call behind a program that is not read', async () => {
    const url = 'http://gw:8888/admin/interceptors/v1/vcluster/prod/interceptor/hidden';
    const path = new URL(url).pathname;
    const scripts: Readonly<Record<string, string>> = {
      ssh: `ssh host "curl -X DELETE ${url}"`,
      heredoc: `python3 - <<P\nrequests.delete("${url}")\nP`,
      helper: `. /opt/lib.sh\ngw_delete ${path}`,
      variable: `$CURL -X DELETE ${url}`,
      variables: `U=${path}\nssh host "curl -X DELETE http://gw:8888$U"`,
      trap: `trap 'curl -X DELETE ${url}' EXIT`,
      alias: `alias undo='curl -X DELETE ${url}'\nundo`,
      socket: `printf 'DELETE ${path} HTTP/1.1\\r\\n' >&3`,
      config: `curl --config - <<C\nurl = ${url}\nC`,
      written: `printf 'curl -X DELETE %s' ${url} > undo\n./undo`,
      exec: `exec curl -X DELETE ${url}`,
      base: 'curl -X DELETE "$BASE/vcluster/prod/interceptor/hidden"',
      version: 'curl -X DELETE http://gw:8888/admin/interceptors/$V/vcluster/prod/interceptor/hidden',
      environment: `URL=${url} python3 delete.py`,
      exported: `export URL=${url}\npython3 delete.py`,
      program: `cat > undo.py <<P\nrequests.delete("${url}")\nP\n./undo.py`,
      cron: `echo '0 4 * * * root curl -X DELETE ${url}' > /etc/cron.d/undo`,
      process: `bash <(echo 'curl -X DELETE ${url}')`,
      expanded: `curl --variable A=b -X DELETE --expand-url '${url}?{{A}}'`,
      input: `echo ${url} | xargs curl -X DELETE`,
      printed: `awk '{print "curl -X DELETE ${url}"}' list | sh`,
      list: `echo ${url} > gone.txt\npython3 delete.py`,
    };
    const made = `curl -X PUT ${url} -d @mask.json`;
    const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
    const step = (url: string): object => ({ run: `curl -X DELETE ${url}` });
    const others: Readonly<Record<string, object>> = {
      'before.json': {
        info: { schema },
        event: [{ script: { exec: [`pm.sendRequest({ url: "${url}", method: "DELETE" })`] } }],
        item: [{ request: url }],
      },
      'parts.json': {
        info: { schema },
        item: [{ request: url }, { request: { url: { host: ['gw'], path: path.slice(1).split('/') } } }],
      },
      'tasks.yml': { tasks: [{ shell: made }, { uri: { url } }] },
      'keys.yml': { steps: [{ script: made }, { delete: { [url]: 'now' } }] },
      'lines.yml': { steps: [{ script: made }, `DELETE ${path}`] },
      'pipeline.yml': { steps: [{ script: made }, { pwsh: `Invoke-RestMethod -Method Delete -Uri ${url}` }] },
      'workflow.yml': {
        env: { AT: path },
        jobs: { a: { steps: [step(url), step('http://gw:8888${{ env.AT }}')] } },
      },
      'action.yml': {
        jobs: { a: { steps: [step(url), { uses: 'a/http@v1', with: { url, verb: 'DELETE' } }] } },
      },
    };
    const recipes: Readonly<Record<string, string>> = {
      'define.mk': `define undo\ncurl -X DELETE ${url}\nendef\nall:\n\t${made}\n`,
      'shell.mk': `UNDONE := $(shell curl -X DELETE ${url})\nall:\n\t${made}\n`,
      Dockerfile: `RUN ${made}\nONBUILD RUN curl -X DELETE ${url}\n`,
    };
    const world = makeWorld({ 'old/delete.py': `requests.put("${url}")\nrequests.delete("${url}")\n` });
    for (const [name, script] of Object.entries(scripts))
      world.write(`old/${name}.sh`, `${made}\n${script}\n`);
    for (const [name, text] of Object.entries(recipes)) world.write(`old/${name}`, text);
    for (const [name, value] of Object.entries(others)) world.write(`old/${name}`, JSON.stringify(value));
    const ran = await world.run('migrate', 'old', '--out', 'new', '-o', 'json');
    const { calls } = JSON.parse(ran.out) as { calls: { file: string; path?: string }[] };
    const found = calls.filter((call) => call.path?.endsWith('/hidden') === true);
    const names = [
      ...Object.keys(scripts).map((name) => `${name}.sh`),
      ...Object.keys({ ...others, ...recipes }),
    ];
    const unnamed = [...names, 'delete.py'].filter(
      (name) => found.filter(({ file }) => file === `old/${name}`).length < 2,
    );
    expect(unnamed).toEqual([]);
  });

  it('names no call where a URL is only told', async () => {
    const url = 'http://gw:8888/admin/interceptors/v1/vcluster/prod/interceptor/i';
    const world = makeWorld({
      'old/a.sh': [
        `BASE=\${GW:-http://gw:8888}/admin/interceptors/v1`,
        'if [ -n "$TEAM" ]; then AT=$BASE/vcluster/prod; else AT=$BASE/vcluster/prod; fi',
        `case "$AT" in */admin/interceptors/v1/x) exit 1 ;; esac`,
        `[ "$AT" = http://gw:8888/admin/interceptors/v1/x ] && exit 1`,
        'curl -X PUT "$AT/interceptor/i" -d "{}"',
        `curl -X DELETE "http://gw:8888/admin/interceptors/v1/vcluster/\${AT##*/vcluster/}/interceptor/j"`,
        `echo "PUT ${url}"; echo "PUT ${url}" >&2; echo "PUT ${url}" >> calls.log`,
        `logger "PUT ${url}"; mail -s "PUT ${url}" ops </dev/null; kubectl annotate pod a url=${url}`,
        `curl https://chat.example.com -d '{"text": "PUT ${url}"}'`,
        `usage() { cat <<U\nPUT ${url}\nU\n}; false && echo ${url}`,
      ].join('\n'),
      'old/a.md': `See ${url}`,
      'old/api.yaml': JSON.stringify({ openapi: '3.0.0', paths: { [new URL(url).pathname]: {} } }),
    });
    const ran = await world.run('migrate', 'old', '--out', 'new', '-o', 'json');
    const { calls } = JSON.parse(ran.out) as { calls: { path?: string; why?: string }[] };
    expect(calls.map(({ path = '' }) => path.slice(-1))).toEqual(['i', 'j']);
  });

  it('tells where it is not sure what a gateway was left with', async () => {
    const at = 'http://gw:8888/admin/interceptors/v1/vcluster/prod/interceptor';
    const body = (priority: number): string => `-d '{"pluginClass": "acme.Mask", "priority": ${priority}}'`;
    const dry = JSON.stringify({ metadata: { name: 'c', scope: { vCluster: 'prod' } }, spec: {} });
    const world = makeWorld({
      'setup.sh': [
        `curl ${at}/a ${body(1)}`,
        `curl ${at}/b ${body(1)}`,
        `curl ${at}/b ${body(2)}`,
        `curl -X PUT 'http://gw:8888/gateway/v2/interceptor?dryMode=true' -d '${dry}'`,
      ].join('\n'),
      'teardown.sh': `curl -X DELETE ${at}/a`,
      Makefile: `up:\n\tcurl ${at}/d ${body(1)}\ndown:\n\tcurl -X DELETE ${at}/d\n`,
    });
    const files = ['setup.sh', 'teardown.sh', 'Makefile'];
    const ran = await world.run('migrate', ...files, '--out', 'new', '-o', 'json');
    const { calls } = JSON.parse(ran.out) as { calls: { outcome: string; why?: string }[] };
    expect(calls.map(({ outcome, why = '' }) => `${outcome}: ${why}`)).toEqual([
      'converted with a choice: deleted by teardown.sh:1, if that is run later, as it is taken to be',
      'converted: replaced by setup.sh:3',
      'converted with a choice: v1 refuses a POST of an interceptor that exists (409); this call is taken, not the one before',
      'imperative: use gwconf plan: it changes nothing',
      'converted: ',
      'converted with a choice: deleted by Makefile:4, if that is run later, as it is taken to be',
      'converted: ',
    ]);
  });

  it.each([
    ['exit 0\nCALL', ENDS],
    ['if true; then exit 0; fi\nCALL', ENDS],
    ['f() { return; CALL; }\nf', ENDS],
    ['exit 0 && CALL', ENDS],
    ['false && CALL', CERTAIN],
    ['true || CALL', CERTAIN],
    ['false && { exit 0; CALL; }', ENDS],
    ['if false; then :; elif false; then CALL; fi', CERTAIN],
    ['if true; then :; else CALL; fi', CERTAIN],
    ['M=a; case $M in b) CALL;; a) ;; esac', CERTAIN],
    ['exit 0\ng() { CALL; }\ng', ENDS],
    ['exec java -jar app.jar\nCALL', ENDS],
    ['exec >log; exec /opt/serve\nCALL', ENDS],
    ['set -e; false\nCALL', ENDS],
    ['set -euo pipefail; [ a = b ]\nCALL', ENDS],
    ['set -o errexit; f() { [ a = b ] && echo c; }; f\nCALL', ENDS],
    ['#!/bin/bash -e\n(exit 3)\nCALL', ENDS.replace('1', '2')],
    ['sh -ec "false; CALL"', ENDS],
    ['set -e; true && false; CALL', ENDS],
  ])('hides no call that is never made: %s', (script, why) => {
    const text = script.replace('CALL', 'curl -X DELETE http://gw:8888/admin/username/a');
    const { calls } = readCalls([{ path: 'calls.sh', text }], { read: () => undefined });
    expect(calls).toMatchObject([
      { file: 'calls.sh', line: text.split('\n').findIndex((line) => line.includes('curl')) + 1, why },
    ]);
  });

  const TEXT = 'a text that is not known';
  it.each([
    ['./other.sh', './other.sh, which is not among the files'],
    ['bash lib/other.sh', 'lib/other.sh, which is not among the files'],
    ['./delete all', './delete, which is not among the files'],
    ['python3 -u tools/delete.py', 'tools/delete.py, which is not among the files'],
    ['eval "$CLEANUP"', TEXT],
    ['eval "$(echo 7p | rev)"', TEXT],
    ['sh -c "$CLEANUP"', TEXT],
    ['curl -s https://example.com/x.sh | bash', TEXT],
  ])('hides no call in what a script runs and gwconf cannot read: %s', (command, what) => {
    const text = `curl -X DELETE http://gw:8888/admin/username/a\n${command}`;
    const { calls } = readCalls([{ path: 'a.sh', text }], { read: () => undefined });
    expect(calls).toMatchObject([
      { line: 1, method: 'DELETE' },
      { line: 2, why: `it runs ${what}: what that calls or sets is not known` },
    ]);
  });

  it.each(['"$MASK_URL"', '$GW$MASK_PATH', 'http://gw:8888/"$1"', '"$(cat url.txt)"'])(
    'hides no call behind a URL that is not known: %s',
    (url) => {
      const text = `curl -X DELETE http://gw:8888/admin/username/a\ncurl -X DELETE ${url}`;
      const { calls } = readCalls([{ path: 'a.sh', text }], { read: () => undefined });
      expect(calls).toMatchObject([{ line: 1 }, { line: 2, method: 'DELETE', why: 'its URL is not known' }]);
    },
  );

  it.each([
    'wget --method=DELETE --header "Accept: application/json" "$URL"',
    'http --check-status DELETE "$URL"',
    'xh put "$URL" name=a',
    'curlie -X PATCH "$URL"',
    'ssh gw "curl -s -X DELETE $URL"',
  ])('hides no call of another client to a URL that is not known: %s', (command) => {
    const text = `curl -X DELETE http://gw:8888/admin/username/a\n${command}`;
    const { calls } = readCalls([{ path: 'a.sh', text }], { read: () => undefined });
    expect(calls).toMatchObject([{ line: 1 }, { line: 2, why: 'its URL is not known' }]);
  });

  it.each([
    '/%61dmin/username/a',
    '//admin//username/a',
    '/admin/%75serName%6dappings/%76%31/a',
    '/./admin/username/a',
  ])('hides no call behind another spelling of its path: %s', (path) => {
    const { calls } = readCalls([{ path: 'a.sh', text: `curl -X DELETE http://gw:8888${path}` }], {
      read: () => undefined,
    });
    expect(calls).toMatchObject([
      { method: 'DELETE', path: expect.stringMatching(/^\/admin\/user/) as string },
    ]);
  });

  it('hides no call in a collection of Postman that shows another URL than it sends', () => {
    const url = { raw: 'https://chat.example/hello', host: ['gw:8888'], path: ['{{area}}', 'username', 'a'] };
    const item = [{ request: { method: 'DELETE', url } }];
    const document = { info: { schema: 'collection' }, item, variable: [{ key: 'area', value: 'admin' }] };
    const { calls } = readCalls([{ path: 'a.json', text: JSON.stringify(document) }], {
      read: () => undefined,
    });
    expect(calls).toMatchObject([{ gateway: 'http://gw:8888', method: 'DELETE', path: '/admin/username/a' }]);
  });

  it('hides no call to a URL that is not known in a file of another client', () => {
    const requests = ['http://gw:8888/admin/username/a', '{{other}}'];
    const item = requests.map((url) => ({ request: { method: 'DELETE', url } }));
    const collection = JSON.stringify({ info: { schema: 'collection' }, item });
    const http = requests.map((url) => `DELETE ${url}`).join('\n\n###\n');
    for (const [path, text] of [
      ['a.json', collection],
      ['a.http', http],
    ] as const) {
      const { calls } = readCalls([{ path, text }], { read: () => undefined });
      expect(calls).toMatchObject([{ path: '/admin/username/a' }, { why: 'its URL is not known' }]);
    }
  });

  it('hides no call in base64, as in a Secret', () => {
    const data = {
      run: Buffer.from('#!/bin/sh\ncurl -X DELETE http://gw:8888/admin/username/a\n').toString('base64'),
    };
    const text = JSON.stringify({ kind: 'Secret', data });
    const { calls } = readCalls([{ path: 'a.yaml', text }], { read: () => undefined });
    expect(calls).toMatchObject([
      { path: '/admin/username/a', why: 'it uses v1, and no call was read there' },
    ]);
  });

  it.each([false, '${{ false }}'])(
    'takes no call for made in a step that is switched off: %s',
    (condition) => {
      const run = 'curl -X PUT http://gw:8888/admin/interceptors/v1/interceptor/a -d "{}"';
      const text = JSON.stringify({ jobs: { a: { steps: [{ if: condition, run }] } } });
      const { calls } = readCalls([{ path: 'a.yml', text }], { read: () => undefined });
      expect(calls).toMatchObject([{ why: 'it is never made: its step or job is switched off' }]);
    },
  );

  it('has every call that a failure under set -e does not end', () => {
    const call = 'curl -X DELETE http://gw:8888/admin/username';
    const text = [
      'set -e',
      'if false; then :; fi; while false; do :; done; ! true; false || true; x=$(false; echo b); false & [ a = b ] && echo',
      `f() { false; ${call}/a; }; if f; then :; fi; bash -c "false; ${call}/$x"; set +e; false; ${call}/c`,
    ].join('\n');
    const { calls } = readCalls([{ path: 'a.sh', text }], { read: () => undefined });
    expect(calls).toMatchObject(['a', 'b', 'c'].map((one) => ({ line: 3, path: `/admin/username/${one}` })));
  });

  it('has no word of programs of Kafka or the machine, nor of a text that it can read in part', () => {
    const text = [
      'curl -X DELETE http://gw:8888/admin/username/a',
      'kafka-topics.sh --list; ./bin/kafka-acls.sh --list; /opt/wait.sh gw',
      'eval "curl -X DELETE http://gw:8888/admin/username/$NAME"',
      'curl -X DELETE "$CONNECT/connectors/a"; curl -d "{}" "$CHAT_URL"; curl -s "$URL"; wget "$URL"',
      './gradlew build; wget --method=DELETE --header "$AUTH" https://chat.example/a; psql -c "DELETE FROM $TABLE"',
      'python3 -c "print(1)"; python3 -m json.tool a.json; gh api -X DELETE "$URL"',
    ].join('\n');
    const { calls } = readCalls([{ path: 'a.sh', text }], { read: () => undefined });
    expect(calls.map((one) => ['why' in one, one.line])).toEqual([
      [false, 1],
      [false, 3],
    ]);
  });

  it('names no call as never made that is made in another round, and takes no script for read that is not', () => {
    const call = 'curl -X DELETE http://gw:8888/admin/username';
    const text = `for x in a b; do if [ $x = a ]; then ${call}/a\nelse ${call}/b\nfi; done; exit 0; . ./b.sh`;
    const files = new Map([['b.sh', `${call}/c`]]);
    const sources = [{ path: 'a.sh', text }, ...Array.from(files, ([path, one]) => ({ path, text: one }))];
    const { calls } = readCalls(sources, { read: (path) => files.get(path) });
    expect(calls.map((one) => [one.file, one.line, 'why' in one])).toEqual([
      ['a.sh', 1, false],
      ['a.sh', 2, false],
      ['b.sh', 1, false],
    ]);
  });

  it.each([
    'curl -u admin:s3cret "http://admin:s3cret@gw:8888/admin/userMappings/v1" -d @s3cret.json',
    'curl -H "Authorization: Basic s3cret" --proxy-user s3cret --oauth2-bearer s3cret -d x $GW/admin/userMappings/v1',
    'curl -us3cret -X POST https://s3cret@gw/admin/username/$1 -d "{}"',
    'A="-u admin:s3cret"; curl $A https://gw/admin/username/a; wget --password=s3cret gw:8888/admin/plugins/v1',
    'http -a admin:s3cret gw:8888/admin/plugins/v1 "Authorization: s3cret"',
    'curl --netrc-file s3cret --user "$(echo s3cret)" https://gw/gateway/v2/group',
  ])('gives away no credentials: %s', (script) => {
    const read = readCalls([{ path: 'a.sh', text: script }], { read: () => undefined });
    expect(read.calls.length).toBeGreaterThan(0);
    // The name of a missing file is shown.
    expect(JSON.stringify(read).replace('s3cret.json', '')).not.toContain('s3cret');
  });

  const PASSWORD = 'hunter22-Pa5s';
  const CALL = '/admin/plugins/v1';
  const BASIC = btoa(`admin:${PASSWORD}`);
  const collection = (request: object, more: object = {}): string =>
    JSON.stringify({
      info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      item: [{ request: { method: 'GET', url: `http://gw:8888${CALL}`, ...request } }],
      ...more,
    });

  it.each<[string, string, string]>([
    ['-u with a variable', 'a.sh', `P=${PASSWORD}; curl -u "admin:$P" gw:8888${CALL}`],
    ['-uUSER:PASSWORD', 'a.sh', `curl -uadmin:${PASSWORD} gw:8888${CALL}`],
    ['a URL', 'a.sh', `GW=http://admin:${PASSWORD}@gw:8888; curl $GW${CALL}`],
    ['a URL with a slash in the password', 'a.sh', `curl "http://admin:a/${PASSWORD}@gw:8888${CALL}"`],
    ['a bearer', 'a.sh', `T=${PASSWORD}; curl -H "Authorization: Bearer $T" gw:8888${CALL}`],
    ['base64', 'a.sh', `curl -H "Authorization: Basic ${BASIC}" gw:8888${CALL}`],
    [
      'base64 that the script makes',
      'a.sh',
      `P=${PASSWORD}; curl -H "Authorization: Basic $(echo -n "admin:$P" | base64)" gw:8888${CALL}`,
    ],
    ['another header', 'a.sh', `H=(-H "X-API-Key: ${PASSWORD}"); curl "\${H[@]}" gw:8888${CALL}`],
    ['a cookie', 'a.sh', `curl -b "a=b; session=${PASSWORD}" gw:8888${CALL}`],
    ['netrc', 'a.sh', `cat > .netrc <<E\nmachine gw login a password ${PASSWORD}\nE\ncurl -n gw:8888${CALL}`],
    ['curl -K', 'a.sh', `curl -K - gw:8888${CALL} <<E\nuser = "admin:${PASSWORD}"\nE`],
    ['a variable', 'a.sh', `export GATEWAY_PASSWORD=${PASSWORD}`],
    ['wget', 'a.sh', `wget --password=${PASSWORD} --header="Cookie: a=${PASSWORD}" gw:8888${CALL}`],
    ['httpie', 'a.sh', `http -a admin:${PASSWORD} gw:8888${CALL}`],
    ['a call elsewhere', 'a.sh', `curl -u admin:${PASSWORD} https://vault/v1/secret`],
    ['a function', 'a.sh', `get() { curl -u "$1:$2" gw:8888${CALL}; }; get admin ${PASSWORD}`],
    [
      'a workflow',
      'ci.yaml',
      `jobs: {a: {env: {GW_PASSWORD: ${PASSWORD}}, steps: [{run: "curl -u a:$GW_PASSWORD gw:8888${CALL}"}]}}`,
    ],
    ['a Makefile', 'Makefile', `PASSWORD = ${PASSWORD}\nall:\n\tcurl -u admin:$(PASSWORD) gw:8888${CALL}\n`],
    [
      'Postman auth',
      'a.json',
      collection({ auth: { type: 'basic', basic: [{ key: 'password', value: PASSWORD }] } }),
    ],
    [
      'a Postman header',
      'a.json',
      collection({ header: [{ key: 'Authorization', value: `Basic ${BASIC}` }] }),
    ],
    [
      'a Postman variable',
      'a.json',
      collection({}, { variable: [{ key: 'x', value: PASSWORD, type: 'secret' }] }),
    ],
    [
      'HAR',
      'a.har',
      JSON.stringify({
        log: {
          entries: [
            {
              request: {
                method: 'GET',
                url: `http://gw:8888${CALL}`,
                headers: [{ name: 'Cookie', value: `session=${PASSWORD}` }],
              },
            },
          ],
        },
      }),
    ],
    ['.http', 'a.http', `GET http://gw:8888${CALL}\nAuthorization: Basic admin ${PASSWORD}\n`],
    ['.http with a variable', 'a.http', `@password = ${PASSWORD}\nGET http://gw:8888${CALL}\n`],
  ])('shows no credential of a script where another call has it as a name: %s', async (_, name, text) => {
    const at = 'curl http://gw:8888/admin';
    const body = (value: object): string => `-d '${JSON.stringify(value)}'`;
    const world = makeWorld({
      [name]: text,
      'names.sh': [
        `${at}/username/ok -d '{"lifeTimeSeconds": 1}'`,
        `${at}/username/${PASSWORD} -d '{"lifeTimeSeconds": 1}'`,
        `${at}/vclusters/v1/vcluster/${PASSWORD}/username/bob -d '{"lifeTimeSeconds": 1}'`,
        `${at}/userMappings/v1 ${body({ username: PASSWORD, principal: 'p', groups: ['g'] })}`,
        `${at}/userMappings/v1 ${body({ username: 'a', principal: PASSWORD, groups: [PASSWORD] })}`,
        `${at}/userMappings/v1 ${body({ username: 'b', principal: 'b', [PASSWORD]: 1 })}`,
        `${at}/userMappings/v1 -d @${PASSWORD}`,
        `${at}/interceptors/v1/interceptor/i ${body({ pluginClass: PASSWORD, priority: 1, config: {} })}`,
        `curl -X POST 'gw:8888/admin/pclusters/v1/pcluster/main/switch?to=${PASSWORD}'`,
        `curl http://gw:8888/${PASSWORD}/admin/username/c -d '{"lifeTimeSeconds": 1}'`,
        `curl -X ${PASSWORD} http://gw:8888/admin/plugins/v1`,
      ].join('\n'),
    });
    const ran = await world.run('migrate', name, 'names.sh', '--out', 'new', '-o', 'json');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      result: 'not-converted',
      gateways: [{ gateway: 'http://gw:8888' }],
    });
    expect(`${ran.out}${ran.err}${textIn(world, 'new')}`).not.toContain(PASSWORD);
  });

  it.each([
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiIsImlhdCI6MX0.c2lnbmF0dXJlc2lnbmF0dXJl',
    'xK9mQ2vL7pR4tN8wZ3yB6cF1',
  ])('shows nothing that looks like a secret where it is a name: %s', async (secret) => {
    const at = 'curl http://gw:8888/admin';
    const world = makeWorld({
      'a.sh': [
        `${at}/username/${secret} -d '{"lifeTimeSeconds": 1}'`,
        `${at}/userMappings/v1 -d '{"username": "${secret}", "principal": "p", "groups": ["${secret}"]}'`,
        `${at}/vclusters/v1/vcluster/${secret}/username/bob -d '{"lifeTimeSeconds": 1}'`,
        `${at}/vclusters/v1/vcluster/v/topics/${secret} -d '{"physicalTopicName": "p"}'`,
        `${at}/vclusters/v1/vcluster/v/concentration-rules -d '{"pattern": "${secret}", "physicalTopicName": "p"}'`,
        `curl -X DELETE http://gw:8888/admin/userMappings/v1/username/${secret}`,
        `curl http://gw:8888/${secret}/admin/username/c -d '{"lifeTimeSeconds": 1}'`,
        `curl http://${secret}:8888/admin/username/c -d '{"lifeTimeSeconds": 1}'`,
      ].join('\n'),
    });
    const ran = await world.run('migrate', 'a.sh', '--out', 'new', '-o', 'json');
    expect(ran.code).toBe(0);
    expect(`${ran.out}${ran.err}${textIn(world, 'new')}`).not.toContain(secret.slice(0, 16));
  });

  it('does not read for a script what is outside of its work tree', () => {
    const world = makeWorld({
      'repo/in.json': '{"a": 1}',
      'repo/.git/config': '{"a": "s3cret"}',
      'outside.json': '{"a": "s3cret"}',
    });
    symlinkSync('../outside.json', join(world.folder, 'repo/link.json'));
    const names = [
      'in.json',
      '../outside.json',
      'link.json',
      '.git/config',
      '/etc/hostname',
      join(world.folder, 'outside.json'),
      '/dev/zero',
      '.',
    ];
    const text = names.map((name) => `curl -d @${name} gw:8888/admin/userMappings/v1\n`).join('');
    const path = join(world.folder, 'repo/a.sh');
    const { calls } = readCalls([{ path, text }], filesWithin([join(world.folder, 'repo')], 1_000));
    expect(calls).toHaveLength(names.length);
    expect(calls.filter((call) => 'gateway' in call)).toMatchObject([{ line: 1, body: { a: 1 } }]);
    expect(JSON.stringify(calls)).not.toContain('s3cret');
  });
});

/** The names and texts of all files below a folder. */
function textIn(world: World, folder: string): string {
  return readdirSync(join(world.folder, folder), { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        `${entry.name}\n${entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'utf8') : ''}`,
    )
    .join('');
}
