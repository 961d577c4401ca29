import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { serve } from '../gateway/opponent.ts';
import { makeWorld, type World } from './cli.ts';
import { LOGIN } from './served.ts';

/** What a gateway answers to a list: resources, the text of a response, or a refusal; `read` counts from 0. */
export type Answer = readonly Json[] | string | { readonly status: number; readonly body?: Json };
export type Answers = Readonly<Partial<Record<string, Answer | ((read: number) => Answer)>>>;

/** A world whose gateway answers lists as the test wants, by kind; the others are empty. Call `closeAll` after each test. */
export async function oddWorld(
  answers: Answers,
  files: Readonly<Record<string, string>> = {},
): Promise<World> {
  const reads = new Map<string, number>();
  const { url } = await serve((response, { path = '' }) => {
    const [bare] = path.split('?');
    const kind = [...catalog.kinds.values()].find(({ collection }) => collection === bare);
    const answer = answers[kind?.name ?? ''] ?? [];
    const read = reads.get(path) ?? 0;
    reads.set(path, read + 1);
    const given = typeof answer === 'function' ? answer(read) : answer;
    const isRefusal = typeof given === 'object' && 'status' in given;
    const body = isRefusal ? (given.body ?? { title: 'no' }) : given;
    response
      .writeHead(kind === undefined ? 404 : isRefusal ? given.status : 200, {
        'content-type': 'application/json',
      })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const world = makeWorld(files);
  Object.assign(world.env, LOGIN, { GWCONF_URL: url });
  return world;
}

/** An interceptor of a class that gwconf does not know, in passthrough. */
export function oddInterceptor(name: string, config: Json = {}, more: JsonObject = {}): Json {
  return {
    apiVersion: 'gateway/v2',
    kind: 'Interceptor',
    metadata: { name, scope: { vCluster: 'passthrough', group: null, username: null } },
    spec: { comment: '', pluginClass: 'com.example.Own', priority: 1, config, ...more },
  };
}

/** Names that file systems, YAML, shells or terminals take for something else. */
export const ODD_NAMES: readonly string[] = [
  'CON',
  'nul.txt',
  '..',
  '.',
  '.git',
  'a/b',
  String.raw`a\b`,
  'a:b',
  'trailing.',
  ' blanks ',
  'x'.repeat(300),
  '\u{1f600}',
  'e\u0301',
  'é',
  'Case',
  'case',
  'zero\u200bwidth',
  'zerowidth',
  '\u202egnp.exe',
  'new\nline',
  'tab\there',
  'bell\u0007',
  '# no comment',
  '---',
  '- item',
  'a: b',
  '"quoted"',
  "it's",
  'null',
  'true',
  '1e3',
  '0x1f',
  '~',
  '*',
  '&a',
  '!tag',
  '@global',
  'a@vCluster=b',
  'a,b=c',
  '50%',
  '%40',
  '$HOME',
  '`id`',
  '$(id)',
  '{{vCluster}}',
  '::error::x',
  '__proto__',
  'constructor',
];
