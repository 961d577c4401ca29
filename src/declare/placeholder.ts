/** Private-use characters: no file that is read may contain them. */
const [OPEN, CLOSE] = ['\uE000', '\uE001'];
const PLACEHOLDER = /\uE000([A-Za-z_]\w*)\uE001/g;

/** The placeholder in a path, query or body for a variable that the file does not set. */
export function makePlaceholder(name: string): string {
  return `${OPEN}${name}${CLOSE}`;
}

/** The names of the variables in a text, in order, also repeated ones. */
export function placeholdersIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string); // the group is not optional
}

/** Whether a text is a placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return new RegExp(`^${PLACEHOLDER.source}$`).test(text);
}

/** Whether a text of a file could be taken for a placeholder. */
export function resemblesPlaceholder(text: string): boolean {
  return text.includes(OPEN) || text.includes(CLOSE);
}

/** A text with each placeholder as a variable of gwconf: `${NAME}`. */
export function withVariables(text: string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => `\${${name}}`);
}
