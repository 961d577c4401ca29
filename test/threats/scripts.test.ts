import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesWithin } from '../../src/host/walk.ts';
import { readCalls } from '../../src/migrate/read/read-calls.ts';
import { makeWorld } from '../support/cli.ts';

describe('threat: author: a hostile script', () => {
  const long = 400_000;
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
    ['nested substitutions', `echo ${'$('.repeat(20_000)}`],
    ['nested calculations', `echo ${'$((1+'.repeat(20_000)}`],
    ['nested defaults', `echo ${'"${a:-'.repeat(50_000)}`],
    ['nested ifs', 'if a; then '.repeat(20_000)],
    ['nested eval', `eval ${'eval '.repeat(20_000)}`],
    ['a long line', `curl ${'a'.repeat(10_000_000)}`],
    ['many words', `echo ${'a '.repeat(long / 2)}`],
    ['many commands', 'a;'.repeat(long)],
    ['many here-documents', 'cat <<A\n'.repeat(long / 8)],
    [
      'many variables, copied',
      `${Array.from({ length: 5_000 }, (_, at) => `a${at}=1;`).join('')}${'(b);'.repeat(5_000)}`,
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
