import { expect, it } from 'vitest';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { checkClusterNames } from '../../../src/plan/checks/name-checks.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { stateOf } from '../../support/expect-problems.ts';
import { resource } from '../../support/kinds.ts';
import { liveStateOf } from '../../support/plans.ts';

const { kinds } = catalog;
const filesWith = (...names: readonly string[]) =>
  stateOf(
    names
      .map((name) => `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: ${name} }\nspec: {}\n`)
      .join('---\n'),
  );
const told = (...names: readonly string[]): readonly (string | undefined)[] =>
  Array.from(
    checkClusterNames({ desired: filesWith(...names), removals: [], rules: {}, kinds }),
    ({ message }) => message,
  );
const telling = (longer: string, shorter: string, rest: string): string =>
  `the name of VirtualCluster/${longer} begins with that of VirtualCluster/${shorter}: clients of ${shorter} have the topics of ${longer}, too, as ${rest}…, without its interceptors and ACLs`;

it('a virtual cluster whose name begins with that of another is told, with the nearest one', () => {
  expect(told('prod', 'prod2')).toEqual([telling('prod2', 'prod', '2')]);
  expect(told('prod-eu-1', 'prod', 'prod-eu')).toEqual([
    telling('prod-eu-1', 'prod-eu', '-1'),
    telling('prod-eu', 'prod', '-eu'),
  ]);
});

it('names of which none begins with another are not told', () => {
  expect(told('prod1', 'prod2', 'my-prod', 'passthrough-2')).toEqual([]);
});

it('one on the gateway counts, also where its name is the longer one, unless it goes', () => {
  const live = liveStateOf([resource('VirtualCluster', { name: 'prod2' }, {})]);
  const planned = (names: readonly string[], prune: readonly string[] = []): readonly unknown[] =>
    makePlan(filesWith(...names), live, kinds, {
      ...{ gateway: 'memory:', prune, rules: { manages: ['*'] } },
    }).problems.flatMap(({ code, message, address }) =>
      code === 'shared-prefix' ? [[message, address]] : [],
    );
  const expected = telling('prod2', 'prod', '2');
  expect(planned(['prod'])).toEqual([[expected, 'VirtualCluster/prod']]);
  expect(planned(['prod', 'prod2'])).toEqual([[expected, 'VirtualCluster/prod2']]);
  expect(planned(['prod'], ['*'])).toEqual([]);
});
