import { template } from '../../src/schema/explain/template.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

/** A template; undefined if there is none of this name. */
export function templateText(name: string): string | undefined {
  const found = template(name, catalog);
  return 'text' in found ? found.text : undefined;
}
