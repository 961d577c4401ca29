import type { JsonObject } from '../../model/json/json.ts';
import type { Operation } from '../../emulator/api/route.ts';
import { formatValue, makeOk } from '../../emulator/responses/response.ts';
import { listPlugins } from '../../emulator/rules/plugins.ts';
import type { State } from '../../emulator/state/state.ts';
import { define } from './operation.ts';

/** gateway-api C.8. */
export function makePlugins({ options, version }: State): readonly Operation[] {
  const list = (show: (plugin: JsonObject) => JsonObject | string) => () =>
    makeOk({ plugins: listPlugins(options.plugins ?? [], version).map(show) });
  return [
    define(
      'GET',
      '/admin/plugins/v1',
      list(({ plugin }) => formatValue(plugin)),
    ),
    define(
      'GET',
      '/admin/plugins/v1/extended',
      list(({ plugin = '', pluginId = '', readme = '', ...tags }) => ({ plugin, pluginId, tags, readme })),
    ),
  ];
}
