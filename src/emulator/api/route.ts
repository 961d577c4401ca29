import type { Json, JsonObject } from '../../model/json/json.ts';
import { undecodable, type Answer } from '../responses/response.ts';
import { NotServed, Refused } from '../responses/refusal.ts';
import { titles } from '../responses/wording.ts';
import { violationsOf } from '../../schema/validate.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
export type Asked = {
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
  readonly takes?: { readonly schema: JsonObject; readonly check?: JsonObject; readonly optional?: boolean };
  /** What it answers when all is well: JSON of a schema, text, or nothing. */
  readonly gives: { readonly schema: JsonObject } | { readonly text: string } | undefined;
  /** Titles of its refusals by status, beside those that every operation has. */
  readonly refusals: { readonly [status: number]: readonly string[] };
  /** Throws Refused. */
  readonly answer: (asked: Asked) => Answer;
};

export type Endpoint = Pick<Route, 'access' | 'takes'> & {
  /** Throws Refused. */
  readonly answer: (asked: Omit<Asked, 'name'>) => Answer;
};

/** Finds the operation for a method and a path. Throws Refused: 404 for a path that is not served, 405 for a method. */
export function endpointOf(routes: readonly Route[], method: string, path: string): Endpoint {
  const segments = path.split('/');
  const there = routes.filter((route) => fits(route.path.split('/'), segments));
  const route = there.find((candidate) => candidate.method === method);
  if (there.length === 0) throw new NotServed(404, `${path} is not served`);
  if (route === undefined) throw new NotServed(405, `${path} does not take ${method}`);
  const at = route.path.split('/').findIndex((segment) => segment.startsWith('{'));
  return {
    access: route.access,
    ...(route.takes === undefined ? {} : { takes: route.takes }),
    answer: (asked) =>
      misread(route, asked) ?? route.answer({ ...asked, name: at === -1 ? '' : decode(segments[at] ?? '') }),
  };
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
  );
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refused(400, titles.badRequest, `${segment} is not percent-encoded`);
  }
}

/** What cannot be decoded is refused before anything is done. */
function misread({ query = {}, takes }: Route, asked: Omit<Asked, 'name'>): Answer | undefined {
  for (const [parameter, type] of Object.entries(query)) {
    const text = asked.query[parameter];
    if (type === 'boolean' && text !== undefined && text !== 'true' && text !== 'false') {
      return undecodable(`query parameter ${parameter}`);
    }
  }
  if (takes === undefined) return undefined;
  if (asked.body === undefined) return takes.optional === true ? undefined : undecodable('body');
  return takes.check !== undefined && violationsOf(takes.check, asked.body).length > 0
    ? undecodable('body')
    : undefined;
}
