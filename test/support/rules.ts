import type { Place } from '../../src/model/problem.ts';
import type { Address } from '../../src/model/resource.ts';
import type { Removal } from '../../src/model/rules.ts';

/** Where a rule of a made-up project stands. */
export const SOMEWHERE: Place = { file: { path: 'gwconf.yaml', text: 'rules\n' }, offset: 0 };

/** What a made-up file asks to go; with `to`, what it asks to be called otherwise. */
export function removalOf(address: string, { to, ...more }: { to?: string; expires?: string } = {}): Removal {
  return {
    address: address as Address, // written as plans print it
    reason: 'nobody needs it',
    place: SOMEWHERE,
    at: { file: 'removals.yaml', line: 1, column: 1 },
    ...more,
    ...(to === undefined ? {} : { to: { address: to as Address, place: SOMEWHERE } }),
  };
}
