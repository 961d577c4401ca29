import { describe, expect, it } from 'vitest';
import { renderJunit } from '../../../src/report/ci/junit.ts';
import { dedent } from '../../support/expect-problems.ts';
import { TOOL, FULL, HOSTILE, INFO, PLACELESS } from '../hostile.ts';

describe('junit', () => {
  it('has a test case for each problem, failed if it is an error', () => {
    expect(renderJunit([FULL, INFO, PLACELESS], TOOL)).toBe(
      dedent(`
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="gwconf" tests="3" failures="2" errors="0" skipped="0">
          <testsuite name="gwconf" tests="3" failures="2" errors="0" skipped="0">
            <testcase classname="topics/orders.yaml" name="duplicate-resource at 9:3: AliasTopic/orders is declared twice" file="topics/orders.yaml" line="9">
              <failure type="duplicate-resource" message="AliasTopic/orders is declared twice; keep one of the two">./topics/orders.yaml:9:3
        error: AliasTopic/orders is declared twice
        see also topics/more.yaml:2:5
        keep one of the two</failure>
            </testcase>
            <testcase classname="../up/a.yaml" name="unusual-value at 4:1: that is unusual" file="../up/a.yaml" line="4">
              <system-out>../up/a.yaml:4:1
        info: that is unusual</system-out>
            </testcase>
            <testcase classname="gwconf" name="connection-error: the gateway cannot be reached">
              <failure type="connection-error" message="the gateway cannot be reached">error: the gateway cannot be reached</failure>
            </testcase>
          </testsuite>
        </testsuites>
      `),
    );
  });

  it('passes without problems', () => {
    expect(renderJunit([], TOOL)).toBe(
      dedent(`
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="gwconf" tests="1" failures="0" errors="0" skipped="0">
          <testsuite name="gwconf" tests="1" failures="0" errors="0" skipped="0">
            <testcase classname="gwconf" name="no problems"/>
          </testsuite>
        </testsuites>
      `),
    );
  });

  it('escapes what it prints', () => {
    const text = renderJunit([HOSTILE, { ...HOSTILE, severity: 'error' }], TOOL);
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e\ufffe]|\p{Surrogate}/u);
    expect(text).toContain('\\u0000b\\u001b[31mc\\u0085d\\u2028e\\u202ef\\ud800g\\ufffeh');
    expect(text).toContain('&lt;&amp;&gt;&quot;&apos;{0} ]]&gt;');
    expect(text).toContain('🦆');
    // Only our own elements are there, and each attribute is closed.
    const markup = /<\?xml [^<>]*\?>|<\/?(?:testsuites?|testcase|failure|system-out)(?: \w+="[^"<>]*")*\/?>/g;
    expect(text.replace(markup, '')).not.toMatch(/[<>]/);
  });
});
