import { describe, expect, it } from 'vitest';
import { crashText } from '../../../src/cli/host/crash.ts';

const SECRET = 'hunter2';

function thrownBy(fail: () => unknown): unknown {
  try {
    return fail();
  } catch (error) {
    return error;
  }
}

describe('what is said of a bug', () => {
  it('is what broke, where, with which versions, and what to do', () => {
    const text = crashText(thrownBy(() => (undefined as unknown as { readonly a: unknown }).a));
    expect(text).toMatch(/^gwconf: this is a bug in gwconf; please report it with these lines/);
    expect(text).toMatch(/^gwconf \d\S+, Node\.js v\d+\S+, \w+ \w+$/m);
    expect(text).toContain("TypeError: Cannot read properties of undefined (reading 'a')\n    at ");
    expect(text).toMatch(/^ {4}at .*crash\.test\.ts:\d+:\d+/m);
  });

  it.each<[string, () => unknown]>([
    ['a value that a parser quotes', () => JSON.parse(`"${SECRET}`) as unknown],
    ['a value that Node.js quotes', () => Buffer.alloc(SECRET as unknown as number)],
    ['a value that an address is made of', () => new URL(`//${SECRET}`)],
    ['words of its own', () => new Error(`cannot send ${SECRET}`)],
    ['words that look like a stack', () => new Error(`x\n    at ${SECRET} (a.js:1:1)`)],
    ['another cause', () => new Error('x', { cause: new Error(SECRET) })],
    ['several', () => new AggregateError([new Error(SECRET)], SECRET)],
    ['more fields', () => Object.assign(new TypeError('x'), { request: { headers: SECRET } })],
    [
      'a stack that was made up',
      () => Object.assign(new Error('x'), { stack: `${SECRET}\n    at ${SECRET}` }),
    ],
    ['no error at all', () => ({ password: SECRET })],
    ['a text', () => SECRET],
    ['nothing', () => undefined],
  ])('holds no value: %s', (_, fail) => {
    expect(crashText(thrownBy(fail))).not.toContain(SECRET);
  });

  it('is short and harmless', () => {
    const deep = thrownBy(function again(): unknown {
      return [again()];
    });
    expect(crashText(deep)).toContain('RangeError: Maximum call stack size exceeded');
    const odd = Object.assign(new TypeError(`a\u001b[2J\n::error::${'x'.repeat(1000)}`), { name: 'a\u202e' });
    for (const error of [deep, odd]) {
      expect(crashText(error).split('\n').length).toBeLessThan(30);
      expect(crashText(error).length).toBeLessThan(6000);
      expect(crashText(error)).not.toMatch(/[\u001b\u202e]|^::/m);
    }
  });
});
