import { makePlaceholder, type SecretVariable } from '../../declare/declared.ts';
import { proveFiles } from '../../declare/prove.ts';
import { type EmbeddedGateway, memoryGateway } from '../../emulator/memory.ts';
import { GatewayError } from '../../gateway/gateway.ts';
import { readLive } from '../../gateway/read-live.ts';
import { valueAt } from '../../model/json/json.ts';
import { knownKind } from '../../model/kind.ts';
import { makeProblem, hasErrors, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { makePlan } from '../../plan/make-plan.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { load } from '../../schema/load/load.ts';
import { pluginOf } from '../../schema/plugins/index.ts';
import { variablesFrom } from '../../schema/yaml/interpolate.ts';

/**
 * Applies files to an empty embedded gateway of the first version without v1, and plans them again: that plan must be empty. `open` are
 * variables of scripts. Without a gateway, it refuses the files.
 */
export async function tryFiles(
  files: readonly SourceFile[],
  secrets: readonly SecretVariable[],
  open: readonly string[],
): Promise<{ readonly gateway?: EmbeddedGateway; readonly problems: readonly Problem[] }> {
  const { kinds } = catalog;
  const values = new Map<string, string>([
    ...secrets.map(({ name, value }) => [name, value ?? UNKNOWN] as const),
    ...open.map((name) => [name, makePlaceholder(name)] as const),
  ]);
  const loaded = load(
    files,
    catalog,
    variablesFrom((name) => values.get(name)),
    { version: TRIAL },
  );
  const empty = { resources: new Map(), unavailable: new Map() };
  const { value: plan, problems } = makePlan(loaded.value, empty, kinds, { gateway: 'embedded:' });
  const found = [...loaded.problems, ...problems];
  if (hasErrors(found)) return { problems: found.filter(({ severity }) => severity === 'error') };
  const plugins = [...loaded.value.values()].flatMap(({ resource }) => classOf(resource) ?? []);
  const gateway = memoryGateway(kinds, { version: TRIAL, plugins });
  for (const change of plan.changes) {
    if (!('after' in change)) continue;
    try {
      await gateway.put(knownKind(change.address, kinds), change.after);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { problems: [refused(change.address, error)] };
    }
  }
  const live = await readLive(gateway, [...kinds.values()]);
  const variables = [...values].map(([name, value]) => ({ name, value, at: [] }));
  const proof = proveFiles(files, live, catalog, { gateway: gateway.url, variables });
  return { gateway, problems: [...proof.problems, ...proof.refusals] };
}

/** The first version without v1. */
export const TRIAL = '3.21.0';

/** For a secret that no one knows here. */
const UNKNOWN = 'unknown';

/** A class that gwconf does not know, which the gateway may have. */
function classOf(resource: { readonly spec: Parameters<typeof valueAt>[0] }): string | undefined {
  const found = valueAt(resource.spec, '/pluginClass');
  return typeof found === 'string' && pluginOf(found) === undefined ? found : undefined;
}

function refused(address: Address, error: GatewayError): Problem {
  return makeProblem({
    code: 'gateway-error',
    message: `an embedded gateway of version ${TRIAL} refuses ${address}: ${error.message}`,
    address,
    hint: 'leave its calls out, and declare it by hand',
  });
}
