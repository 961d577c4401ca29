// The minimum work of a plan: reads the files, parses them with the fastest parser, fetches and parses the lists, and
// compares by key. It has no positions, no defaults and no checks.
//
//     node bench/floor.mjs FOLDER URL COLLECTION…
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { constructFromEvents, parseEvents } from 'js-yaml';

const [folder, url, ...collections] = process.argv.slice(2);
const asked = collections.map(async (path) => (await fetch(url + path)).json());
const declared = readdirSync(folder).flatMap((name) => {
  const source = readFileSync(join(folder, name), 'utf8');
  return constructFromEvents(parseEvents(source, {}), { source });
});
const live = new Map((await Promise.all(asked)).flat().map((resource) => [keyOf(resource), resource]));
let different = 0;
for (const resource of declared) {
  if (!isDeepStrictEqual(resource.spec, live.get(keyOf(resource))?.spec)) different += 1;
}
console.log(declared.length, different);

function keyOf({ kind, metadata }) {
  return `${kind} ${metadata.name} ${metadata.vCluster ?? metadata.scope?.vCluster ?? ''}`;
}
