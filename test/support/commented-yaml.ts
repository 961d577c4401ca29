import fc from './fast-check.ts';
import type { Json } from '../../src/model/json/json.ts';

/** A value with the way it is written: comments, empty lines, quotes, braces. Printing it after a change is the oracle of edits. */
export type Node =
  | { readonly type: 'scalar'; readonly value: string | number; readonly style: Style }
  | {
      readonly type: 'flow';
      readonly entries: readonly (readonly [string, Node])[];
      readonly isList: boolean;
    }
  | {
      readonly type: 'block';
      readonly entries: readonly Child[];
      readonly isList: boolean;
      /** Empty lines that an entry at the end has left. */
      readonly tail?: number;
    };
export type Child = {
  readonly key: string;
  readonly value: Node;
  /** Empty lines above; they stay when the entry goes. */
  readonly gap: number;
  readonly above: readonly string[];
  readonly behind: string | undefined;
};
type Style = 'plain' | 'single' | 'double' | 'literal';

const word = fc
  .stringMatching(/^[a-z]{3,8}( [a-z]{2,5})?$/)
  .filter((text) => !/^(?:true|false|null)/.test(text));
const comment = fc.stringMatching(/^[a-z]{3,9}: [a-z-]{2,9}$/);

const scalar: fc.Arbitrary<Node> = fc.oneof(
  fc.record({
    type: fc.constant('scalar' as const),
    value: word,
    style: fc.constantFrom<Style>('plain', 'single', 'double', 'literal'),
  }),
  fc.record({
    type: fc.constant('scalar' as const),
    value: fc.nat(999),
    style: fc.constant('plain' as const),
  }),
);
const inFlow = scalar.filter((node) => node.type === 'scalar' && node.style !== 'literal');

function keyed<T>(values: fc.Arbitrary<T>): fc.Arbitrary<readonly (readonly [string, T])[]> {
  const key = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'a.b', 'omega');
  return fc.uniqueArray(fc.tuple(key, values), { selector: ([name]) => name, minLength: 1, maxLength: 4 });
}

const flow: fc.Arbitrary<Node> = fc
  .tuple(keyed(inFlow), fc.boolean())
  .map(([entries, isList]) => ({ type: 'flow', entries, isList }));

const nodes = fc.letrec<{ node: Node; block: Node }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, scalar, flow, tie('block')),
  block: fc
    .tuple(
      keyed(
        fc.record({
          value: tie('node'),
          gap: fc.nat(1),
          above: fc.array(comment, { maxLength: 2 }),
          behind: fc.option(comment, { nil: undefined }),
        }),
      ),
      fc.boolean(),
    )
    .map(([entries, isList]): Node => ({
      type: 'block',
      isList,
      entries: entries.map(([key, one], at) => ({ ...one, key, gap: at === 0 ? 0 : one.gap })),
    })),
}));

/** The map of a document. */
export const tree: fc.Arbitrary<Node> = nodes.block.map((node) => ({ ...node, isList: false }) as Node);

export function valueOfNode(node: Node): Json {
  if (node.type === 'scalar') return node.value;
  const entries =
    node.type === 'flow' ? node.entries : node.entries.map(({ key, value }) => [key, value] as const);
  const values = entries.map(([key, one]) => [key, valueOfNode(one)] as const);
  return node.isList ? values.map(([, value]) => value) : Object.fromEntries(values);
}

export function printTree(root: Node): string {
  return linesOf(root, '').join('\n') + '\n';
}

function linesOf(node: Node, indent: string): readonly string[] {
  if (node.type !== 'block') return [];
  const lines = node.entries.flatMap((child) => {
    const { key, value, gap, above, behind } = child;
    const comment = behind === undefined ? '' : ` # ${behind}`;
    const lead = node.isList ? '-' : `${key}:`;
    const top = [...Array<string>(gap).fill(''), ...above.map((one) => `${indent}# ${one}`)];
    if (value.type !== 'block') {
      const [head = '', ...lines] = textOf(value).split('\n');
      return [...top, `${indent}${lead} ${head}${comment}`, ...lines.map((line) => `${indent}  ${line}`)];
    }
    // A list item that is a map begins below its dash, so that it can have comments of its own.
    return [...top, `${indent}${lead}${comment}`, ...linesOf(value, `${indent}  `)];
  });
  return [...lines, ...Array<string>(node.tail ?? 0).fill('')];
}

