// A minimal gateway: it answers lists from files, accepts every write, and deletes what is named in the body. Each scenario has its own path, so that one
// server serves all; a number of milliseconds behind @ is the latency.
//
//     node bench/server.mjs FOLDER      prints its address; GET /seen/SCENARIO returns the requests since the last call
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [root] = process.argv.slice(2);
const kept = new Map();
const seen = new Map();

const server = createServer((request, response) => {
  const [, scenario, ...rest] = request.url.split('/');
  if (scenario === 'seen') {
    response.end(JSON.stringify(seen.get(rest[0]) ?? {}));
    seen.delete(rest[0]);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const width = note(scenario, request.method);
    const list = listAt(scenario, rest.join('/'));
    if (list === undefined) {
      width.now -= 1;
      response.writeHead(404).end(); // plugins are not listed
      return;
    }
    const answer = answers[request.method](list, Buffer.concat(chunks));
    const latency = Number(scenario.split('@')[1] ?? 0);
    const send = () => {
      width.now -= 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    };
    if (latency === 0) send();
    else setTimeout(send, latency);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

function listAt(scenario, path) {
  const key = `${scenario}/${path}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const file = join(root, 'lists', scenario.split('@')[0], `${path}.json`);
  if (!existsSync(file)) return undefined;
  const list = { text: readFileSync(file), added: new Map() };
  kept.set(key, list);
  return list;
}

// A measurement writes to a gateway that has no objects, and what it writes is listed.
const answers = {
  GET: ({ text, added }) => (added.size === 0 ? text : `[${[...added.values()].join(',')}]`),
  PUT({ added }, body) {
    added.set(keyOf(JSON.parse(body).metadata), body);
    return '{"upsertResult":"CREATED"}';
  },
  DELETE({ added }, body) {
    added.delete(keyOf(JSON.parse(body)));
    return '';
  },
};

function keyOf({ name, vCluster = 'passthrough', scope = null }) {
  return JSON.stringify([name, vCluster, scope]);
}

/** Counts a request, and gives how many are in flight. */
function note(scenario, method) {
  const before = seen.get(scenario) ?? { requests: 0, writes: 0, width: { now: 0, most: 0, overTime: [] } };
  const { width } = before;
  const isWrite = method !== 'GET';
  width.now += 1;
  width.most = Math.max(width.most, width.now);
  if (isWrite && before.writes % 100 === 99) width.overTime.push(width.now);
  seen.set(scenario, { requests: before.requests + 1, writes: before.writes + Number(isWrite), width });
  return width;
}
