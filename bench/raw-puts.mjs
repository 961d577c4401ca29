// The minimum work of an apply: COUNT writes, TOGETHER of them at a time.
//
//     node bench/raw-puts.mjs URL COUNT TOGETHER
import { Agent } from 'undici';

const [url, count, together] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const agent = new Agent({ connections: Number(together) });
const headers = { 'content-type': 'application/json' };
let next = 0;

async function work() {
  while (next < Number(count)) {
    const name = `topic-${next++}`;
    const resource = {
      apiVersion: 'gateway/v2',
      kind: 'AliasTopic',
      metadata: { name, vCluster: 'prod' },
      spec: { physicalName: name },
    };
    const body = JSON.stringify(resource);
    const answer = await agent.request({ origin, path: pathname, method: 'PUT', headers, body });
    await answer.body.json();
  }
}

await Promise.all(Array.from({ length: Number(together) }, work));
await agent.close();
