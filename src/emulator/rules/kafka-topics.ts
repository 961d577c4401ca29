import { entriesOf, valueAt } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import { formatValue } from '../responses/text.ts';

type TopicFault = { readonly message: string; readonly policy?: string };

/**
 * The first physical topic of a concentration rule that does not exist, or has another cleanup.policy, which is then
 * `policy`. A rule with autoManaged creates missing topics.
 */
export function findMissingTopic(
  rule: Resource,
  topics: ReadonlyMap<string, string> | undefined,
): TopicFault | undefined {
  if (topics === undefined) return undefined;
  for (const [use, topic] of entriesOf(valueAt(rule, '/spec/physicalTopics') ?? {})) {
    const name = formatValue(topic);
    const policy = topics.get(name);
    const wanted = policies[use];
    if (policy === undefined && rule.spec['autoManaged'] !== true) {
      return { message: `The physical topic ${name} does not exist` };
    }
    if (policy !== undefined && wanted !== undefined && ordered(policy) !== wanted) {
      return { message: `The physical topic ${name} has cleanup.policy ${policy}, not ${wanted}`, policy };
    }
  }
  return undefined;
}

const policies: { readonly [use: string]: string | undefined } = {
  delete: 'delete',
  compact: 'compact',
  deleteCompact: 'delete,compact',
};

function ordered(policy: string): string {
  return policy.replaceAll(' ', '') === 'compact,delete' ? 'delete,compact' : policy.replaceAll(' ', '');
}
