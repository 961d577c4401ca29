import type { SourceFile } from '../../model/problem.ts';
import type { ParsedDocument } from './document.ts';
import type { Variables } from './interpolate.ts';

/** Documents, with what was asked of variables for them and what they answered. */
type Reading = { readonly asked: ReadonlyMap<string, Asked>; readonly documents: readonly ParsedDocument[] };
type Asked = { readonly ask: (variables: Variables) => unknown; readonly answer: string | undefined };

/** Two are enough: environments that share a file read it the same, or each in its own way. */
const MOST_READINGS = 2;

const known = new WeakMap<SourceFile, readonly Reading[]>();

/**
 * The documents of a file, read once for as long as variables answer the same. They are asked again each time: whoever has variables
 * notes what files get of them.
 */
export function readOnce(
  file: SourceFile,
  variables: Variables,
  read: (variables: Variables) => readonly ParsedDocument[],
): readonly ParsedDocument[] {
  const readings = known.get(file) ?? [];
  const same = readings.find(({ asked }) =>
    [...asked.values()].every(({ ask, answer }) => JSON.stringify(ask(variables)) === answer),
  );
  if (same !== undefined) return same.documents;
  const asked = new Map<string, Asked>();
  const documents = read(listening(variables, asked));
  known.set(file, [{ asked, documents }, ...readings].slice(0, MOST_READINGS));
  return documents;
}

/** The same variables; what is asked of them is noted. */
function listening(variables: Variables, asked: Map<string, Asked>): Variables {
  const note = <T>(name: string, ask: (one: Variables) => T): T => {
    const answer = ask(variables);
    if (!asked.has(name)) asked.set(name, { ask, answer: JSON.stringify(answer) });
    return answer;
  };
  return {
    valueOf: (name) => note(`valueOf ${name}`, (one) => one.valueOf(name)),
    isPublic: (name) => note(`isPublic ${name}`, (one) => one.isPublic(name)),
    publish: (names) => note(`publish ${names.join(',')}`, (one) => one.publish(names)),
    refuse: (name) => note(`refuse ${name}`, (one) => one.refuse(name)),
    source: (name) => note(`source ${name}`, (one) => one.source(name)),
    get typed() {
      return note('typed', (one) => one.typed);
    },
    get missing() {
      return note('missing', (one) => one.missing);
    },
  };
}
