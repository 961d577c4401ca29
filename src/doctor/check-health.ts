import type { Facts, Reply } from '../gateway/facts.ts';
import { isList, valueOf, type Json } from '../model/json/json.ts';
import { NOT_REACHED, notChecked, statusOf, unanswered, type Finding } from './finding.ts';

/** gateway-api A.7: before 3.12.0 there is only /health. */
export function checkLive({ pings: [ping], answers }: Facts): readonly Finding[] {
  if (ping === undefined || answers === undefined) return [NOT_REACHED];
  return checkState('live', ping, answers.health);
}

export function checkReady({ answers }: Facts): readonly Finding[] {
  return answers === undefined ? [NOT_REACHED] : checkState('ready', answers.ready, answers.health);
}

/** The checks that /health reports; it is gone from 3.21.0 on. */
export function checkHealth({ answers }: Facts): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const { health } = answers;
  if (statusOf(health) === 404) return [notChecked('this version has no /health')];
  if ('error' in health) return [unanswered(health)];
  const parts = partsOf(health.body);
  return parts.length === 0 ? [notChecked('/health reports no checks')] : parts;
}

function checkState(state: 'live' | 'ready', reply: Reply, health: Reply): readonly Finding[] {
  const status = statusOf(reply);
  if (status === 404) return [checkOldHealth(state, health)];
  if (!('error' in reply)) return [{ status: 'ok', message: `it is ${state}` }, ...partsOf(reply.body)];
  if (status !== 503) return [unanswered(reply)];
  const hint = 'check the log of the gateway, and its connection to Kafka';
  return [{ status: 'error', message: `it is not ${state} (503)`, hint }];
}

function checkOldHealth(state: 'live' | 'ready', health: Reply): Finding {
  if ('error' in health) return notChecked(`this version has no /health/${state}`);
  const isUp = valueOf(health.body, 'status') === 'UP';
  if (isUp) return { status: 'ok', message: `/health is UP; /health/${state} comes with 3.12.0` };
  const hint = 'check the log of the gateway, and its connection to Kafka';
  return { status: 'error', message: `/health is not UP`, hint };
}

/** A gateway has a few; a hostile one may send more. */
const MOST_PARTS = 20;

/** What a health response says of each of its checks. */
function partsOf(body: Json | undefined): readonly Finding[] {
  const checks = valueOf(body, 'checks');
  if (!isList(checks)) return [];
  return checks.slice(0, MOST_PARTS).map((check): Finding => {
    const [name, status] = [
      textOf(valueOf(check, 'id') ?? valueOf(check, 'name')),
      textOf(valueOf(check, 'status')),
    ];
    const values = { check: name, status };
    if (status === 'UP') return { status: 'ok', message: `${name} is UP`, values };
    const hint = 'check the log of the gateway';
    return { status: 'error', message: `${name} is ${status}`, hint, values };
  });
}

const LONGEST = 60;

function textOf(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
