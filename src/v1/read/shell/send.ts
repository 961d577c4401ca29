import { credentialsInUrl } from '../credentials.ts';
import { toCall, type Request } from '../request.ts';
import { writeFile } from './shell-files.ts';
import { unknown, write, type State } from './shell-state.ts';

/** What a client would send, and the file that it writes the answer to. */
export type Sent = {
  readonly credentials?: readonly string[];
  readonly requests: readonly Omit<Request, 'file' | 'line'>[];
  readonly output?: string;
};

/** Records the calls of a client to a gateway; the answer is not known. */
export function sendAll({ requests, output, credentials = [] }: Sent, state: State, line: number): void {
  const { run, script, doubt } = state;
  let isGateway = false;
  for (const one of credentials) run.credentials.add(one);
  for (const request of requests) {
    for (const one of credentialsInUrl(request.url)) run.credentials.add(one);
    const call = toCall(
      {
        ...request,
        file: script.path,
        line,
        ...(doubt !== undefined && request.fault === undefined && { fault: doubt }),
      },
      run.reasons,
    );
    if (call === undefined) run.others += 1;
    else run.calls.push(call);
    isGateway ||= call !== undefined;
  }
  const answer = unknown(state, `the answer of a call in line ${line}`, { isAnswer: isGateway });
  if (output === undefined) write(state, answer);
  else writeFile(output, answer, false, state);
  state.status = { why: `the answer of a call in line ${line}`, isAnswer: isGateway, of: 'command' };
}
