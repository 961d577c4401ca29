import { describe, expect, it } from 'vitest';
import { placeholdersIn } from '../../../src/declare/declared.ts';
import { readCalls } from '../../../src/v1/read/read-calls.ts';

/** The calls of a script, each as `METHOD path body` or `METHOD path: why`; placeholders are `<NAME>`. */
function callsOf(script: string, files: Readonly<Record<string, string>> = {}): readonly string[] {
  return read(script, files).map((call) => {
    const head = `${call.line} ${call.method ?? '?'} ${call.path ?? '?'}`;
    if ('why' in call) return `${head}: ${call.why}`;
    const query = Object.entries(call.query).map(([key, value]) => `${key}=${value}`);
    const body = call.body === undefined ? '' : ` ${JSON.stringify(call.body)}`;
    return show(`${head}${query.length > 0 ? `?${query.join('&')}` : ''}${body}`);
  });
}

const show = (text: string): string => text.replaceAll('\uE000', '<').replaceAll('\uE001', '>');

function read(
  text: string,
  files: Readonly<Record<string, string>> = {},
): ReturnType<typeof readCalls>['calls'] {
  const { calls, problems } = readCalls([{ path: 'dir/calls.sh', text }], {
    read: (path) => files[path],
    list: (folder) =>
      Object.keys(files).flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
  });
  expect(problems).toEqual([]);
  return calls;
}

const WHY_SED = ['…: its path has a file that sed changes, which gwconf does not read'];
const WHY_GONE = '…: its path has the content of n.json, which is not among the files';
const FILES = {
  'dir/n.json': 'n',
  'dir/sub/n.json': 'm',
  'dir/o.sh': 'curl -X DELETE gw:8888/admin/username/o',
};
const NEVER: unknown = expect.stringContaining('it is never made');
const MAPPINGS = 'localhost:8888/admin/userMappings/v1';

