import { stringify } from 'yaml';
import type { Json } from '../../model/json.ts';

/** Values as YAML documents, one after the other. */
export function printYaml(values: readonly Json[]): string {
  return values.map((value) => stringify(value, { lineWidth: 0 })).join('---\n');
}
