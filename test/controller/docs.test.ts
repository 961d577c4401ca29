import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spec, status } from '../../src/controller/resource-shape.ts';
import { makeMetrics } from '../../src/controller/metrics.ts';
import { readDocument } from '../support/markdown.ts';
import { ROOT } from '../support/sandbox.ts';

type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: string | boolean;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- ', '|---')
    .replaceAll('--- |', '---|');
}

function rowsOf({ properties = {}, required = [] }: Schema, path = ''): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = `${path}${name}`;
    const { type = 'string', description = '', enum: words, default: value, items } = field;
    const sort =
      words === undefined ? (type === 'array' ? 'list' : type) : words.map((one) => `\`${one}\``).join(', ');
    const about = [description, value === undefined ? '' : `Default: \`${String(value)}\`.`]
      .filter((text) => text !== '')
      .join(' ');
    return [
      [`\`${at}\``, sort, required.includes(name) ? 'yes' : '', about],
      ...rowsOf(items ?? field, `${at}${type === 'array' ? '[]' : ''}.`),
    ];
  });
}

const head = ['Field', 'Type', 'Needed', 'What it is'];
/** What the type of the package leaves out. */
type Described = { readonly labelNames?: readonly string[]; readonly type?: unknown };
const { registry } = makeMetrics({ resources: () => [], depth: () => 0 });
const metrics = registry.getMetricsAsArray().map(({ name, help, ...about }) => {
  const { type, labelNames = [] } = about as Described;
  return [`\`${name}\``, String(type), labelNames.join(', '), help];
});

it('docs/reference/kubernetes.md has all fields and metrics: -u writes them', async () => {
  const tables: Readonly<Record<string, string>> = {
    Fields: table(head, rowsOf(spec as unknown as Schema)),
    Status: table(['Field', 'Type', 'Always', 'What it is'], rowsOf(status as unknown as Schema)),
    Metrics: table(['Metric', 'Type', 'Labels', 'What it tells'], metrics),
  };
  let text = readDocument('docs/reference/kubernetes.md');
  for (const [name, made] of Object.entries(tables))
    text = text.replace(
      new RegExp(`(## ${name}\\n(?:\\n[^|#\\n][^\\n]*(?:\\n[^|#\\n][^\\n]*)*\\n)*?\\n)(?:\\|[^\\n]*\\n)+`),
      (_, before: string) => `${before}${made}\n`,
    );
  await expect(text).toMatchFileSnapshot(join(ROOT, 'docs/reference/kubernetes.md'));
});
