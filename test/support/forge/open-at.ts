import { onTestFinished } from 'vitest';
import { openForge } from '../../../src/forge/open-forge.ts';
import type { Access, Forge } from '../../../src/forge/forge.ts';
import { virtualClock } from '../clock.ts';

/** A merge request of GitLab at an API, with the waits of its clock. */
export async function openAt(
  api: string,
  access: Partial<Access> = {},
): Promise<Forge & { readonly waits: readonly number[] }> {
  const clock = virtualClock();
  const { signal } = new AbortController();
  const timing = {
    wait: (ms: number) => clock.wait(ms, signal),
    now: () => new Date(Date.parse('2026-03-01T12:00:00Z') + clock.now()),
    random: clock.random,
  };
  const forge = await openForge(
    {
      pullRequest: { forge: 'gitlab', api, repository: 'acme/gateway', number: 12 },
      token: { value: 'secret-token', origin: 'GITLAB_TOKEN' },
      userAgent: 'gwconf/1',
      ...access,
    },
    timing,
  );
  onTestFinished(() => forge.close());
  return { ...forge, waits: clock.waits };
}
