import { makePlaceholder } from '../../declare/placeholder.ts';

/** Values may name other variables; these may not go on without end. */
const MOST_ROUNDS = 5;
const MOST_TEXT = 1_000_000;

/** Fills in `{{name}}`, as Postman and HTTP files have it. What has no value becomes a placeholder. */
export function fillBraces(text: string, valueOf: (name: string) => string | undefined): string {
  let filled = text;
  for (let round = 0; round < MOST_ROUNDS && filled.includes('{{') && filled.length < MOST_TEXT; round += 1) {
    filled = filled.replaceAll(
      /\{\{([^{}]{1,200})\}\}/g,
      (_, name: string) => valueOf(name.trim()) ?? placeholderFor(name),
    );
  }
  return filled;
}

/** The placeholder of a variable of another tool, whose name may not be one of a shell: `{{$processEnv API_KEY}}`. */
export function placeholderFor(written: string): string {
  const name = (written.trim().split(/\s+/).at(-1) ?? '').replaceAll(/\W/g, '_').replace(/^_+/, '');
  return makePlaceholder(/^[A-Za-z]/.test(name) ? name : `V_${name}`);
}
