import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Lifetime } from '../../model/rules.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { hasLocalAccounts } from '../../schema/kinds/service-account.ts';
import type { Workspace } from '../project/workspace.ts';

/** What is asked for: `lifetime` is as the user wrote it. */
export type TokenWish = {
  readonly account: Address;
  readonly lifetime: string;
  readonly lifetimeSeconds: number;
};

/** Ten years (gateway-api G). */
const USUAL_SECONDS = 10 * 365 * 24 * 60 * 60;

/** What the environment says against a token, before the gateway is asked. */
export function checkTokenRules(environment: Workspace['environment'], wish: TokenWish): readonly Problem[] {
  const { security, securityPlace } = environment ?? {};
  if (!hasLocalAccounts(security)) {
    return [
      {
        code: 'no-token',
        severity: 'error',
        message: `a gateway with ${security ?? ''} has no LOCAL accounts, so it issues no tokens`,
        ...(securityPlace === undefined ? {} : { at: securityPlace }),
        hint: 'authenticate clients in the way of that mode, or correct security in gwconf.yaml',
      },
    ];
  }
  return [...checkLifetime(environment, wish), ...checkUsual(wish)];
}

function* checkLifetime(
  environment: Workspace['environment'],
  { account, lifetime, lifetimeSeconds }: TokenWish,
): Generator<Problem> {
  const { maxLifetime, accounts = [] } = environment?.token ?? {};
  const limits: readonly { readonly of: string; readonly longest: Lifetime; readonly reason?: string }[] = [
    ...(maxLifetime === undefined
      ? []
      : [{ of: `environment ${environment?.name ?? ''}`, longest: maxLifetime }]),
    ...accounts
      .filter(({ address }) => compileGlob(address)(account))
      .map(({ address, maxLifetime: longest, ...about }) => ({ of: address, longest, ...about })),
  ];
  for (const { of, longest, reason } of limits) {
    if (lifetimeSeconds <= longest.seconds) continue;
    const why = reason === undefined ? '' : ` (${reason})`;
    yield {
      code: 'long-lifetime',
      severity: 'error',
      message: `a token for ${account} cannot be valid for ${lifetime}; the limit of ${of} is ${longest.text}${why}`,
      at: longest.place,
      hint: `use --lifetime ${longest.text} or less, or change token in gwconf.yaml`,
    };
  }
}

function checkUsual({ lifetime, lifetimeSeconds }: TokenWish): readonly Problem[] {
  if (lifetimeSeconds <= USUAL_SECONDS) return [];
  return [
    {
      code: 'unusual-value',
      severity: 'warning',
      message: `a lifetime of ${lifetime} is more than ten years`,
      hint: 'tokens cannot be revoked: use a shorter lifetime, and issue a new token in time',
    },
  ];
}
