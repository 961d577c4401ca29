import { describe, expect, it } from 'vitest';
import { checkExamples } from '../../src/policy/examples.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { builtInPolicies } from '../../src/schema/kinds/policies/built-in.ts';
import { makePolicy } from '../../src/schema/project/read-policies.ts';
import { policySchema } from '../../src/schema/project/policy-schema.ts';
import { violationsOf } from '../../src/schema/validate.ts';

const place = { file: { path: 'built-in', text: '' }, offset: 0 };

describe.each(Object.entries(builtInPolicies))('the built-in policy %s', (name, raw) => {
  it('is valid, and judges its examples as they say', () => {
    const document = { apiVersion: 'gwconf/v1', kind: 'Policy', metadata: { name }, spec: raw };
    expect(violationsOf(policySchema, document)).toEqual([]);
    const { results, problems } = checkExamples([makePolicy(name, raw, () => place)], catalog.kinds);
    expect(problems.map(({ message }) => message)).toEqual([]);
    const failing = results.filter(({ expected }) => expected === 'fail');
    expect(failing).toHaveLength(raw.examples.fail.length);
    for (const { message } of failing) expect(message).toMatch(new RegExp(`^${raw.message}(?:: masking)?$`));
  });
});
