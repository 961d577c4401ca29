import type { Json, JsonObject } from '../../model/json/json.ts';
import { type ApiResponse, makeUndecodable, NotServed, Refusal, titles } from '../responses.ts';
import { violationsOf } from '../../schema/validate.ts';

export type RouteRequest = {
  /** The decoded segments of the path, by the names in braces. */
  readonly params: { readonly [name: string]: string };
  /** By name, not decoded to types. */
  readonly query: { readonly [parameter: string]: string };
  readonly body: Json | undefined;
};

/** One operation of the API: its address and its handler. */
export type Operation = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** A segment in braces is a name. */
  readonly path: string;
  /** The users that may call it. */
  readonly access: 'anyone' | 'reader' | 'admin';
  readonly query?: { readonly [parameter: string]: 'string' | 'boolean' };
  /** The JSON body; one that does not match `check` is refused first. */
  readonly body?: { readonly check?: JsonObject; readonly optional?: boolean };
  /** Throws a Refusal. */
  readonly handle: (request: RouteRequest) => ApiResponse;
  /** The response for a refusal. Default: the error body of v2. */
  readonly refuse?: (refusal: Refusal) => ApiResponse;
};

/** An operation with its part of the API description. */
export type Route = Operation & {
  readonly summary: string;
  readonly tag: string;
  /** Its form is not documented, so this one is a guess (gateway-api G). */
  readonly isExperimental?: true;
  /** The name by which the official command line runs it. */
  readonly run?: string;
  readonly body?: { readonly schema: JsonObject; readonly example?: JsonObject };
  /** The successful response: JSON of a schema, text, or nothing. */
  readonly response: { readonly schema: JsonObject } | { readonly text: string } | undefined;
  /** Titles of its refusals by status, in addition to those of every operation. */
  readonly refusals: { readonly [status: number]: readonly string[] };
};

export type Endpoint = Pick<Operation, 'access' | 'body'> & {
  /** Throws a Refusal. */
  readonly handle: (request: Omit<RouteRequest, 'params'>) => ApiResponse;
  readonly refuse: (refusal: Refusal) => ApiResponse;
};

/** Finds the operation for a method and a path. Throws a Refusal: 404 for an unknown path, 405 for another method. */
export function findEndpoint(routes: readonly Operation[], method: string, path: string): Endpoint {
  const segments = path.split('/');
  const there = routes.flatMap((route) => {
    const named = matchTemplate(route.path.split('/'), segments);
    return named === undefined ? [] : [{ route, named }];
  });
  const found = there.find(({ route }) => route.method === method);
  if (there.length === 0) throw new NotServed(404, `${path} is not served`);
  if (found === undefined) throw new NotServed(405, `${path} does not take ${method}`);
  const { route, named } = found;
  return {
    ...{ refuse: ({ response }: Refusal) => response, ...route },
    handle: (request) => {
      const undecodable = findUndecodable(route, request);
      if (undecodable !== undefined) return undecodable;
      const params = Object.entries(named).map(([name, segment]) => [name, decode(segment)] as const);
      return route.handle({ ...request, params: Object.fromEntries(params) });
    },
  };
}

/** The segments that a template names in braces; undefined for another path. */
export function matchTemplate(
  template: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (template.length !== segments.length) return undefined;
  const named: Record<string, string> = {};
  for (const [at, part] of template.entries()) {
    const segment = segments[at] ?? '';
    const isName = part.startsWith('{');
    if (isName ? segment === '' : part !== segment) return undefined;
    if (isName) named[part.slice(1, -1)] = segment;
  }
  return named;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, titles.badRequest, `${segment} is not percent-encoded`);
  }
}

/** The refusal of what cannot be decoded, before anything is done. */
function findUndecodable(
  { query = {}, body }: Operation,
  request: Omit<RouteRequest, 'params'>,
): ApiResponse | undefined {
  for (const [parameter, type] of Object.entries(query)) {
    const text = request.query[parameter];
    if (type === 'boolean' && text !== undefined && text !== 'true' && text !== 'false') {
      return makeUndecodable(`query parameter ${parameter}`);
    }
  }
  if (body === undefined) return undefined;
  if (request.body === undefined) return body.optional === true ? undefined : makeUndecodable('body');
  return body.check !== undefined && violationsOf(body.check, request.body).length > 0
    ? makeUndecodable('body')
    : undefined;
}