describe('a shell script', () => {
  it.each<[string, string, string]>([
    [
      'a continued line',
      `curl \\\n  --request POST \\\n  "http://${MAPPINGS}" --data '{"username":"a"}' | jq`,
      'POST',
    ],
    ['no scheme, and combined flags', `curl -sSXPOST ${MAPPINGS} -d'{"username":"a"}'`, 'POST'],
    ['an option with =', `curl --request=POST --url=${MAPPINGS} --data-raw='{"username":"a"}'`, 'POST'],
    [
      'options on its input',
      `curl -K - ${MAPPINGS} <<EOF\nuser = "a:b"\ndata = "{\\"username\\":\\"a\\"}"\nEOF`,
      'POST',
    ],
    ['--json', `curl --json '{"username":"a"}' ${MAPPINGS}`, 'POST'],
    ['a method from the data', `curl -d '{"username":"a"}' ${MAPPINGS}`, 'POST'],
    ['escaped quotes', `curl -d "{\\"username\\":\\"a\\"}" ${MAPPINGS}`, 'POST'],
    [
      'lines that end as on Windows',
      `GW=${MAPPINGS}\r\ncurl \\\r\n -d '{"username":"a"}' \\\r\n $GW\r\n`,
      'POST',
    ],
    ['a here-document', `curl -d @- ${MAPPINGS} <<'EOF'\n{"username":"a"}\nEOF`, 'POST'],
    [
      'a here-document with escapes',
      `curl -d @- ${MAPPINGS} <<EOF\n{"username":\\\n"\\\\u0061"}\nEOF`,
      'POST',
    ],
    ['a here-document with a variable', `u=a\ncurl -d @- ${MAPPINGS} <<EOF\n{"username":"$u"}\nEOF`, 'POST'],
    ['a pipe', `echo '{"username":"a"}' | curl -d @- ${MAPPINGS}`, 'POST'],
    ['a file', `curl -d "@body.json" ${MAPPINGS}`, 'POST'],
    ['a file above', `curl -d @top.json ${MAPPINGS}`, 'POST'],
    ['a file in another folder', `cd sub && curl -d @in.json ${MAPPINGS}`, 'POST'],
    ['a piped file', `cat body.json | curl -X PUT -d @- ${MAPPINGS}`, 'PUT'],
    [
      'a file that it writes',
      `cat > /tmp/x.json <<E\n{"username":"a"}\nE\ncurl -d @/tmp/x.json ${MAPPINGS}`,
      'POST',
    ],
    ['jq -n', `jq -n --arg u a '{username: $u}' | curl -d @- ${MAPPINGS}`, 'POST'],
    ['jq -n in a substitution', `curl -d "$(jq -n --arg u a '{"username": "\\($u)"}')" ${MAPPINGS}`, 'POST'],
    [
      'jq -n with a short field',
      `jq -nc --arg username a '[{$username}]|x' | cat; jq -n --arg username a '{$username}' | curl -d @- ${MAPPINGS}`,
      'POST',
    ],
    ['printf', `printf '{"username":"%s"}' a | curl -T - ${MAPPINGS}`, 'PUT'],
    ['envsubst', `export NAME=a\nenvsubst < sub/e.json | curl -d @- ${MAPPINGS}`, 'POST'],
    ['a function', `post() { curl -X "$1" "$2" -d "$3"; }\npost POST ${MAPPINGS} '{"username":"a"}'`, 'POST'],
    [
      'a function with "$@"',
      `run() { echo "+ $*"; "$@"; }\nrun curl -d '{"username":"a"}' ${MAPPINGS}`,
      'POST',
    ],
    ['an array', `args=(-d '{"username":"a"}')\nargs+=(-s)\ncurl "\${args[@]}" ${MAPPINGS}`, 'POST'],
    ['a command in a variable', `CURL="curl -s -X PUT"\n$CURL ${MAPPINGS} -d '{"username":"a"}'`, 'PUT'],
    ['sourced variables', `. ./.env\ncurl -d "{\\"username\\":\\"$U\\"}" $GW/admin/userMappings/v1`, 'POST'],
    ['a default', `curl -d "{\\"username\\":\\"\${U:-a}\\"}" ${MAPPINGS}`, 'POST'],
    [
      'a here-document in a variable',
      `read -r -d '' BODY <<E || true\n{\n  "username": "a"\n}\nE\ncurl -d "$BODY" ${MAPPINGS}`,
      'POST',
    ],
    ['text that pv slows down', `cat set.sh | pv -qL 30; curl -d '{"username":"a"}' ${MAPPINGS}`, 'POST'],
    ['an image of curl', `docker run --rm curlimages/curl:8.5.0 -d '{"username":"a"}' ${MAPPINGS}`, 'POST'],
    ['docker exec', `docker compose exec -T gw curl -d '{"username":"a"}' ${MAPPINGS}`, 'POST'],
    ['bash -c', `docker exec gw bash -c "curl -d '{\\"username\\":\\"a\\"}' ${MAPPINGS}"`, 'POST'],
    ['a token from the answer', `token=$(curl -d '{"username":"a"}' ${MAPPINGS} | jq -r .token)`, 'POST'],
    [
      'an assembled URL',
      `h=localhost; p=8888\ncurl -d '{"username":"a"}' "$h:\${p}/admin/userMappings/v1"`,
      'POST',
    ],
    [
      'lines read from a list',
      `while read -r u; do\n curl -d "{\\"username\\":\\"$u\\"}" ${MAPPINGS}; done <<< a`,
      'POST',
    ],
  ])('is read with %s', (_, script, method) => {
    const files = {
      'dir/body.json': '{"username":"a"}\n',
      'top.json': '{"username":"a"}',
      'dir/sub/in.json': '{"username":"a"}',
      'dir/sub/e.json': '{"username":"${NAME}"}',
      'dir/.env': 'GW=http://localhost:8888\nU=a\n',
      'dir/set.sh': 'curl -X DELETE localhost:8888/admin/username/a\n',
    };
    const calls = read(script, files);
    expect(calls).toMatchObject([
      { file: 'dir/calls.sh', method, path: '/admin/userMappings/v1', body: { username: 'a' } },
    ]);
    expect(calls[0]).toHaveProperty('gateway', 'http://localhost:8888');
  });

  it('has a call for each round of a loop', () => {
    const script = `for u in a {b,c} $(seq 1 2); do
  curl -X DELETE localhost:8888/admin/username/$u
done
for f in *.json; do curl -X DELETE localhost:8888/admin/username/\${f%.json}; done`;
    expect(callsOf(script, { 'dir/x.json': '', 'dir/y.json': '', 'dir/z.yaml': '' })).toEqual([
      ...['a', 'b', 'c', '1', '2'].map((name) => `2 DELETE /admin/username/${name}`),
      ...['x', 'y'].map((name) => `4 DELETE /admin/username/${name}`),
    ]);
  });

  it.each([
    ['words are split where IFS says', 'IFS=,; for n in $L; do PUT $n; done', ['a', 'b']],
    ['a list of a function', 'f() { local l=(a b); for x in "${l[@]}"; do PUT $x; done; }; f', ['a', 'b']],
    ['a part of a list', 'f() { PUT "${@:2}"; }; l=(x c d); f a b; PUT "${l[@]:1:1}"', ['b', 'c']],
    [
      'parts of a text',
      'x=a-b.c.json; for y in "${x%-*}" "${x%.*}" "${x%%.*}" "${x#*.}"; do PUT $y; done',
      ['a', 'a-b.c', 'a-b', 'c.json'],
    ],
    ['printf -v', 'printf -v x "%s-b" a; PUT $x', ['a-b']],
    ['a line that a loop skips', 'for x in a b; do [ $x = a ] && continue; PUT $x; done', ['b']],
    ['a list is joined by IFS', 'l=(a b); IFS=-; PUT "${l[*]}"', ['a-b']],
    ['what is set for a command alone is not yet in its words', 'x=old; x=new PUT $x', ['old']],
    [
      'a case goes on with the next commands',
      'case a in a) PUT a;& b) PUT b;; *) PUT c;; esac',
      ['a', 'b', NEVER],
    ],
    [
      'a case goes on with the next patterns',
      'case a in a) PUT a;;& b) PUT b;; *) PUT c;; esac',
      ['a', 'c', NEVER],
    ],
    ['a file is what it was copied from', 'cp n.json m.json; mv m.json to; PUT $(cat to/m.json)', ['n']],
    ['a file that is changed is not as it was', 'sed -i.bak s/n/x/ n.json; PUT $(cat n.json)', WHY_SED],
    [
      'a script that a program only reads is not run',
      'chmod +x ./o.sh; grep x o.sh; readlink -f o.sh; PUT x',
      ['x'],
    ],
    ['a folder is gone into, and left', 'pushd sub; PUT $(cat n.json); popd; PUT $(cat n.json)', ['m', 'n']],
    [
      'a folder of another one is gone into',
      'cd $ROOT/sub; PUT $(cat n.json); cd $ROOT/$X; PUT "$(cat n.json)"',
      ['m', WHY_GONE],
    ],
    ['only some variables are filled in', "PUT $(echo '$L-$M' | envsubst '$L')", ['a,b-$M']],
    ['what is told elsewhere is no output', 'f() { echo log >&2; echo x; }; PUT $(f)', ['x']],
    [
      'a code of the answer is not known',
      `c=$(curl -o /dev/null -w '%{http_code}' ${MAPPINGS}); [ "$c" = 404 ] && PUT x`,
      ['v1', 'x'],
    ],
    [
      'what a program finds is not known',
      'grep -q a n.json && PUT x; ls m.json && PUT y; mkdir z && PUT z',
      [
        'x: whether it is made depends on the result of grep',
        'y: whether it is made depends on the result of ls',
        'z',
      ],
    ],
    ['what a function would do otherwise is told', 'PUT x; if false; then PUT y; fi', ['x', NEVER]],
    [
      'a star in quotes is a star',
      'case abc in "a*") PUT x;; a*) PUT y;; esac; [ abc = "a*" ] || PUT z; [[ abc == a* ]] && PUT s',
      ['y', 'z', 's', NEVER],
    ],
    [
      'several loops are left, or gone on with, at once',
      'for a in 1 2 3; do for b in x y; do [ $a = 3 ] && break 2; PUT $a$b; [ $a = 2 ] && continue 2; done; done; PUT e',
      ['1x', '1y', '2x', 'e'],
    ],
    ['arguments are set', 'set x y; PUT $2; set -e; PUT $1', ['y', 'x']],
    [
      'names of files are parts of paths',
      'PUT $(basename -- d/a.json .json); PUT $(dirname d/a.json)',
      ['a', 'd'],
    ],
    ['numbers do not count down', 'for x in $(seq 3 1) $(seq 08 9); do PUT $x; done', ['8', '9']],
    [
      'what decides nothing succeeds',
      'f() { if false; then PUT no; fi; }; f && PUT a; for x in; do :; done && PUT b; while read x; do false; done <<< x || PUT c',
      ['a', 'b', 'c', NEVER],
    ],
    [
      'words of a line are split at tabs alone where IFS says so',
      "while IFS=$'\\t' read -r x y; do PUT \"$y-$x\"; done <<< $'a b\\tc d'; IFS=$'\\n\\t'; read -r x <<< ' e f'; PUT \"$x\"",
      ['c d-a b', ' e f'],
    ],
    [
      'the last word of a line is the rest',
      'read -r x y <<< \' a  b  c \'; PUT $x; PUT "$y"; IFS=, read -r x y <<< d,e,f; PUT $y',
      ['a', 'b  c', 'e,f'],
    ],
    [
      'a variable that is read to the end is empty',
      'while read x; do PUT $x; done <<< a; PUT b$x',
      ['a', 'b'],
    ],
    [
      'no more loops are left, or gone on with, than there are',
      'for a in 1 2; do PUT $a; continue 2; PUT no; done; break; f() { break; PUT f; }; for a in 3 4; do f; done',
      ['1', '2', 'f', 'f', 'no: it is never made: line 3 ends the script, function or loop before it'],
    ],
    [
      'a text is searched for a pattern',
      "for x in '#a' '' ' ' ab b-1; do [[ $x =~ ^[[:space:]]*# ]] && continue; [[ $x =~ ^$ || $x =~ ^[[:space:]]+$ ]] || PUT $x; [[ $x =~ ^(b|ab)$ ]] && PUT c; done; [[ a1 =~ [0-9] ]] && PUT d; p='a|b'; [[ b =~ $p ]] && PUT e",
      ['ab', 'c', 'b-1', 'd', 'e'],
    ],
    ['a list without items gives no words', 'l=(); set -- "${l[@]}" a "${l[@]:1}" ""; PUT "$#-$1"', ['2-a']],
    [
      'arguments in one text have blanks between them',
      'set -- a b; x=$*; PUT "$x"; y="$@"; PUT "$y"',
      ['a b', 'a b'],
    ],
    [
      'a last line without an end is no line, unless it is asked for',
      "printf 'a\\nb' | while read -r x; do PUT $x; done; printf 'a\\nb' | while read -r x || [ -n \"$x\" ]; do PUT c$x; done",
      ['a', 'ca', 'cb'],
    ],
    [
      'defaults without a colon are those of variables that are not set',
      'f() { local e=; PUT "$1-${2-b}${3-c}${4-}${e-d}${e:-g}"; }; f a ""; f a b c d',
      ['a-cg', 'a-bcdg'],
    ],
    [
      'a separator at the end of a line is not of its last word',
      'IFS=- read -r x y <<< a-b-; PUT $y; IFS=- read -r x y <<< a-b-c-; PUT $y; IFS=- read -r x <<< a-; PUT $x',
      ['b', 'b-c-', 'a'],
    ],
    [
      'words that are read into a list are read once',
      "while read -r -a f; do PUT a; done <<< $'x y\\nz'; while IFS=, read -ra f; do PUT b; done < <(echo x)",
      ['a', 'a', 'b'],
    ],
    ['a case without a match succeeds', 'false; case a in b) ;; esac; PUT $?', ['0']],
    ['no loop further out is left', 'for a in x y; do PUT $a; break 9; done; PUT e', ['x', 'e']],
    ['a variable declared in a function is its own', 'f() { declare x=b; }; x=a; f; PUT $x', ['a']],
    [
      'a list without items gets some',
      'f() { local -a l; l+=(a); for x in "${l[@]}"; do PUT $x; done; }; f',
      ['a'],
    ],
    ['a function calls the program of its name', `curl() { command curl -s "$@"; }; PUT a`, ['a']],
    [
      'the result of a command is known in the next',
      'false; [ $? -ne 0 ] && PUT a; x=$(false); PUT $?',
      ['a', '1'],
    ],
  ])('does as bash does: %s', (_, script, names) => {
    const put = (name: string): string =>
      `curl -X DELETE "localhost:8888/admin/userMappings/v1/username/${name}"`;
    const text = `L=a,b\nPUT() { ${put('$1')}; }\n${script}`;
    expect(callsOf(text, FILES).map((call) => call.slice(call.lastIndexOf('/') + 1))).toEqual(names);
  });

  it('has placeholders for variables that it does not set, also outside of strings', () => {
    const script = `TTL=$(vault kv get ttl)
curl -X POST "$GW/admin/username/$USER_NAME" -d "{\\"lifeTimeSeconds\\": $TTL, \\"a\\": \\"x-$B\\", \\"c\\": \\"\\$LITERAL\\"}"`;
    expect(callsOf(script)).toEqual([
      '2 POST /admin/username/<USER_NAME> {"lifeTimeSeconds":"<TTL>","a":"x-<B>","c":"$LITERAL"}',
    ]);
    const [call] = read(script);
    expect(placeholdersIn(JSON.stringify(call))).toEqual(['GW', 'USER_NAME', 'TTL', 'B']);
  });

  it.each([
    ['continue', 'for x in a b; do [ -e x ] && continue; $C/1; done; $C/2', [false, false, true]],
    ['break', 'for x in a b; do [ -e x ] && break; $C/1; done; $C/2', [false, false, true]],
    ['return', 'f() { if [ -e x ]; then return; fi; $C/1; }; f; $C/2', [false, true]],
    ['return of a failure', 'f() { [ -e x ] || return 1; $C/1; }; f; $C/2', [true, true]],
    [
      'test of a pattern with an escape, as a continue',
      "p='a\\tb'; for x in a; do [[ $x =~ $p ]] && continue; $C/1; done; $C/2",
      [false, true],
    ],
    ['exit of a failure', '[ -e x ] || exit 1; $C/1', [true]],
    [
      'break of the loop in a doubtful one',
      'for x in a; do [ -e x ] && continue; for y in b; do $C/1; done; $C/2; done',
      [false, false],
    ],
    [
      'return in two tests',
      'f() { if [ -e x ]; then if [ -e y ]; then return; fi; fi; $C/1; }; f; $C/2',
      [false, true],
    ],
    [
      'break that is wider than a continue',
      'for x in a b; do [ -e x ] && continue; [ -e y ] && break; $C/1; done; $C/2',
      [false, false, true],
    ],
    [
      'exit of a loop that waits',
      'w() { for i in 1 2; do if $C/1 -X GET; then return 0; fi; done; exit 1; }; w || exit 1; $C/2',
      [true, true, true],
    ],
    [
      'exit at the end of a loop that waits',
      'for i in 1 2; do if $C/1 -X GET; then break; fi; [ $i = 2 ] && exit 1; done; $C/2',
      [true, true, true],
    ],
    [
      'return behind a call that may fail',
      'f() { $C/1 -X GET && return; $C/1; }; f && $C/2',
      [true, true, true],
    ],
    [
      'continue after a look, and one after a test',
      'for x in a; do $C/1 -X GET && continue; [ -e y ] && continue; $C/1; done; $C/2',
      [true, false, true],
    ],
    [
      'return of what is tried again',
      'f() { for i in 1 2; do $C/1 && return; done; exit 1; }; f; $C/2',
      [true, true],
    ],
    ['return of an exit that is certain otherwise', 'f() { [ -e x ] && return; exit 0; }; f; $C/1', [true]],
  ])('does not know which calls are made behind a %s that may have ended them', (_, script, known) => {
    const text = script.replaceAll('$C', 'curl -X DELETE localhost:8888/admin/username');
    expect(read(text).map((call) => !('why' in call))).toEqual(known);
  });

  it('says of calls behind an exit without a failure what decides whether they are made', () => {
    expect(read('[ -e done ] && exit 0; curl -X DELETE gw/admin/username/a')).toMatchObject([
      { method: 'DELETE', choice: 'a test of the machine that runs the script' },
    ]);
  });

  it('says of calls in several ways what decides which is made', () => {
    const call = (method: string): string => `curl -X ${method} gw/admin/username/a`;
    const script = `if ${call('GET')}; then ${call('DELETE')}; else ${call('PUT')}; fi; ${call('GET')} || ${call('POST')}`;
    const choices = read(script).map((one) => [one.method, 'choice' in one ? one.choice : undefined]);
    const choice = 'the answer of a call in line 1';
    expect(choices).toEqual([
      ['GET', undefined],
      ['DELETE', choice],
      ['PUT', choice],
      ['GET', undefined],
      ['POST', undefined],
    ]);
  });

  it('has no default for a variable that may have a value', () => {
    const call = 'curl -X DELETE $GW/admin/username/';
    expect(callsOf(`x=$(pick); ${call}\${x:-a}; if [ $E = p ]; then y=b; fi; ${call}\${y:-a}`)).toEqual([
      '1 DELETE /admin/username/<x>',
      '1 DELETE /admin/username/<y>',
    ]);
  });

  it.each([
    [
      'an argument',
      'curl -X DELETE $GW/admin/username/$1',
      '1 DELETE /admin/username/…: its path has $1, an argument of the script',
    ],
    [
      'an output',
      `curl $GW/admin/userMappings/v1 -d "{\\"username\\": \\"$(uuidgen)\\"}"`,
      '1 POST /admin/userMappings/v1: its body has the output of uuidgen',
    ],
    [
      'a list',
      'for u in $(cat users.txt); do\ncurl -X DELETE $GW/admin/username/$u; done',
      '2 DELETE /admin/username/…: its path has $u of the loop in line 1, from the content of users.txt, which is not among the files',
    ],
    [
      'a file',
      'curl -d @missing.json $GW/admin/userMappings/v1',
      '1 POST /admin/userMappings/v1: its body has the content of missing.json, which is not among the files',
    ],
    [
      'a condition',
      'if [ "$E" = p ]; then curl -X DELETE $GW/admin/username/a; fi',
      '1 DELETE /admin/username/a: whether it is made depends on $E, which is not set here',
    ],
    ...[
      'if [ -n "$E" ]; then $C; fi',
      'if [ -z "$E" ]; then :; else $C; fi',
      '[[ $E ]] && $C',
      '! [ "$E" ] || $C',
    ].map((script): [string, string, string] => [
      `a condition that a variable has a value: ${script}`,
      script.replace('$C', 'curl -X DELETE $GW/admin/username/a'),
      '1 DELETE /admin/username/a: whether it is made depends on $E, which is not set here',
    ]),
    [
      'a body that is not JSON',
      'curl -d a=b $GW/admin/userMappings/v1',
      '1 POST /admin/userMappings/v1: its body is not JSON',
    ],
    [
      'a form',
      'curl -F a=b $GW/admin/userMappings/v1',
      '1 POST /admin/userMappings/v1: it sends a form, not JSON',
    ],
    [
      'a template',
      'curl $GW/admin/interceptors/v1/vcluster/{vcluster}',
      '1 GET /admin/interceptors/v1/vcluster/{vcluster}: its path has brackets: a template, or several URLs in one',
    ],
    [
      'a pattern that is not known',
      'case ab in $P) ;; *) curl -X DELETE $GW/admin/username/a;; esac',
      '1 DELETE /admin/username/a: whether it is made depends on $P, which is not set here, in the case of line 1',
    ],
    ...[
      'x=$(if [ "$E" = p ]; then echo a; else echo b; fi); $C/$x',
      'f() { case $E in p) echo a;; *) echo b;; esac; }; x=$(f); $C/$x',
      'if [ "$E" = p ]; then echo a > x; else echo b > x; fi; $C/$(cat x)',
      'echo a > x; [ "$E" = p ] && echo b > x; $C/$(cat x)',
    ].map((script): [string, string, string] => [
      `what depends on a condition: ${script}`,
      script.replace('$C', 'curl -X DELETE $GW/admin/username'),
      `1 DELETE /admin/username/…: its path has ${script.includes('case') ? 'the value of a variable that is not set here, in the case of line 1' : '$E, which is not set here'}`,
    ]),
    [
      'a default of an output',
      'x=$(pick); curl -X DELETE $GW/admin/username/${x:+a}',
      '1 DELETE /admin/username/…: its path has whether $x has a value',
    ],
    [
      'a folder that depends on a condition',
      'if [ "$E" = p ]; then cd a; else cd b; fi; curl -d @x $GW/admin/userMappings/v1',
      '1 POST /admin/userMappings/v1: its body has the content of x, which is not among the files',
    ],
    [
      'a function that depends on a condition',
      'if [ "$E" = p ]; then f() { echo a; }; else f() { echo b; }; fi; curl -X DELETE $GW/admin/username/$(f)',
      '1 DELETE /admin/username/…: its path has the output of f',
    ],
    ...['basename -s .x', 'basename -a', 'dirname -z', 'cat -n'].map((command): [string, string, string] => [
      `an option of a program: ${command}`,
      `curl -X DELETE $GW/admin/username/$(${command} n.x)`,
      `1 DELETE /admin/username/…: its path has the output of ${command.split(' ')[0]}`,
    ]),
    [
      'an argument behind options',
      'f() { while [[ $1 == -* ]]; do shift; done; curl -X DELETE $GW/admin/username/$1; }; f -x a',
      '1 DELETE /admin/username/…: its path has $1, an argument of the script',
    ],
    [
      'an argument behind those that are counted',
      'f() { shift $((OPTIND - 1)); curl -X DELETE $GW/admin/username/$1; }; f -x a',
      '1 DELETE /admin/username/…: its path has $1, an argument of the script',
    ],
    [
      'options that are not known',
      'curl "$@" gw/admin/interceptors/v1/interceptor/a',
      '1 GET /admin/interceptors/v1/interceptor/a: its options have the arguments of the script',
    ],
    [
      'a function without a caller',
      'f() { curl -X DELETE $GW/admin/username/a; }',
      '1 DELETE /admin/username/a: it is in the function f, which the script does not call',
    ],
  ])('has an unread call with its reason where it is not known: %s', (_, script, expected) => {
    expect(callsOf(script).map(show)).toEqual([expected]);
  });

  const DELETE = 'curl -X DELETE gw:8888/admin/username';
  it.each([
    ['sed', `sed 's/N/a/' t.json | curl -d @- ${MAPPINGS}`, 'its body has the output of sed'],
    ['jq with a filter', `jq .a t.json | curl -d @- ${MAPPINGS}`, 'its body has the output of jq'],
    ['wget', `wget -qO- --method=PUT ${MAPPINGS}`, 'it is made by wget, which gwconf does not read'],
    ['httpie', `http POST :8888/admin/username/a`, 'it is made by http, which gwconf does not read'],
    ['xargs', `echo a | xargs -I% ${DELETE}/%`, 'it is made by xargs, which gwconf does not read'],
    ['xargs with a URL', `echo $U | xargs curl`, 'it is made by xargs, which gwconf does not read'],
    [
      'another program with a script on its input',
      `python3 - <<EOF\nrequests.delete("${MAPPINGS}")\nEOF`,
      'it is made by python3, which gwconf does not read',
    ],
    [
      'a script for another program',
      `echo 'requests.delete("${MAPPINGS}")' > x.py; python3 x.py`,
      'it is made by python3, which gwconf does not read',
    ],
    [
      'options in a file that is not there',
      `curl -K x.conf ${MAPPINGS}`,
      'it has options in a file that is not among the files',
    ],
    [
      'variables of curl',
      `curl --variable u=a --expand-data '{"username":"{{u}}"}' ${MAPPINGS}`,
      'its body has a variable of curl, which gwconf does not read',
    ],
    ['a template', `curl -d '{"username":"{{ item }}"}' ${MAPPINGS}`, 'its body has a template: {{ item }}'],
    [
      'a template with a dot',
      `curl -d '{"username":"{{db.user}}"}' ${MAPPINGS}`,
      'its body has a template: {{db.user}}',
    ],
    [
      'a template with a text of its own',
      `curl -d '{"username":"a","password":"{{ p | default("secret") }}"}' ${MAPPINGS}`,
      'its body has a template',
    ],
    ['a calculation', `n=1; ${DELETE}/$((n + 1))`, 'its path has a calculation, which gwconf does not read'],
    [
      'a variable that is counted',
      `n=1; ((n++)); ${DELETE}/$n`,
      'its path has a calculation, which gwconf does not read',
    ],
    ['let', `n=1; let n+=1; ${DELETE}/$n`, 'its path has $n, set by let, which gwconf does not read'],
    [
      'mapfile',
      `mapfile -t u < x; ${DELETE}/$u`,
      'its path has $u, set by mapfile, which gwconf does not read',
    ],
    [
      'a number that is declared',
      `declare -i u=1+2; ${DELETE}/$u`,
      'its path has $u, set by declare, which gwconf does not read',
    ],
    [
      'another name for a variable',
      `v=a; declare -n u=v; ${DELETE}/$u`,
      'its path has $u, set by declare, which gwconf does not read',
    ],
    [
      'what another name can set',
      `v=a; declare -n u=v; u=b; ${DELETE}/$v`,
      'its path has $v, set by declare, which gwconf does not read',
    ],
    [
      'lines that end elsewhere',
      `read -d , u <<< a,b; ${DELETE}/$u`,
      'its path has $u, set by read, which gwconf does not read',
    ],
    [
      'a part of a line',
      `read -n 1 u <<< ab; ${DELETE}/$u`,
      'its path has $u, set by read, which gwconf does not read',
    ],
    [
      'a line with escapes',
      `read u <<< 'a\\b'; ${DELETE}/$u`,
      'its path has $u, set by read, which gwconf does not read',
    ],
    [
      'a line with several separators',
      `IFS=', ' read -r u v <<< 'a, b'; ${DELETE}/$u`,
      'its path has $u, set by read, which gwconf does not read',
    ],
    [
      'letters in braces',
      `for u in {a..c}; do ${DELETE}/$u; done`,
      'its path has $u of the loop in line 1, from a form of braces, which gwconf does not read',
    ],
    ['braces in braces', `${DELETE}/{a,b{c,d}}`, 'its path has a form of braces, which gwconf does not read'],
    [
      'another pattern of files',
      `for u in [s-u]*; do ${DELETE}/$u; done`,
      'its path has $u of the loop in line 1, from the files of [s-u]*, which gwconf does not read',
    ],
    [
      'a pattern of folders',
      `for u in d*/x; do ${DELETE}/$u; done`,
      'its path has $u of the loop in line 1, from the files of d*/x, which gwconf does not read',
    ],
    [
      'another pattern of a case',
      `case ab in [b-z]*) ;; *) ${DELETE}/a;; esac`,
      'whether it is made depends on a pattern, which gwconf does not read, in the case of line 1',
    ],
    [
      'another pattern of a test',
      `[[ ab == ?b ]] && ${DELETE}/a`,
      'whether it is made depends on a pattern, which gwconf does not read',
    ],
    ['a trap', `trap '${DELETE}/a' EXIT`, 'it is made in a trap, which gwconf does not run'],
    ['an item that is set', `u[1]=x; ${DELETE}/$u`, 'its path has an item of $u, which gwconf does not read'],
    ['a part of a text', `u=abc; ${DELETE}/\${u:1}`, 'its path has a form of $u, which gwconf does not read'],
    ['a replacement', `u=abc; ${DELETE}/\${u/a/b}`, 'its path has a form of $u, which gwconf does not read'],
    [
      'a process substitution',
      `curl -d @- ${MAPPINGS} < <(echo '{}')`,
      'its body has a file whose name is not known',
    ],
    [
      'a loop that counts',
      `for ((i = 0; i < 2; i++)); do ${DELETE}/a; done`,
      'whether it is made depends on the loop in line 1, which gwconf does not read',
    ],
    [
      'a loop with a condition',
      `n=1; while [ $n -le 2 ]; do ${DELETE}/a; done`,
      'whether it is made depends on the loop in line 1, which gwconf does not read',
    ],
    [
      'a condition with a calculation',
      `if ((x > 1)); then ${DELETE}/a; fi`,
      'whether it is made depends on a calculation in line 1, which gwconf does not read',
    ],
    [
      'a menu',
      `select u in a b; do ${DELETE}/a; done`,
      'whether it is made depends on the choice in line 1, which gwconf does not read',
    ],
  ])('is named as one to record where it needs what is not read: %s', (_, script, why) => {
    const files = { 'dir/t.json': '{"username":"N"}' };
    expect(read(script, files)).toMatchObject([{ line: 1, why, needsRecording: true }]);
  });

  it('counts what creates an object unless it exists as made', () => {
    const script = `if ! curl -sf $GW/admin/interceptors/v1/interceptor/a; then curl -X POST $GW/admin/interceptors/v1/interceptor/a -d '{}'; fi
code=$(curl -w '%{http_code}' $GW/admin/interceptors/v1/interceptor/b)
[ "$code" = 404 ] && curl -X POST $GW/admin/interceptors/v1/interceptor/b -d '{}'
curl -X POST $GW/admin/interceptors/v1/interceptor/c -d '{}' || exit 1
curl -X DELETE $GW/admin/interceptors/v1/interceptor/d || true`;
    expect(callsOf(script).map((call) => call.replace('/admin/interceptors/v1/interceptor/', ''))).toEqual([
      '1 GET a',
      '1 POST a {}',
      '2 GET b',
      '3 POST b {}',
      '4 POST c {}',
      '5 DELETE d',
    ]);
  });

  it('names a script that it runs and that is not there, unless it is of the machine', () => {
    const others = '. /etc/profile; source ~/.bashrc; . $HOME/env\n';
    const call = 'curl -X DELETE gw/admin/username/$X';
    expect(callsOf(`${others}X=a\n. lib/x.sh\nfor e in $E; do . $(pick $e); done\n${call}`)).toEqual([
      '5 DELETE /admin/username/a',
      '3 ? ?: it runs lib/x.sh, which is not among the files: what that calls or sets is not known',
      '4 ? ?: it runs a script whose name is not known: what that calls or sets is not known',
    ]);
    expect(callsOf('. lib/x.sh; echo')).toEqual([]);
  });

  it('that another script runs is read there, with its arguments', () => {
    const files = [
      { path: 's/all.sh', text: 'for v in a b; do ./one.sh "$v"; done\n. lib.sh\ndrop c' },
      { path: 's/one.sh', text: 'curl -X POST $GW/admin/username/$1 -d "{}"' },
      { path: 's/lib.sh', text: 'drop() { curl -X DELETE $GW/admin/username/$1; }' },
    ];
    const { calls } = readCalls(files, { read: (path) => files.find((file) => file.path === path)?.text });
    expect(calls.map(({ file, method, path }) => [file, method, path])).toEqual([
      ['s/one.sh', 'POST', '/admin/username/a'],
      ['s/one.sh', 'POST', '/admin/username/b'],
      ['s/lib.sh', 'DELETE', '/admin/username/c'],
    ]);
  });

  it('counts calls of other servers, whose /health is not that of a gateway', () => {
    const text = `curl https://example.com/admin/realms/x/users -d '{}'; curl http://registry:8081/health; curl -s $GW/health
curl -X DELETE $GW/admin/username/a`;
    const { calls, others } = readCalls([{ path: 'a.sh', text }], { read: () => undefined });
    expect([calls.map(({ path }) => path), others]).toEqual([['/health', '/admin/username/a'], 2]);
  });
});
