import { VARIABLE } from '../../workflow/live/allowed-hosts.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { serveMcp } from '../mcp/serve.ts';

/** Serves tools to a coding agent until it goes. */
export const run: Run<'mcp'> = async ({ args, io, runLine }) => {
  const mayAsk = args.gateway === true;
  if (mayAsk && io.env(VARIABLE) === undefined)
    throw new UsageError(
      `--gateway needs ${VARIABLE}: it lists the gateways that may get the password, whatever an agent writes into gwconf.yaml`,
    );
  io.expectMuch();
  await serveMcp(io, { mayAsk, runLine });
  return undefined;
};
