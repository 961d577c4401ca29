import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import type { Channel } from '../../src/cli/host/channel.ts';
import { processIo } from '../../src/cli/host/process-io.ts';
import { runInProcess } from '../../src/cli/host/run-in-process.ts';
import { EXIT } from '../../src/outcome/verdict.ts';
import { quickKey } from './quick-key.ts';

type Place = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> };
type Ended = { readonly code: number; readonly out: string; readonly err: string };

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs gwconf to its end as a process does, with this folder and these variables alone, but in the process of the test. Only the
 * digests of plans are not slow; so a plan that a process saved is a stale one here.
 */
export async function runHere({ cwd, env = {} }: Place, ...args: readonly string[]): Promise<Ended> {
  const said = { out: '', err: '' };
  const channel = (name: 'out' | 'err'): Channel => ({
    write: (text) => (said[name] += text),
    flush: () => Promise.resolve(undefined),
  });
  const before = { folder: process.cwd(), env: process.env };
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  process.chdir(cwd);
  process.env = { PATH: before.env['PATH'], HOME: before.env['HOME'], ...env };
  try {
    const code = await runInProcess(args, { out: channel('out'), err: channel('err') }, async (...given) => ({
      ...(await processIo(...given, () => undefined)),
      deriveKey: quickKey,
    }));
    return { code, ...said };
  } finally {
    process.env = before.env;
    process.chdir(before.folder);
    SIGNALS.forEach((signal, at) => {
      const added = process.listeners(signal).filter((one) => listeners[at]?.includes(one) !== true);
      for (const one of added) process.off(signal, one);
    });
  }
}

/**
 * What bash reads first: a gwconf that asks the test on descriptor 3, and is a process only if the call serves, reads stdin or mixes
 * its outputs. It starts no other program.
 */
export function callsTo(gwconf: string, folder: string): string {
  return `gwconf() {
  if [ ! -e /dev/fd/3 ] || [ "$1" = gateway ] || [ ! /dev/fd/0 -ef /dev/null ] || [ /dev/fd/1 -ef /dev/fd/2 ]; then
    [ "$1" = gateway ] && [ $BASHPID != $$ ] && exec '${gwconf}' "$@" # a signal to the job is one to it
    '${gwconf}' "$@"
    return
  fi
  local name code out err
  {
    printf '%s\\0' $# "$PWD" "$@"
    for name in $(compgen -e); do printf '%s=%s\\0' "$name" "\${!name}"; done
    printf '\\0'
  } >&3
  read -r code <&3
  IFS= read -r -d '' out < '${folder}/out' || true
  IFS= read -r -d '' err < '${folder}/err' || true
  printf %s "$out"
  printf %s "$err" >&2
  return "$code"
}
`;
}

/** Answers the calls of one shell, one after the other: with the exit code, and the outputs as files. */
export function answerCalls(socket: Duplex, folder: string): void {
  let asked = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    asked += text;
    const [count = '', cwd = '', ...words] = asked.split('\0');
    const args = words.slice(0, Number(count));
    const variables = words.slice(Number(count));
    const end = variables.indexOf('');
    if (cwd === '' || end === -1 || end === variables.length - 1) return; // the rest is on its way
    asked = '';
    const env = Object.fromEntries(
      variables.slice(0, end).map((one) => {
        const at = one.indexOf('=');
        return [one.slice(0, at), one.slice(at + 1)];
      }),
    );
    const answer = ({ code, out, err }: Ended): void => {
      writeFileSync(join(folder, 'out'), out);
      writeFileSync(join(folder, 'err'), err);
      socket.write(`${code}\n`);
    };
    runHere({ cwd, env }, ...args).then(answer, (error: unknown) => {
      answer({ code: EXIT.bug, out: '', err: `${inspect(error)}\n` });
    });
  });
}
