import { expect, it } from 'vitest';
import { REQUESTS, requestOf } from '../../src/controller/resource.ts';

it('a new value of either annotation is a new request, whatever the other one says', () => {
  const asked = (annotations: Record<string, string>): string | undefined =>
    requestOf({ metadata: { name: 'app', annotations } });
  const [own = '', flux = ''] = REQUESTS;
  expect(asked({})).toBeUndefined();
  expect(asked({ [flux]: 'noon' })).toBe('noon');
  expect(asked({ [own]: 'dawn', [flux]: 'noon' })).not.toBe(asked({ [own]: 'dawn', [flux]: 'night' }));
  expect(asked({ [own]: 'dawn', [flux]: 'noon' })).not.toBe(asked({ [own]: 'dusk', [flux]: 'noon' }));
});
