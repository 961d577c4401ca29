import { describe, expect, it } from 'vitest';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { removalOf } from '../../support/rules.ts';
import { desiredOf, liveOf, toyKinds } from '../../support/toy-kinds.ts';

const DESIRED = desiredOf({ 'Room/red': {}, 'Person/ann': {} });
const LIVE = liveOf({ 'Room/red': {}, 'Room/blue': {} });

function told(flag: 'target' | 'exclude', ...globs: readonly string[]): readonly string[] {
  const selection = { target: [], exclude: [], [flag]: globs };
  const removals = [removalOf('Room/gone')];
  return makePlan(DESIRED, LIVE, toyKinds, { gateway: 'memory:', selection, removals })
    .problems.filter(({ code }) => code === 'unmatched-target')
    .map(({ severity, message, hint }) => `${severity}: ${message}; ${hint ?? ''}`);
}

describe('a glob of --target or --exclude', () => {
  it.each(['Room/red', 'Person/*', 'Room/blue', '*', '!Room/red', 'Room/gone'])(
    'matches what is declared, live or removed: %s',
    (glob) => {
      expect(told('target', glob)).toEqual([]);
      expect(told('exclude', glob)).toEqual([]);
    },
  );

  it('that matches nothing is an error with a similar address', () => {
    expect(told('target', 'Room/red', 'Room/rad', '!Room/bleu')).toEqual([
      'error: Room/rad matches no object in the files or on the gateway; did you mean Room/red?',
      'error: !Room/bleu matches no object in the files or on the gateway; did you mean Room/blue?',
    ]);
    expect(told('exclude', 'Nothing/like/it')).toEqual([
      'error: --exclude Nothing/like/it matches no object in the files or on the gateway; use addresses as plan prints them; * matches any text',
    ]);
  });

  it('of --exclude may be there in case', () => {
    expect(told('exclude', 'Nothing/*')).toEqual([]);
  });

  it('has one also among thousands', () => {
    const globs = Array.from({ length: 2000 }, (_, at) => `Room/none-${at}`);
    expect(told('target', ...globs)).toHaveLength(2000);
  });

  it('takes both ends of a rename, or none', () => {
    const changes = (target: readonly string[], exclude: readonly string[] = []): readonly string[] =>
      makePlan(desiredOf({ 'Room/new': {} }), liveOf({ 'Room/old': {} }), toyKinds, {
        gateway: 'memory:',
        selection: { target, exclude },
        removals: [removalOf('Room/old', { to: 'Room/new' })],
      }).value.changes.map(({ action, address }) => `${action} ${address}`);
    const all = ['create Room/new', 'delete Room/old'];
    expect(changes([])).toEqual(all);
    expect(changes(['Room/*'])).toEqual(all);
    for (const one of ['Room/new', 'Room/old']) {
      expect(changes([one])).toEqual([]);
      expect(changes([], [one])).toEqual([]);
    }
  });
});
