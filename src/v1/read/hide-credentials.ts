import { hideRandomWords } from '../../model/secrets/looks-secret.ts';
import type { Call, UnreadCall } from './call.ts';

/** A call without what shows a credential: no object can have the name of one. */
export function withoutCredentials(
  call: Call | UnreadCall,
  mask: (text: string) => string,
): Call | UnreadCall {
  const { file, line, path, method } = call;
  const has = (text: string): boolean => mask(text) !== text;
  const isInPath = path !== undefined && has(path);
  const isInUrl =
    isInPath ||
    ('gateway' in call && (has(call.gateway) || hideRandomWords(call.gateway, '') !== call.gateway));
  const isInMethod = method !== undefined && !/^[A-Z]{1,16}$/.test(method);
  const why = 'why' in call ? mask(call.why) : undefined;
  if (!isInUrl && !isInMethod) return why === undefined ? call : { ...(call as UnreadCall), why };
  return {
    file,
    line,
    ...(method === undefined || isInMethod ? {} : { method }),
    ...(path === undefined || isInPath ? {} : { path }),
    why: why ?? (isInUrl ? 'its URL has what looks like a secret' : 'its method is not known'),
  };
}
