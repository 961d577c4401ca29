import { excess } from '../../model/json/extent.ts';
import { isList, valueOf, type Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import type { Call } from './call.ts';
import { GatewayError, type UpsertResult } from '../gateway.ts';
import { makeHtmlError, readRefusal } from './refusal.ts';
import type { Target } from './target.ts';
import { isHtml, parseJson, readErrorText, type HttpResponse } from './response.ts';

/**
 * The resources of a list. Some versions answer an empty body to a filtered list without a match (gateway-api B.7); lists
 * here are never filtered, and a server that drops bodies must not pass for a gateway without resources.
 */
export function readList(kind: Kind, answer: HttpResponse, call: Call, target: Target): readonly Resource[] {
  const body = readBody(answer, call, target);
  if (body === undefined) throw makeNotUnderstood('is empty, and a list was expected', answer, call, target);
  if (!isList(body)) throw makeNotUnderstood('is no list', answer, call, target);
  return body.map((item, at) => {
    try {
      return kind.read(item);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw makeNotUnderstood(
        `holds no resource at ${at}: ${target.sanitize(error.message)}`,
        answer,
        call,
        target,
      );
    }
  });
}

/** What an upsert did; a word in whatever spelling, in its envelope or alone (gateway-api 0.3, B.5). */
export function readUpsertResult(answer: HttpResponse, call: Call, target: Target): UpsertResult {
  const body = readBody(answer, call, target);
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
      throw makeNotUnderstood('does not say what was done', answer, call, target);
  }
}

/** Only the API itself can say that something is absent: any server answers 404 to a path that it does not know. */
export function readRemoval(answer: HttpResponse, call: Call, target: Target): 'removed' | 'absent' {
  if (answer.status === 404 && readErrorText(answer)?.fromApi === true) return 'absent';
  if (!isSuccess(answer)) throw readRefusal(answer, call, target);
  if (isHtml(answer)) throw makeHtmlError(answer, target);
  return 'removed';
}

/** Whether the text has to be what the API gives, byte for byte. */
export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}

/** An answer that is not what the API gives; `fault` is a predicate. */
export function makeNotUnderstood(
  fault: string,
  { status }: { readonly status: number },
  { method, path }: Call,
  { authority }: Target,
): GatewayError {
  return new GatewayError('not-understood', `the answer of ${authority} to ${method} ${path} ${fault}`, {
    status,
    hint: 'check that --url is the admin API of a gateway, and what stands before it',
  });
}

/** The JSON of a successful response; undefined when it is empty. Throws a GatewayError for any other. */
export function readBody(answer: HttpResponse, call: Call, target: Target): Json | undefined {
  if (!isSuccess(answer)) throw readRefusal(answer, call, target);
  if (answer.text.trim() === '') return undefined;
  const much = excess(answer.text);
  if (much !== undefined) throw makeNotUnderstood(much, answer, call, target);
  const body = parseJson(answer.text);
  if (body !== undefined) return body;
  throw isHtml(answer)
    ? makeHtmlError(answer, target)
    : makeNotUnderstood('is not JSON', answer, call, target);
}
