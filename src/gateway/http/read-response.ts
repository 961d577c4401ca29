import { excess } from '../../model/json/extent.ts';
import { addTo } from '../../model/collect.ts';
import { isList, parsePointer, printPointer, valueOf, type Json } from '../../model/json/json.ts';
import {
  findInexactNumbers,
  noteInexactNumbers,
  withNearestNumbers,
  type InexactNumber,
} from '../../model/json/numbers.ts';
import type { Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import type { Call } from './call.ts';
import { GatewayError, type UpsertResult } from '../gateway.ts';
import { makeHtmlError, readRefusal } from './refusal.ts';
import type { Target } from './target.ts';
import { isHtml, parseJson, readErrorText, type HttpResponse } from './response.ts';

/**
 * The resources of a list. Some versions send an empty body for a filtered list without a match (gateway-api B.7); lists
 * here are never filtered, and a server that drops bodies must not look like a gateway without resources.
 */
export function readList(
  kind: Kind,
  response: HttpResponse,
  call: Call,
  target: Target,
): readonly Resource[] {
  const body = readBody(response, call, target);
  if (body === undefined)
    throw makeNotUnderstood('is empty, and a list was expected', response, call, target);
  if (!isList(body)) throw makeNotUnderstood('is not a list', response, call, target);
  const numbers = findInexactNumbers(response.text);
  const inexact = groupByItem(numbers);
  return withNearestNumbers(body, numbers).map((item, at) => {
    try {
      const resource = kind.read(item);
      noteInexactNumbers(resource, inexact.get(String(at)) ?? []);
      return resource;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw makeNotUnderstood(
        `contains no resource at index ${at}: ${target.sanitize(error.message)}`,
        response,
        call,
        target,
      );
    }
  });
}

/** By index; the paths become those in the item. */
function groupByItem(numbers: readonly InexactNumber[]): ReadonlyMap<string, readonly InexactNumber[]> {
  const groups = new Map<string, InexactNumber[]>();
  for (const { path, text } of numbers) {
    const [index = '', ...rest] = parsePointer(path);
    addTo(groups, index, { path: printPointer(rest), text });
  }
  return groups;
}

/** The result of an upsert, in any spelling, in its envelope or alone (gateway-api 0.3, B.5). */
export function readUpsertResult(response: HttpResponse, call: Call, target: Target): UpsertResult {
  const body = readBody(response, call, target);
  const said = typeof body === 'string' ? body : valueOf(body, 'upsertResult');
  switch (typeof said === 'string' ? said.toLowerCase().replaceAll(/[^a-z]/g, '') : undefined) {
    case 'created':
      return 'created';
    case 'updated':
      return 'updated';
    case 'notchanged':
    case 'unchanged':
      return 'unchanged';
    default:
      throw makeNotUnderstood('contains no upsertResult', response, call, target);
  }
}

/** Only an error of the API means absent: any server responds with 404 to an unknown path. */
export function readRemoval(response: HttpResponse, call: Call, target: Target): 'removed' | 'absent' {
  if (response.status === 404 && readErrorText(response)?.fromApi === true) return 'absent';
  if (!isSuccess(response)) throw readRefusal(response, call, target);
  if (isHtml(response)) throw makeHtmlError(response, target);
  return 'removed';
}

export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}

/** For a response that is not the API's; `fault` is a predicate: `is not JSON`. */
export function makeNotUnderstood(
  fault: string,
  { status }: { readonly status: number },
  { method, path }: Call,
  { authority }: Target,
): GatewayError {
  return new GatewayError('not-understood', `the response of ${authority} to ${method} ${path} ${fault}`, {
    status,
    hint: 'check that --url is the admin API of a gateway, and any proxy in between',
  });
}

/** The JSON of a successful response; undefined when it is empty. Throws a GatewayError for any other. */
export function readBody(response: HttpResponse, call: Call, target: Target): Json | undefined {
  if (!isSuccess(response)) throw readRefusal(response, call, target);
  if (response.text.trim() === '') return undefined;
  const much = excess(response.text);
  if (much !== undefined) throw makeNotUnderstood(much, response, call, target);
  const body = parseJson(response.text);
  if (body !== undefined) return body;
  throw isHtml(response)
    ? makeHtmlError(response, target)
    : makeNotUnderstood('is not JSON', response, call, target);
}
