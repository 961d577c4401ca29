import { rankOf } from '../../model/principal.ts';
import type { Scope } from '../../model/resource.ts';
import { onOneLine } from '../escape.ts';
import type { ResolveReport } from '../../outcome/resolve.ts';
import { formatCount } from '../phrases.ts';
import { renderTable } from './table.ts';
import type { TextOptions } from './layout.ts';

const TITLES = ['PRIORITY', 'NAME', 'CLASS', 'WHY', 'INSTEAD OF'];

/** Which interceptors run for a client, and why each does. */
export function* renderResolved(
  report: ResolveReport,
  options: Pick<TextOptions, 'paint' | 'width'>,
): Generator<string> {
  const { client, interceptors } = report;
  const who = client.username === undefined ? 'a client' : `the user ${client.username}`;
  const where = `virtual cluster ${client.virtualCluster}`;
  const groups = client.groups.length === 0 ? '' : `, with ${client.groups.join(', ')} as groups`;
  yield `${options.paint.bold(onOneLine(`For ${who} in ${where}${groups}:`))}\n\n`;
  if (interceptors.length > 0) {
    const rows = interceptors.map(({ name, scope, priority, pluginClass, overrides }) => [
      String(priority),
      name,
      pluginClass.slice(pluginClass.lastIndexOf('.') + 1),
      reasonOf(scope),
      overrides.length === 0 ? '-' : overrides.map((address) => scopeIn(address)).join('; '),
    ]);
    yield* renderTable(TITLES, rows, options);
    yield '\n';
  }
  yield `${formatCount(interceptors.length, 'interceptor')} on ${onOneLine(report.gateway)}.\n`;
}

/** The axis of a scope that made it the most specific one. */
function reasonOf(scope: Scope): string {
  const [axis, value] = Object.entries(scope)[rankOf(scope) - 1] ?? ['global', null];
  return value === null ? axis : `${axis}=${value}`;
}

function scopeIn(address: string): string {
  return address.slice(address.indexOf('@') + 1);
}
