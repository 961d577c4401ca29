import { describe, expect, it } from 'vitest';
import { makeWorld, wrongUsage } from '../support/cli.ts';

describe('gwconf explain', () => {
  it('prints what is known of a field', async () => {
    const ran = await makeWorld().run('explain', 'Interceptor.spec.priority');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toBe(
      'Interceptor.spec.priority\n\nInterceptors with lower priority run first.\n\nType:      integer\nRequired:  yes\nMinimum:   -2147483648\nMaximum:   2147483647\n',
    );
  });

  it('prints what is known of a plugin class', async () => {
    const { code, out } = await makeWorld().run('explain', 'FieldLevelDataMaskingPlugin');
    expect(code).toBe(0);
    expect(out).toMatch(/^io\.conduktor\.gateway\.interceptor\.FieldLevelDataMaskingPlugin\n/);
  });

  it.each([
    ['Interceptr', wrongUsage('there is no kind or plugin class Interceptr; did you mean Interceptor?')],
    [
      'Interceptor.spec.prioritee',
      wrongUsage('Interceptor.spec has no field prioritee; did you mean priority?'),
    ],
    ['zzz\u001b[31m', wrongUsage('there is no kind or plugin class zzz\\u001b[31m')],
  ])('refuses %j', async (question, err) => {
    expect(await makeWorld().run('explain', question)).toMatchObject({ code: 64, out: '', err });
  });
});
