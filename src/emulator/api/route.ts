import type { Json, JsonObject } from '../../model/json/json.ts';
import { makeUndecodable, type ApiResponse } from '../responses/response.ts';
import { NotServed, Refusal } from '../responses/refusal.ts';
import { titles } from '../responses/wording.ts';
import { violationsOf } from '../../schema/validate.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
export type RouteRequest = {
  /** What stands in the path for `{…}`, decoded. */
  readonly name: string;
  /** By name, as written. */
  readonly query: { readonly [parameter: string]: string };
  readonly body: Json | undefined;
};

/** One operation of the API: how it is reached, how it is described, and what it does. */
export type Route = {
  readonly method: Method;
  /** Segments in braces stand for a name. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Whose credentials it takes. */
  readonly access: 'anyone' | 'reader' | 'admin';
  readonly query?: { readonly [parameter: string]: 'string' | 'boolean' };
  /** The JSON body that it takes; one that does not fit `check` is refused before anything else. */
  readonly body?: { readonly schema: JsonObject; readonly check?: JsonObject; readonly optional?: boolean };
  /** What it answers when all is well: JSON of a schema, text, or nothing. */
  readonly response: { readonly schema: JsonObject } | { readonly text: string } | undefined;
  /** Titles of its refusals by status, beside those that every operation has. */
  readonly refusals: { readonly [status: number]: readonly string[] };
  /** Throws Refused. */
  readonly handle: (asked: RouteRequest) => ApiResponse;
};

export type Endpoint = Pick<Route, 'access' | 'body'> & {
  /** Throws Refused. */
  readonly handle: (asked: Omit<RouteRequest, 'name'>) => ApiResponse;
};

/** Finds the operation for a method and a path. Throws Refused: 404 for a path that is not served, 405 for a method. */
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
    handle: (asked) =>
      findUndecodable(route, asked) ??
      route.handle({ ...asked, name: at === -1 ? '' : decode(segments[at] ?? '') }),
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

/** What cannot be decoded is refused before anything is done. */
function findUndecodable(
  { query = {}, body }: Route,
  asked: Omit<RouteRequest, 'name'>,
): ApiResponse | undefined {
  for (const [parameter, type] of Object.entries(query)) {
    const text = asked.query[parameter];
    if (type === 'boolean' && text !== undefined && text !== 'true' && text !== 'false') {
      return makeUndecodable(`query parameter ${parameter}`);
    }
  }
  if (body === undefined) return undefined;
  if (asked.body === undefined) return body.optional === true ? undefined : makeUndecodable('body');
  return body.check !== undefined && violationsOf(body.check, asked.body).length > 0
    ? makeUndecodable('body')
    : undefined;
}
