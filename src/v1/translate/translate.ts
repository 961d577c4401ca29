import { matchTemplate } from '../../emulator/api/route.ts';
import { getOrAdd, present } from '../../model/collect.ts';
import { hideRandomWords } from '../../model/secrets/looks-secret.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { hideSecretTexts } from '../../model/secrets/secret-texts.ts';
import { fitsInPath } from '../../model/resource.ts';
import { kafkaName } from '../../schema/kinds/common.ts';
import type { Call, UnreadCall } from '../read/request.ts';
import { withVariables } from '../../declare/declared.ts';
import { BadBody, refusePlaceholders } from './body.ts';
import { dropInvalid, type Checks, dropSecretNames } from './drop.ts';
import { Ledger, type Translated, type TranslatedCall, type TranslatedGateway } from './ledger.ts';
import { patternOf } from './names.ts';
import { makeResources } from './v1-resources.ts';
import { makeState, type Request, type State, type Handler } from './v1-state.ts';
import {
  deleteMapping,
  issueToken,
  putMapping,
  deleteRules,
  deleteTopic,
  deleteTopics,
  putRule,
  putTopic,
} from './users-and-topics.ts';
import { deleteInterceptor, postInterceptor, putInterceptor } from './interceptors.ts';
import { deleteResource, putResource } from './v2.ts';

/**
 * Translates calls to v1 (gateway-api C.9), and to v2, to the resources that they leave on each gateway, and tells what became
 * of each call. A later call for the same object wins.
 */
export function translate(calls: readonly (Call | UnreadCall)[], checks: Checks): Translated {
  const ledger = new Ledger(
    calls.map(placeOf),
    calls.map(({ file, part = file }) => part),
  );
  const states = new Map<string, State>();
  for (const [at, call] of calls.entries()) {
    if ('why' in call) ledger.add([at], 'refusal', call.why);
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
  const tell: Request['tell'] = (note, text) => ledger.add([at], note, text);
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
      if (call.choice !== undefined) tell('choice', `${call.choice} decides whether it is made`);
      const request = { call: at, params: checkParams(route), query: call.query, body: call.body, tell };
      meaning.handle(
        request,
        getOrAdd(states, `${call.gateway}${base}`, () => makeState(ledger, checks)),
      );
    }
  } catch (error) {
    if (error instanceof URIError) tell('refusal', 'its path has a broken escape');
    else if (error instanceof BadBody) tell('refusal', error.message);
    else throw error;
  }
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
  const shown = (text: string | undefined): string | undefined => text && hideSuspects(text, checks);
  return {
    file,
    ...present({
      line: line === 0 ? undefined : line,
      gateway: 'gateway' in call ? withVariables(call.gateway) : undefined,
      method,
      path: shown(path && withVariables(path)),
      object: 'object' in call ? call.object : undefined,
    }),
    ...result,
    ...present({ why: shown(result.why) }),
  };
}

/** What a report shows of names, which can be secrets that no script uses as such. */
function hideSuspects(text: string, { mask = (one) => one }: Checks): string {
  return hideRandomWords(mask(hideSecretTexts(text)), HIDDEN);
}

/** What a route becomes: a change of the state, the command that does the same, or the reason why nothing does. */
type Meaning =
  | { readonly handle: Handler }
  | { readonly command: (query: Call['query']) => string }
  | { readonly refusal: string };

type Route = {
  readonly methods: readonly string[];
  readonly tokens: readonly string[];
  readonly meaning: Meaning;
};

const handles = (methods: string, template: string, handle: Handler): Route =>
  made(methods, template, { handle });
const commands = (methods: string, template: string, command: string): Route =>
  made(methods, template, { command: () => command });

function made(methods: string, template: string, meaning: Meaning): Route {
  return { methods: methods.split(' '), tokens: template.split('/').slice(1), meaning };
}

/** gateway-api C.7: the paths of scopes. */
const SCOPES = [
  '',
  '/global',
  '/username/{username}',
  '/group/{group}',
  '/vcluster/{vCluster}',
  '/vcluster/{vCluster}/username/{username}',
  '/vcluster/{vCluster}/group/{group}',
].map((scope) => `/admin/interceptors/v1${scope}`);

const MAPPINGS = ['/admin/userMappings/v1', '/admin/userMappings/v1/vcluster/{vCluster}'];
const IN_CLUSTER = '/admin/vclusters/v1/vcluster/{vCluster}';
const LIST_INTERCEPTORS = 'gwconf get Interceptor';

