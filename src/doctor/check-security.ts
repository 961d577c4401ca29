import { valueOf } from '../model/json/json.ts';
import type { Answers, Facts } from '../gateway/facts.ts';
import { isFailed, NOT_REACHED, notChecked, unanswered, type Expected, type Finding } from './finding.ts';

/** How the gateway authenticates clients, as far as it tells, beside what gwconf.yaml has. */
export function checkSecurity({ answers }: Facts, { security, absentIn }: Expected): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const protocol = protocolIn(answers);
  const hasClusters = hasVirtualClusters(answers);
  if (protocol === undefined && hasClusters === undefined && isFailed(answers.list))
    return [unanswered(answers.list)];
  if (protocol === undefined && hasClusters === undefined)
    return [
      notChecked('the gateway does not tell', 'write security in gwconf.yaml, for checks that need it'),
    ];
  const told = [
    ...(protocol === undefined ? [] : [protocol]),
    ...(hasClusters === undefined
      ? []
      : [hasClusters ? 'with virtual clusters' : 'without virtual clusters']),
  ].join(', ');
  const values = { ...(protocol === undefined ? {} : { protocol }), virtualClusters: hasClusters ?? null };
  if (security === undefined) {
    const hint = 'write security for the environment in gwconf.yaml, for checks that need it';
    return [{ status: 'ok', message: told, hint, values }];
  }
  // GATEWAY_MANAGED and KAFKA_MANAGED are modes, the others are protocols (gateway-api D.1, D.2).
  const isProtocol = !security.endsWith('_MANAGED');
  const isOther = isProtocol && protocol !== undefined && protocol !== security;
  const isElsewhere = hasClusters !== undefined && hasClusters === absentIn.includes(security);
  if (!isOther && !isElsewhere) return [{ status: 'ok', message: told, values }];
  return [
    {
      status: 'warning',
      message: `${told}; gwconf.yaml has ${security}`,
      hint: 'correct security of the environment in gwconf.yaml: files are checked for it',
      values,
    },
  ];
}

/** gateway-api A.8. */
function protocolIn({ usage }: Answers): string | undefined {
  const found = 'error' in usage ? undefined : valueOf(usage.body, 'gatewaySecurityProtocol');
  return typeof found === 'string' && /^[A-Z_]{1,40}$/.test(found) ? found : undefined;
}

/** A gateway without authentication, or with that of Kafka, refuses the list (gateway-api A.2, D.2). */
function hasVirtualClusters({ list }: Answers): boolean | undefined {
  if (!('error' in list)) return true;
  return list.error.code === 'refused' ? false : undefined;
}
