import { createRequire } from 'node:module';
import type * as ajv from 'ajv';

/** Loads ajv, which is needed only for what is invalid or has an unusual schema. The build replaces this by a bundled ajv. */
export function loadAjv(): typeof ajv {
  return createRequire(import.meta.url)('ajv') as typeof ajv;
}
