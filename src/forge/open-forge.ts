import { bitbucketCloud, bitbucketServer } from './bitbucket.ts';
import { openWire, type Trace, type Timing } from './fetch.ts';
import { ForgeError, type Access, type Forge } from './forge.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { ForgeName } from './pull-request.ts';
import { openRest, readPages, textOf, type ForgeApi } from './rest.ts';

const FORGES: Readonly<Record<ForgeName, (access: Access) => ForgeApi>> = {
  github,
  gitlab,
  'bitbucket-cloud': bitbucketCloud,
  'bitbucket-server': bitbucketServer,
};

/** Opens the way to a pull request; nothing is asked yet. */
export async function openForge(access: Access, timing: Timing, trace?: Trace): Promise<Forge> {
  const wire = await openWire(access, timing, trace);
  const api = FORGES[access.pullRequest.forge](access);
  const rest = openRest(access, wire, api);
  // It is asked once for all comments.
  let asked: Promise<string | undefined> | undefined;
  return {
    whoAmI: () => (asked ??= api.whoAmI(rest)),
    list: async () => (await readPages(rest, api)).map(api.read),
    create: async (body) => api.read((await rest.once(...api.create(body))).data),
    update: async (comment, body) => api.read((await rest.repeat(...api.update(comment, body))).data),
    remove: async (comment) => {
      await rest.repeat(...api.remove(comment));
    },
    readHead: async () => {
      try {
        const { data } = await rest.repeat(...api.about);
        return /^open/i.test(textOf(data, 'state')) ? textOf(data, ...api.head) || undefined : undefined;
      } catch (error) {
        if (error instanceof ForgeError) return undefined;
        throw error;
      }
    },
    close: wire.close,
  };
}
