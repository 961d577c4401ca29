import type { Fault, KeptPlaceholders } from './interpolate.ts';

/** For files without placeholders: each is a fault. */
export function hasNoPlaceholder(message: string): KeptPlaceholders {
  const keep = (): Fault => ({
    code: 'bad-placeholder',
    message: `${message}: found \${…}`,
    hint: 'write the value out; or write $${…} for the text ${…}',
  });
  return { keep };
}
