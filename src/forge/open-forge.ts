import { bitbucketCloud, bitbucketServer } from './bitbucket.ts';
import { openWire, type Trace, type Wire, type Timing } from './fetch.ts';
import type { Access, Forge } from './forge.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { ForgeName } from './pull-request.ts';

const FORGES: Readonly<Record<ForgeName, (access: Access, wire: Wire) => Forge>> = {
  github,
  gitlab,
  'bitbucket-cloud': bitbucketCloud,
  'bitbucket-server': bitbucketServer,
};

/** Opens the way to a pull request; nothing is asked yet. */
export async function openForge(access: Access, timing: Timing, trace?: Trace): Promise<Forge> {
  const forge = FORGES[access.pullRequest.forge](access, await openWire(access, timing, trace));
  // It is asked once for all comments.
  let asked: Promise<string | undefined> | undefined;
  return { ...forge, whoAmI: () => (asked ??= forge.whoAmI()) };
}
