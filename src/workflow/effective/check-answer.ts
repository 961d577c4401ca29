import type { Problem } from '../../model/problem.ts';
import type { ChainLink } from '../../model/principal.ts';

type Placed = Pick<ChainLink, 'address' | 'priority'>;

/**
 * How the answer of a gateway differs from the rule of scopes (gateway-api B.4). Equal priorities may come in any order. `who`
 * is the principal, for messages that do not stand alone.
 */
export function checkAnswer(
  answer: readonly Placed[],
  rule: readonly Placed[],
  who?: string,
): readonly Problem[] {
  const [there, expected] = [answer, rule].map((chain) => new Set(chain.map(({ address }) => address)));
  const where = who === undefined ? '' : ` for ${who}`;
  const warn = (message: string): Problem => ({
    code: 'unexpected-chain',
    severity: 'warning',
    message: `${message}${where}`,
    hint: 'trust the gateway, and check its version: gwconf follows the documented rule',
  });
  const more = answer.filter(({ address }) => expected?.has(address) !== true);
  const less = rule.filter(({ address }) => there?.has(address) !== true);
  const isSorted = answer.every(({ priority }, at) => priority >= (answer[at - 1]?.priority ?? -Infinity));
  return [
    ...more.map(({ address }) => warn(`${address} runs on the gateway, but not by the rule of scopes`)),
    ...less.map(({ address }) =>
      warn(`${address} does not run on the gateway, but does by the rule of scopes`),
    ),
    ...(isSorted ? [] : [warn('the gateway does not answer in the order of priorities')]),
  ];
}
