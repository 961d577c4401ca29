import { valueOf } from '../model/json/json.ts';
import type { Facts } from '../gateway/facts.ts';
import { NOT_REACHED, notChecked, unanswered, type Finding } from './finding.ts';

/** Whether the gateway takes the credentials, by a list that needs them. A refusal of that kind comes after the login. */
export function checkCredentials({ answers, hasCredentials }: Facts): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const { list } = answers;
  if (!('error' in list) || list.error.code === 'refused') {
    if (hasCredentials) return [{ status: 'ok', message: 'the gateway accepts them' }];
    const message = 'none are set, and the gateway answers: anyone who reaches it can read its state';
    return [{ status: 'warning', message, hint: 'set GATEWAY_ADMIN_API_USERS on the gateway' }];
  }
  const { code, message, hint } = list.error;
  const isRefused = code === 'unauthorized' || code === 'forbidden' || code === 'not-found';
  return [isRefused ? { status: 'error', message, hint } : notChecked(message, hint)];
}

/** Refusals of the object itself: the right to write was there (gateway-api A.2). */
const AFTER_RIGHTS = new Set(['refused', 'conflict']);

/** Whether writes are allowed, by the dry run of one that is refused to everyone. */
export function checkRights({ answers }: Facts): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const { write } = answers;
  if ('error' in write && write.error.code === 'forbidden') {
    const message = 'read-only: enough for plan, drift and get; apply is not allowed';
    const hint = 'for apply, use a user with admin: true in GATEWAY_ADMIN_API_USERS';
    return [{ status: 'ok', message, hint, values: { rights: 'read-only' } }];
  }
  const isAllowed =
    'error' in write ? AFTER_RIGHTS.has(write.error.code) : valueOf(write.body, 'upsertResult') !== undefined;
  if (isAllowed) {
    const message = 'admin: the dry run of a write was not forbidden';
    return [{ status: 'ok', message, values: { rights: 'admin' } }];
  }
  if ('error' in write && write.error.code === 'unauthorized')
    return [notChecked('the gateway does not accept the credentials')];
  return [unanswered(write)];
}
