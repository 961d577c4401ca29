import type { VersionReport } from '../../outcome/gateway.ts';
import { FIRST_WITH_V2, NEWEST_DESCRIBED, NEWEST_KNOWN } from '../../model/text/version.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { plugins } from '../../schema/plugins/index.ts';
import { BUILT_FROM, VERSION } from '../../workflow/tool.ts';

/** Which gwconf this is, and what it knows. */
export function describeSelf(): VersionReport {
  return {
    format: 'gwconf/version-report@1',
    version: VERSION,
    commit: BUILT_FROM,
    catalog: { described: NEWEST_DESCRIBED, kinds: catalog.kinds.size, pluginClasses: plugins.length },
    gateways: { oldest: FIRST_WITH_V2, newest: NEWEST_KNOWN },
    node: process.versions.node,
  };
}
