import { hideRandomWords } from '../../model/secrets/looks-secret.ts';
import { HIDDEN, hideSecretTexts } from '../../model/secrets/secrets.ts';
import { fitsInPath } from '../../model/resource.ts';
import { kafkaName } from '../../schema/kinds/common.ts';
import type { Call, UnreadCall } from '../read/v1-call.ts';
import { withVariables } from '../../declare/declared.ts';
import { BadBody, refusePlaceholders } from './body.ts';
import { dropInvalid, type Checks, dropSecretNames } from './drop.ts';
import { Ledger, type Translated, type TranslatedCall, type TranslatedGateway } from './ledger.ts';
import { patternOf } from './names.ts';
import { makeResources } from './v1-resources.ts';
import { findRoute, splitPath, type FoundRoute } from './v1-routes.ts';
import { makeState, type Request, type State } from './v1-state.ts';

/**
 * Translates calls to v1 (gateway-api C.9), and to v2, to the resources that they leave on each gateway, and tells what became
 * of each call. A later call for the same object wins.
 */
export function translate(calls: readonly (Call | UnreadCall)[], checks: Checks): Translated {
  const ledger = new Ledger(calls.map(placeOf));
  const states = new Map<string, State>();
  for (const [at, call] of calls.entries()) {
    if ('why' in call) ledger.add(at, 'refusal', call.why);
    else perform(call, at, states, ledger, checks);
  }
  const gateways = [...states].flatMap(([gateway, state]): readonly TranslatedGateway[] => {
    const { resources: made, ...about } = makeResources(state);
    const resources = dropInvalid(dropSecretNames(made, ledger, checks), ledger, checks);
    return resources.size === 0 ? [] : [{ gateway, state: { resources, unavailable: new Map() }, ...about }];
  });
  return { gateways, calls: calls.map((call, at) => outcomeOf(call, at, ledger, checks)) };
}

function placeOf(call: Call | UnreadCall): string {
  const { file, line, method = '', path = '' } = call;
  if ('object' in call) return call.object;
  return line === 0 ? `${method} ${path}` : `${file}:${line}`;
}

function perform(call: Call, at: number, states: Map<string, State>, ledger: Ledger, checks: Checks): void {
  const tell: Request['tell'] = (note, text) => ledger.add(at, note, text);
  try {
    const { base, segments } = splitPath(call.path);
    const route = findRoute(call.method, segments);
    if (route === undefined) {
      tell('refusal', `gwconf knows no ${call.method} of this path`);
      return;
    }
    const { meaning } = route;
    if ('refusal' in meaning) tell('refusal', meaning.refusal);
    else if ('command' in meaning) tell('command', `use ${meaning.command(call.query)}`);
    else {
      const request = { call: at, params: checkParams(route), query: call.query, body: call.body, tell };
      meaning.handle(request, stateOf(`${call.gateway}${base}`, states, ledger, checks));
    }
  } catch (error) {
    if (error instanceof URIError) tell('refusal', 'its path has a broken escape');
    else if (error instanceof BadBody) tell('refusal', error.message);
    else throw error;
  }
}

function stateOf(gateway: string, states: Map<string, State>, ledger: Ledger, checks: Checks): State {
  let state = states.get(gateway);
  if (state === undefined) states.set(gateway, (state = makeState(ledger, checks)));
  return state;
}

const CLUSTER = patternOf(kafkaName);

/** Names in a path cannot depend on variables, and a virtual cluster cannot be renamed: its name is the prefix of its topics. */
function checkParams({ params }: FoundRoute): FoundRoute['params'] {
  for (const [what, value] of Object.entries(params)) {
    refusePlaceholders(value, `the ${what} in its path`);
    if (!fitsInPath(value)) throw new BadBody(`the ${what} in its path is not a name`);
  }
  const { vCluster } = params;
  if (vCluster !== undefined && !CLUSTER.test(vCluster))
    throw new BadBody(
      'v2 refuses the name of the virtual cluster, and under another name it would not have its topics',
    );
  return params;
}

function outcomeOf(call: Call | UnreadCall, at: number, ledger: Ledger, checks: Checks): TranslatedCall {
  const { file, line, method, path } = call;
  const result = ledger.resultOf(at);
  return {
    file,
    ...(line === 0 ? {} : { line }),
    ...('gateway' in call ? { gateway: withVariables(call.gateway) } : {}),
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path: hideSuspects(withVariables(path), checks) }),
    ...('object' in call ? { object: call.object } : {}),
    ...result,
    ...(result.why === undefined ? {} : { why: hideSuspects(result.why, checks) }),
  };
}

/** What a report shows of names, which can be secrets that no script uses as such. */
function hideSuspects(text: string, { mask = (one) => one }: Checks): string {
  return hideRandomWords(mask(hideSecretTexts(text, HIDDEN)), HIDDEN);
}
