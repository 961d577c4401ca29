import type { Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { formatValue, Refusal } from '../responses/response.ts';
import { titles, wordingOf } from '../responses/wording.ts';
import type { Options, SecurityMode, State } from '../state/state.ts';

/**
 * Throws a Refusal 400 if the security mode has no objects of the kind (gateway-api D). Reads are known to be refused on
 * PLAINTEXT only (A.2); in other modes there is nothing to list.
 */
export function checkPresence(kind: Kind, { options }: State, call: 'read' | 'write'): void {
  const { security } = options;
  if (security === undefined || !kind.absentIn.includes(security)) return;
  const { needsSecurity, noun } = wordingOf(kind);
  if (security === 'PLAINTEXT' && needsSecurity !== undefined) throw new Refusal(400, needsSecurity);
  if (call === 'write')
    throw new Refusal(400, titles.badRequest, `A gateway with ${security} has no ${noun}s`);
}

/** What an EXTERNAL account needs in a security mode (gateway-api D.1). */
const NEEDS: Readonly<Partial<Record<SecurityMode, 'mtls' | 'oauth'>>> = {
  SSL: 'mtls',
  SASL_PLAINTEXT: 'oauth',
  SASL_SSL: 'oauth',
};
const NAMES = { mtls: 'mTLS', oauth: 'OAuth' } as const;

/** Why clients cannot log in as an account in this security mode; the form of the kind has the rules for LOCAL ones. */
export function findLoginFault({ spec }: Resource, { security, ...options }: Options): string | undefined {
  const need = security === undefined ? undefined : NEEDS[security];
  if (need === undefined || options[need] === true || spec['type'] !== 'EXTERNAL') return undefined;
  return `A gateway with ${formatValue(security)} and without ${NAMES[need]} has no ${formatValue(spec['type'])} accounts`;
}
