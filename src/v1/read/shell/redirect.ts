import type { HereDoc, Redirection } from 'unbash';
import { resolvePath, textOfFile } from './files.ts';
import { credentialsInFile } from '../credentials.ts';
import { expandText } from './expand.ts';
import { write, type State } from './state.ts';

/** Runs commands with redirected input and output. Files that are written can be read later. */
export function withRedirects(redirects: readonly Redirection[], state: State, run: () => void): void {
  const { stdin, out } = state;
  const targets: { readonly path: string; readonly appends: boolean }[] = [];
  for (const redirect of redirects) {
    const input = inputOf(redirect, state);
    if (input !== undefined) state.stdin = { text: input };
    else if (
      redirect.type === 'Redirect' &&
      redirect.target !== undefined &&
      isOutput(redirect.operator, redirect.descriptor)
    ) {
      targets.push({ path: expandText(redirect.target, state), appends: redirect.operator.endsWith('>>') });
    }
  }
  if (targets.length > 0) state.out = '';
  run();
  state.stdin = stdin;
  if (targets.length === 0) return;
  const written = state.out;
  state.out = out;
  for (const { path, appends } of targets) writeFile(path, written, appends, state);
}

export function writeFile(path: string, text: string, appends: boolean, state: State): void {
  if (path.startsWith('/dev/')) {
    if (path === '/dev/stdout') write(state, text);
    return;
  }
  const at = resolvePath(path, state);
  const { written, credentials } = state.run;
  for (const one of credentialsInFile(text)) credentials.add(one);
  written.set(at, appends ? `${written.get(at) ?? ''}${text}` : text);
}

/** Output of a command to a file, not its errors. */
function isOutput(
  operator: string,
  descriptor: Extract<Redirection, { type: 'Redirect' }>['descriptor'],
): boolean {
  const isStdout =
    descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1);
  return isStdout && /^(?:>|>>|>\||&>|&>>)$/.test(operator);
}

function inputOf(redirect: Redirection, state: State): string | undefined {
  if (redirect.type === 'HereDoc') return textOfHereDoc(redirect, state);
  if (redirect.target === undefined) return undefined;
  if (redirect.type === 'HereString') return `${expandText(redirect.target, state)}\n`;
  const isStdin =
    redirect.descriptor === undefined ||
    (redirect.descriptor.type === 'FileDescriptor' && redirect.descriptor.value === 0);
  return redirect.operator === '<' && isStdin
    ? textOfFile(expandText(redirect.target, state), state)
    : undefined;
}

function textOfHereDoc({ body, delimiter, operator }: HereDoc, state: State): string {
  const { pos, end, text, parts } = body;
  const isQuoted = delimiter?.quoted === true || parts === undefined;
  const whole = isQuoted
    ? text
    : expandText(
        {
          type: 'Word',
          text,
          value: text,
          pos,
          end,
          parts: [{ type: 'DoubleQuoted', pos, end, text, parts: parts as never }],
        },
        state,
      );
  return operator === '<<-' ? whole.replaceAll(/^\t+/gm, '') : whole;
}
