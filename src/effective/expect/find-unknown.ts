import type { ChainLink } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import type { TestCase } from '../../model/test-case.ts';
import { suggest } from '../../model/text/suggest.ts';
import { compileLinkGlobs } from '../protection.ts';
import type { Tested } from './tested.ts';

/** Sorts of protection that do not exist, and expectations that cannot fail. */
export function findUnknown(
  { expect: { excludes = [], protectedBy = [] } }: TestCase,
  { state, sorts, classes }: Tested,
): readonly Problem[] {
  const links = state.links();
  const known = [
    ...classes.map((pluginClass) => ({ pluginClass, address: '' as ChainLink['address'] })),
    ...links,
  ];
  return [
    ...protectedBy
      .filter(({ text }) => !sorts.includes(text))
      .map(({ text, at }): Problem => {
        const near = suggest(text, sorts);
        return {
          code: 'invalid-value',
          severity: 'error',
          message: `there is no sort of protection ${text}`,
          at,
          hint: near === undefined ? `use one of ${sorts.join(', ')}` : `did you mean ${near}?`,
        };
      }),
    ...excludes
      .filter(({ text }) => !known.some(compileLinkGlobs([text])))
      .map(({ text, at }): Problem => {
        const names = text.includes('/')
          ? links.map(({ address }) => address)
          : classes.map((name) => name.slice(name.lastIndexOf('.') + 1));
        const near = suggest(text, names);
        return {
          code: 'unmatched-expectation',
          severity: 'warning',
          message: `no interceptor and no plugin class is called ${text}, so this cannot fail`,
          at,
          hint: near === undefined ? 'check the name' : `did you mean ${near}?`,
        };
      }),
  ];
}
