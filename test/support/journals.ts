import { expect } from 'vitest';
import { type Journal, deriveStatuses, type ChangeStatus } from '../../src/apply/journal/journal.ts';
import { readJournal } from '../../src/apply/journal/read-journal.ts';
import { isSame } from '../../src/apply/verify/match-live.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import { idOf, type Change } from '../../src/plan/change/change.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf } from './kinds.ts';

/** The journal in a text; the test fails where it cannot be read. */
export function journalIn(text: string, where: string): Journal {
  const { value, problems } = readJournal(text, 'RUN.ndjson');
  return value ?? expect.fail(`${where}: ${problems.map(({ message }) => message).join()}`);
}

/** Holds all that a journal claims of the changes of its plan against what the gateway has. */
export async function expectTrue(
  journal: Journal,
  changes: readonly Change[],
  gateway: Gateway,
  where: string,
): Promise<void> {
  const { resources } = await readLive(gateway, [...catalog.kinds.values()]);
  const known = deriveStatuses(changes, journal);
  const allowed = new Map<Address, readonly (Resource | undefined)[]>();
  for (const change of changes) {
    const before = allowed.get(change.address) ?? [change.action === 'create' ? undefined : change.before];
    const claim = known.get(idOf(change)) ?? expect.fail(`${where}: nothing is known of ${change.address}`);
    allowed.set(change.address, left(before, change, claim));
  }
  for (const [address, each] of allowed) {
    const live = resources.get(address);
    const claims = changes
      .filter((change) => change.address === address)
      .map((change) => known.get(idOf(change)));
    expect(
      each.some((one) => isSame(kindOf(kindNameOf(address)), one, live)),
      `${where}: ${address} is not what the journal says (${claims.join()})`,
    ).toBe(true);
  }
}

/** What may be there after a change of which this is known, when these may have been there before. */
function left(
  before: readonly (Resource | undefined)[],
  change: Change,
  known: ChangeStatus,
): readonly (Resource | undefined)[] {
  const after = change.action === 'delete' ? undefined : change.after;
  switch (known) {
    case 'done':
    case 'already':
      return [after];
    case 'in-flight':
      return [...before, after, ...(change.action === 'replace' ? [undefined] : [])];
    case 'half':
      return [undefined];
    case 'not-attempted':
    case 'blocked':
      return before;
    case 'failed':
      return expect.fail(`${change.address} failed`);
    default:
      return known satisfies never;
  }
}
