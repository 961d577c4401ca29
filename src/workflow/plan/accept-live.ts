import { sameJson, valueAt, type Pointer } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { ACCEPTABLE, type Problem } from '../../model/problem.ts';
import type { Declared, DesiredState, LiveState } from '../../model/state.ts';

/** Whether the live state may show that nothing is wrong with what this is about. */
export function mayBeLive({ code, address }: Problem, desired: DesiredState): boolean {
  return ACCEPTABLE.has(code) && address !== undefined && desired.has(address);
}

/**
 * The same problems after a look at what is live: a value that the gateway has is no error, whatever gwconf knows of it, and a field that
 * it has is no problem at all.
 */
export function acceptLive(
  problems: readonly Problem[],
  desired: DesiredState,
  { resources }: LiveState,
  kinds: KindSet,
): readonly Problem[] {
  return problems.flatMap((problem): readonly Problem[] => {
    const { code, severity, address, path } = problem;
    if (address === undefined || path === undefined || !mayBeLive(problem, desired)) return [problem];
    const [mine, live] = [desired.get(address), resources.get(address)];
    if (mine === undefined || live === undefined) return [problem];
    if (code === 'unknown-field' && valueAt(live, path) !== undefined) return [];
    if (severity !== 'error') return [problem];
    const at = code === 'conflicting-fields' ? wholeAround(path, mine, kinds) : path;
    const isLive = !hasTemplateIn(mine, at) && sameJson(valueAt(mine.resource, at), valueAt(live, at));
    return isLive ? [{ ...problem, severity: 'warning', hint: CHECK }] : [problem];
  });
}

const CHECK = 'the gateway has it already; check whether it is meant';

/** The value of a variable is not compared: the severity would tell whether the gateway has it. */
function hasTemplateIn({ templates = new Map() }: Declared, at: Pointer): boolean {
  return [...templates.keys()].some((one) => one === at || one.startsWith(`${at}/`));
}

/** All that fields which contradict each other can be in. */
function wholeAround(path: Pointer, { address, resource }: Declared, kinds: KindSet): Pointer {
  const part = knownKind(address, kinds).part(resource)?.path;
  return part !== undefined && `${path}/`.startsWith(`${part}/`) ? part : '/spec';
}
