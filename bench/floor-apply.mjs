// The least that an apply of creates can be: start, read and parse the file, fetch the list, write what it lacks over
// eight connections. No check, no journal, no retry, nothing read back.
//
//     node bench/floor-apply.mjs FILE URL COLLECTION
import { readFileSync } from 'node:fs';
import { constructFromEvents, parseEvents } from 'js-yaml';
import { Agent } from 'undici';

const TOGETHER = 8;
const [file, url, collection] = process.argv.slice(2);
const { origin, pathname } = new URL(url + collection);
const agent = new Agent({ connections: TOGETHER });
const headers = { 'content-type': 'application/json' };

const source = readFileSync(file, 'utf8');
const declared = constructFromEvents(parseEvents(source, {}), { source });
const listed = await agent.request({ origin, path: pathname, method: 'GET' });
const live = new Set((await listed.body.json()).map(({ metadata }) => metadata.name));
const missing = declared.filter(({ metadata }) => !live.has(metadata.name));
let next = 0;

async function work() {
  while (next < missing.length) {
    const body = JSON.stringify(missing[next++]);
    const answer = await agent.request({ origin, path: pathname, method: 'PUT', headers, body });
    await answer.body.json();
  }
}

await Promise.all(Array.from({ length: TOGETHER }, work));
await agent.close();
console.log(missing.length);
