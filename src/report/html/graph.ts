import { kindOf, type Address } from '../../model/resource.ts';
import { cutWithin } from '../../model/text/list.ts';
import { onOneLine } from '../escape.ts';
import { virtualClusterOf } from '../page/totals.ts';
import type { Step } from '../page/page.ts';
import type { LazyList } from '../../outcome/lazy.ts';
import { escapeHtml } from '../markup.ts';

/** Changes that are drawn as one box: one change, or all of a kind in a virtual cluster with the same fate and level. */
type Box = {
  readonly label: string;
  readonly section: string;
  readonly level: number;
  count: number;
  readonly after: Set<Box>;
};

/** Up to this many changes have a box each; more are drawn together. */
const MOST_SINGLE = 40;
/** More boxes than this are not drawn. */
const MOST_BOXES = 200;

/** The order of changes: a column for each level, and a line to each change from what must be made before it. */
export function renderGraph(steps: LazyList<Step>): string {
  const boxes = boxesOf(steps, steps.length > MOST_SINGLE);
  const hasOrder = boxes?.some(({ after }) => after.size > 0) ?? false;
  if (boxes === undefined || !hasOrder) return '';
  return `<section><h2>Order</h2>\n<p class="soft">Each change waits for those to its left that a line leads from.</p>\n${draw(boxes)}</section>\n`;
}

/** Undefined if they are too many to read. */
function boxesOf(steps: LazyList<Step>, isMerged: boolean): readonly Box[] | undefined {
  const byKey = new Map<string, Box>();
  const byId = new Map<string, Box>();
  for (const { id, name, section, after } of steps) {
    const before = after.flatMap((one) => byId.get(one) ?? []);
    const level = before.reduce((most, box) => Math.max(most, box.level + 1), 0);
    const label = isMerged ? groupOf(name) : id;
    const key = `${level} ${section} ${label}`;
    const box = byKey.get(key) ?? { label, section, level, count: 0, after: new Set() };
    box.count += 1;
    for (const one of before) box.after.add(one);
    byKey.set(key, box);
    byId.set(id, box);
    if (byKey.size > MOST_BOXES) return undefined;
  }
  return [...byKey.values()];
}

function groupOf(name: string): string {
  const vCluster = virtualClusterOf(name);
  return `${kindOf(name as Address)}${vCluster === undefined ? '' : ` in ${vCluster}`}`;
}

const WIDTH = 300;
const HEIGHT = 30;
const GAP = { x: 60, y: 12 };
/** Characters of a label that fit into a box. */
const FITS = 36;

function draw(boxes: readonly Box[]): string {
  const rows = new Map<number, number>();
  const places = new Map<Box, { readonly x: number; readonly y: number }>();
  for (const box of boxes) {
    const row = rows.get(box.level) ?? 0;
    rows.set(box.level, row + 1);
    places.set(box, { x: box.level * (WIDTH + GAP.x), y: row * (HEIGHT + GAP.y) });
  }
  const columns = rows.size;
  const most = [...rows.values()].reduce((one, other) => Math.max(one, other), 0);
  const [width, height] = [columns * (WIDTH + GAP.x) - GAP.x, most * (HEIGHT + GAP.y) - GAP.y];
  const lines = boxes.flatMap((box) => [...box.after].map((from) => line(places.get(from), places.get(box))));
  const drawn = boxes.map((box) => drawBox(box, places.get(box)));
  return `<div class="scroll" tabindex="0" role="region" aria-label="Order of the changes"><svg role="img" aria-label="Order of the changes in ${columns} steps" width="${width + 2}" height="${height + 2}" viewBox="-1 -1 ${width + 2} ${height + 2}">\n${lines.join('')}${drawn.join('')}</svg></div>\n`;
}

type Place = { readonly x: number; readonly y: number } | undefined;

function line(from: Place, to: Place): string {
  if (from === undefined || to === undefined) return '';
  const [x, y] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [endX, endY] = [to.x, to.y + HEIGHT / 2];
  const middle = (x + endX) / 2;
  return `<path d="M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}"/>\n`;
}

function drawBox({ label, section, count }: Box, at: Place): string {
  if (at === undefined) return '';
  const whole = onOneLine(count === 1 ? label : `${count} × ${label}`);
  return `<g class="${section.toLowerCase()}"><title>${escapeHtml(`${section}: ${whole}`)}</title><rect x="${at.x}" y="${at.y}" width="${WIDTH}" height="${HEIGHT}" rx="4"/><text x="${at.x + 8}" y="${at.y + 20}">${escapeHtml(cutWithin(whole, FITS))}</text></g>\n`;
}
