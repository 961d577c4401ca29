import type { Json, JsonObject } from '../../model/json/json.ts';
import { type ApiResponse, makeUndecodable, NotServed, Refusal } from '../responses/response.ts';
import { titles } from '../responses/wording.ts';
import { violationsOf } from '../../schema/validate.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
export type RouteRequest = {
  /** The decoded segment of the path for `{…}`. */
  readonly name: string;
  /** By name, not decoded to types. */
  readonly query: { readonly [parameter: string]: string };
  readonly body: Json | undefined;
};

/** One operation of the API: its address, its description and its handler. */
export type Route = {
  readonly method: Method;
  /** A segment in braces is a name. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Its form is not documented, so this one is a guess (gateway-api G). */
  readonly isExperimental?: true;
  /** Who may call it. */
  readonly access: 'anyone' | 'reader' | 'admin';
  readonly query?: { readonly [parameter: string]: 'string' | 'boolean' };
  /** The JSON body; one that does not match `check` is refused first. */
  readonly body?: { readonly schema: JsonObject; readonly check?: JsonObject; readonly optional?: boolean };
  /** The successful response: JSON of a schema, text, or nothing. */
  readonly response: { readonly schema: JsonObject } | { readonly text: string } | undefined;
  /** Titles of its refusals by status, in addition to those of every operation. */
  readonly refusals: { readonly [status: number]: readonly string[] };
  /** Throws a Refusal. */
  readonly handle: (request: RouteRequest) => ApiResponse;
};

export type Endpoint = Pick<Route, 'access' | 'body'> & {
  /** Throws a Refusal. */
  readonly handle: (request: Omit<RouteRequest, 'name'>) => ApiResponse;
};

/** Finds the operation for a method and a path. Throws a Refusal: 404 for an unknown path, 405 for another method. */
export function findEndpoint(routes: readonly Route[], method: string, path: string): Endpoint {
  const segments = path.split('/');
  const there = routes.filter((route) => matchesTemplate(route.path.split('/'), segments));
  const route = there.find((candidate) => candidate.method === method);
  if (there.length === 0) throw new NotServed(404, `${path} is not served`);
  if (route === undefined) throw new NotServed(405, `${path} does not take ${method}`);
  const at = route.path.split('/').findIndex((segment) => segment.startsWith('{'));
  return {
    access: route.access,
    ...(route.body === undefined ? {} : { body: route.body }),
    handle: (request) =>
      findUndecodable(route, request) ??
      route.handle({ ...request, name: at === -1 ? '' : decode(segments[at] ?? '') }),
  };
}

function matchesTemplate(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
  );
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
  { query = {}, body }: Route,
  request: Omit<RouteRequest, 'name'>,
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
