import { sameJson, valueAt, type Pointer } from '../../model/json/json.ts';
import { ACCEPTABLE, type Problem } from '../../model/problem.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';

/** Whether the live state may show that nothing is wrong with what this is about. */
export function mayBeLive({ code, address, path }: Problem, desired: DesiredState): boolean {
  const declared = address === undefined ? undefined : desired.get(address);
  if (declared === undefined || path === undefined) return false;
  // The value of a variable is not compared: the severity would tell whether the gateway has it.
  return ACCEPTABLE.has(code) && declared.templates?.has(path) !== true;
}

/**
 * The same problems after a look at what is live: a value that the gateway has is no error, whatever gwconf knows of it, and a field that
 * it has is no problem at all.
 */
export function acceptLive(
  problems: readonly Problem[],
  desired: DesiredState,
  { resources }: LiveState,
): readonly Problem[] {
  return problems.flatMap((problem): readonly Problem[] => {
    const { code, severity, address, path } = problem;
    if (address === undefined || path === undefined || !mayBeLive(problem, desired)) return [problem];
    const [mine, live] = [desired.get(address)?.resource, resources.get(address)];
    if (live === undefined || severity === 'info') return [problem];
    const isField = code === 'unknown-field' && valueAt(live, path) !== undefined;
    const at = code === 'conflicting-fields' ? wholeAround(path) : path;
    if (!isField && !sameJson(valueAt(mine, at), valueAt(live, at))) return [problem];
    if (isField) return [];
    return severity === 'error'
      ? [{ ...problem, severity: 'warning', hint: 'the gateway has it already; check whether it is meant' }]
      : [problem];
  });
}

/** All that fields which contradict each other can be in. */
function wholeAround(path: Pointer): Pointer {
  return path.startsWith('/spec/config') ? '/spec/config' : '/spec';
}
