import { expect, it } from 'vitest';
import { declareLive } from '../../src/declare/declare-live.ts';
import { identify } from '../../src/model/identity.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { findInexactNumbers, noteInexactNumbers, withExactTexts } from '../../src/model/json/numbers.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf } from '../support/kinds.ts';
import { oddInterceptor } from '../support/odd-gateway.ts';

function declare(field: string, number: string): ReturnType<typeof declareLive> {
  const kind = kindOf('Interceptor');
  const text = JSON.stringify(oddInterceptor('i', { [field]: 0 })).replace('":0', `":${number}`);
  const numbers = findInexactNumbers(text);
  const resource = kind.read(withExactTexts(JSON.parse(text) as JsonObject, numbers));
  noteInexactNumbers(resource, numbers);
  const resources = new Map([[identify(kind, resource), resource]]);
  return declareLive({ resources, unavailable: new Map() }, catalog);
}

it('names a number that a file cannot express, and leaves its object out', () => {
  const { documents, problems } = declare('n', '9007199254740993');
  expect(documents).toEqual([]);
  expect(problems).toMatchObject([
    {
      code: 'inexact-number',
      message:
        'Interceptor/i@vCluster=passthrough has the number 9007199254740993 at /spec/config/n that JSON clients such as gwconf cannot represent exactly',
    },
  ]);
  expect(declare('n', '9007199254740991').problems).toEqual([]);
});

it('does not show a secret one', () => {
  expect(JSON.stringify(declare('token', '9007199254740993').problems)).not.toContain('90071992');
});