// gateway-api C and A.3; of two that match, the first counts.
const ROUTES: readonly Route[] = [
  commands('GET', '/admin/interceptors/v1/all', LIST_INTERCEPTORS),
  commands('GET', '/admin/interceptors/v1/interceptors', LIST_INTERCEPTORS),
  commands('POST', '/admin/interceptors/v1/resolve', 'gwconf resolve --as USER'),
  ...SCOPES.flatMap((scope) => [
    handles('POST', `${scope}/interceptor/{name}`, postInterceptor(scope.endsWith('/global'))),
    handles('PUT', `${scope}/interceptor/{name}`, putInterceptor(scope.endsWith('/global'))),
    handles('DELETE', `${scope}/interceptor/{name}`, deleteInterceptor(scope.endsWith('/global'))),
    commands('GET', `${scope}/interceptor/{name}`, LIST_INTERCEPTORS),
    commands('GET', scope, LIST_INTERCEPTORS),
    commands('GET', `${scope}/interceptors`, LIST_INTERCEPTORS),
  ]),
  ...MAPPINGS.flatMap((path) => [
    handles('POST', path, putMapping),
    commands('GET', path, 'gwconf get GatewayServiceAccount'),
    handles('PUT', `${path}/username/{username}`, putMapping),
    handles('DELETE', `${path}/username/{username}`, deleteMapping),
    commands('GET', `${path}/username/{username}`, 'gwconf get GatewayServiceAccount'),
  ]),
  handles('POST', '/admin/username/{username}', issueToken),
  handles('POST', `${IN_CLUSTER}/username/{username}`, issueToken),
  commands('GET', '/admin/vclusters/v1', 'gwconf get VirtualCluster'),
  handles('POST PUT', `${IN_CLUSTER}/topics/{topic}`, putTopic),
  handles('DELETE', `${IN_CLUSTER}/topics/{topic}`, deleteTopic),
  handles('DELETE', `${IN_CLUSTER}/topics`, deleteTopics),
  commands('GET', `${IN_CLUSTER}/topics`, 'gwconf get AliasTopic'),
  handles('POST', '/internal/alias-topic/{vCluster}/{topic}', putTopic),
  handles('POST', `${IN_CLUSTER}/concentration-rules`, putRule),
  handles('DELETE', `${IN_CLUSTER}/concentration-rules`, deleteRules),
  commands('GET', `${IN_CLUSTER}/concentration-rules`, 'gwconf get ConcentrationRule'),
  made('POST', '/admin/pclusters/v1/pcluster/{cluster}/switch', {
    command: ({ to = '' }) => `gwconf cluster switch --to ${/^[\w.-]+$/.test(to) ? to : 'CLUSTER'}`,
  }),
  made('GET', '/admin/pclusters/v1/pcluster/{cluster}', {
    refusal: 'v2 does not show the connection of a physical cluster',
  }),
  commands('GET', '/admin/plugins/v1', 'gwconf plugins'),
  commands('GET', '/admin/plugins/v1/extended', 'gwconf plugins'),
  made('POST', '/admin/vclusters/v1/rerouting/{from}/{to}', { refusal: 'gateway 3.0 removed rerouting' }),
  made('POST', '/admin/auth/v1/platformRbac/vcluster/{vCluster}', {
    refusal: 'gateway 3.0 removed RBAC tokens',
  }),
  commands('GET', '/health', 'gwconf doctor'),
  commands('GET', '/health/live', 'gwconf doctor'),
  commands('GET', '/health/ready', 'gwconf doctor'),
  commands('POST', '/gateway/v2/token', 'gwconf token issue'),
  commands('POST', '/gateway/v2/interceptor/resolve', 'gwconf resolve --as USER'),
  commands('POST', '/gateway/v2/cluster-switching', 'gwconf cluster switch'),
  commands('GET', '/gateway/v2/plugin', 'gwconf plugins'),
  commands('GET', '/gateway/v2/{collection}', 'gwconf get'),
  commands('GET', '/gateway/v2/{collection}/{name}', 'gwconf get'),
  handles('PUT', '/gateway/v2/{collection}', putResource),
  handles('DELETE', '/gateway/v2/{collection}', deleteResource),
  handles('DELETE', '/gateway/v2/{collection}/{name}', deleteResource),
];

type FoundRoute = { readonly meaning: Meaning; readonly params: Readonly<Record<string, string>> };

/** What a call means, and the values in its path; undefined if v1 and v2 have no such path or method. */
function findRoute(method: string, segments: readonly string[]): FoundRoute | undefined {
  for (const { methods, tokens, meaning } of ROUTES) {
    if (tokens.length !== segments.length || !methods.includes(method)) continue;
    const params = matchTemplate(tokens, segments);
    if (params !== undefined) return { meaning, params };
  }
  return undefined;
}

/** Where a path of the API begins; a load balancer may have put something before it. */
const ROOTS: ReadonlySet<string> = new Set(ROUTES.map(({ tokens: [root = ''] }) => root));

/** A path as the part before the API, and its decoded segments. Throws a URIError for a broken escape. */
function splitPath(path: string): { readonly base: string; readonly segments: readonly string[] } {
  const written = path.replace(/\/$/, '').split('/').slice(1);
  const start = Math.max(
    0,
    written.findIndex((segment) => ROOTS.has(segment)),
  );
  const base = written
    .slice(0, start)
    .map((segment) => `/${segment}`)
    .join('');
  return { base, segments: written.slice(start).map(decodeURIComponent) };
}
