import { basename, join } from 'node:path';
import type { Io } from '../io.ts';

/** A file that init makes. */
export type Made = { readonly path: string; readonly text: string };

/** The first resource; in comments where the gateway may have others. */
export function firstFile(folder: string, isComment: boolean): Made {
  const text = isComment ? FIRST_RESOURCE.replaceAll(/^(?!#)/gm, '# ').replace(/# $/, '') : FIRST_RESOURCE;
  return { path: join(folder, 'topics.yaml'), text };
}

const FIRST_RESOURCE = `# An alias of a topic, for clients of the passthrough virtual cluster.
apiVersion: gateway/v2
kind: AliasTopic
metadata:
  name: orders
spec:
  physicalName: orders-v1
`;

/** .gitignore with what git must not have; undefined if it has all of it already. */
export async function gitignore(url: string, io: Io): Promise<Made | undefined> {
  const path = IGNORE_FILE;
  const before = io.exists(path) ? await io.readFile(path) : '';
  const there = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const state = /^embedded:([\w./-]+)$/.exec(url)?.[1];
  const missing = [...(state === undefined ? [] : [state]), ...IGNORED].filter((line) => !there.has(line));
  if (missing.length === 0) return undefined;
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' ? '' : before.endsWith('\n') ? end : `${end}${end}`;
  return { path, text: `${before}${gap}${[HEADING, ...missing, ''].join(end)}` };
}

export const IGNORE_FILE = '.gitignore';
const HEADING = '# gwconf: journals, saved plans, snapshots, embedded gateways, keys and secrets';
const IGNORED = [
  '.gwconf/',
  'plan.json',
  '*.plan.json',
  'snapshot.json',
  '*.snapshot.json',
  'plan-key.pem',
  '.env',
];

/** The folders of these files, or this one if some are in it. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  if (paths.some((path) => basename(path) === path)) return ['.'];
  return [...new Set(paths.map((path) => path.split(/[\\/]/)[0] ?? path))].sort();
}
