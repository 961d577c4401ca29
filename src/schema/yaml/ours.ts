import { memoize } from '../../model/collect.ts';
import type { SourceFile } from '../../model/problem.ts';
import { catalog } from '../kinds/index.ts';

const KINDS = [...catalog.kinds.values()].flatMap(({ name, aliases }) => [name, ...aliases]);
const NAMES = [...KINDS, ...catalog.ownKinds.keys(), 'Project'];

/** A line, or an entry in braces, with an apiVersion or a kind of gwconf. */
const OURS = new RegExp(
  `(?:^\\uFEFF?|[\\n\\r{,])[ \\t]*(?:- +)?["']?(?:apiVersion["']?[ \\t]*:[ \\t]*["']?(?:gateway|gwconf)/|kind["']?[ \\t]*:[ \\t]*["']?(?:${NAMES.join('|')})\\b)`,
  'i',
);

/**
 * Whether a file has documents of gwconf, also when their syntax is wrong. Nothing of any other file may be quoted: it may
 * hold whatever a path leads to.
 */
export function isOurs(file: SourceFile): boolean {
  return searched(file).isOurs;
}

const searched = memoize(({ text }: SourceFile) => ({ isOurs: OURS.test(text) }));
