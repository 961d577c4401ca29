import { createServer, type ServerResponse } from 'node:http';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Json } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { listen } from './listen.ts';

/** A gateway over HTTP that keeps calls waiting until it is let go: every write, or with `reads` every read instead. */
export type Held = {
  readonly url: string;
  readonly gateway: EmbeddedGateway;
  /** Resolves once so many of them have come, answered ones included. */
  arrived(count: number): Promise<void>;
  /** How many have come, and the most that waited together. */
  seen(): { readonly calls: number; readonly together: number };
  /** Answers what waits. */
  release(): void;
  /** Answers what waits and all that comes. */
  letGo(): void;
};

export async function hold({ reads = false } = {}): Promise<Held> {
  const gateway = memoryGateway(catalog.kinds);
  const waiting: (() => void)[] = [];
  const watchers: (() => void)[] = [];
  let calls = 0;
  let together = 0;
  let free = false;
  const reply = (response: ServerResponse, method: string, url: string, text: string): void => {
    const body = text === '' ? undefined : (JSON.parse(text) as Json); // what our own client sent
    const answer = gateway.handle(method, url, body);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const act = (): void => reply(response, method, url, Buffer.concat(chunks).toString());
      if ((method === 'GET') !== reads || free) {
        act();
        return;
      }
      calls += 1;
      waiting.push(act);
      together = Math.max(together, waiting.length);
      for (const look of watchers) look();
    });
  });
  const port = await listen(server);
  const release = (): void => {
    for (const act of waiting.splice(0)) act();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    gateway,
    arrived: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (calls >= count) resolve();
        };
        watchers.push(look);
        look();
      }),
    seen: () => ({ calls, together }),
    release,
    letGo() {
      free = true;
      release();
    },
  };
}