function textOf(node: Node): string {
  if (node.type === 'flow') {
    const entries = node.entries.map(([key, one]) => (node.isList ? textOf(one) : `${key}: ${textOf(one)}`));
    if (entries.length === 0) return node.isList ? '[]' : '{}';
    return node.isList ? `[${entries.join(', ')}]` : `{ ${entries.join(', ')} }`;
  }
  if (node.type === 'block') throw new Error('a block has lines');
  const { value, style } = node;
  switch (style) {
    case 'plain':
      return String(value);
    case 'single':
      return `'${value}'`;
    case 'double':
      return `"${value}"`;
    case 'literal':
      return `|-\n${value}`;
    default:
      return style satisfies never;
  }
}

/** A change by hand: what one entry becomes. */
export type HandEdit = {
  readonly pick: number;
  readonly op: 'set' | 'remove' | 'add';
  readonly text: string;
};
export const handEdit: fc.Arbitrary<HandEdit> = fc.record({
  pick: fc.nat(),
  op: fc.constantFrom('set' as const, 'remove' as const, 'add' as const),
  text: word,
});

/** The tree after an edit of one of its entries. */
export function changeTree(root: Node, { pick, op, text }: HandEdit, newKey: string): Node {
  const total = countPlaces(root, op);
  let left = total === 0 ? -1 : pick % total;
  const walk = (node: Node): Node => {
    if (node.type === 'scalar') return node;
    if (op === 'set' && !node.isList) {
      const set = (child: Node): Node => {
        if (child.type !== 'scalar') return walk(child);
        return left-- === 0 ? { ...child, value: text } : child;
      };
      if (node.type === 'flow')
        return { ...node, entries: node.entries.map(([key, one]) => [key, set(one)] as const) };
      return { ...node, entries: node.entries.map((child) => ({ ...child, value: set(child.value) })) };
    }
    const size = node.entries.length;
    if (op === 'remove' && size > 1) {
      const at = left;
      left -= size;
      if (at >= 0 && at < size) return without(node, at);
    }
    if (op === 'add' && tailOf(node) === 0 && left-- === 0) {
      const value: Node = { type: 'scalar', value: text, style: 'plain' };
      const added =
        node.type === 'flow'
          ? ([newKey, value] as const)
          : { key: newKey, value, gap: 0, above: [], behind: undefined };
      return { ...node, entries: [...node.entries, added] } as Node;
    }
    if (node.type === 'flow')
      return { ...node, entries: node.entries.map(([key, one]) => [key, walk(one)] as const) };
    return { ...node, entries: node.entries.map((child) => ({ ...child, value: walk(child.value) })) };
  };
  return walk(root);
}

/** The empty lines around an entry that goes stay. */
function without(node: Exclude<Node, { type: 'scalar' }>, at: number): Node {
  if (node.type === 'flow') return { ...node, entries: node.entries.filter((_, index) => index !== at) };
  const removed = node.entries[at];
  const gap = removed === undefined ? 0 : removed.gap + tailOf(removed.value);
  const entries = node.entries.flatMap((entry, index) =>
    index === at ? [] : [index === at + 1 ? { ...entry, gap: entry.gap + gap } : entry],
  );
  const isLast = at === node.entries.length - 1;
  return { ...node, entries, tail: (node.tail ?? 0) + (isLast ? gap : 0) };
}

/** The empty lines at the end of all that is in a value; a new entry would come before them. */
function tailOf(node: Node): number {
  if (node.type !== 'block') return 0;
  const last = node.entries.at(-1);
  return (node.tail ?? 0) + (last === undefined ? 0 : tailOf(last.value));
}

/** Another item of a list is a new one: its comments are those of the former one. */
function countPlaces(node: Node, op: HandEdit['op']): number {
  if (node.type === 'scalar') return 0;
  const children =
    node.type === 'flow' ? node.entries.map(([, one]) => one) : node.entries.map(({ value }) => value);
  const inside = children.map((child) => countPlaces(child, op));
  const scalars = node.isList ? 0 : children.filter(({ type }) => type === 'scalar').length;
  const removable = node.entries.length > 1 ? node.entries.length : 0;
  const here = { add: tailOf(node) === 0 ? 1 : 0, remove: removable, set: scalars }[op];
  return inside.reduce((sum, one) => sum + one, here);
}
