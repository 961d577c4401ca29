import { valueOf } from '../../model/json/json.ts';
import type { Instance } from './terraform-state.ts';

/** The resource of the provider for a token. Tokens are no state of the gateway: it cannot list or revoke them. */
export const TOKEN = 'gateway_token_v2';

/** A token that Terraform has issued, without its text. */
export type Token = {
  /** Its address in Terraform. */
  readonly from: string;
  readonly username: string | undefined;
  readonly vCluster: string;
  readonly lifetimeSeconds: number | undefined;
};

export function tokenOf({ address, values }: Instance): Token {
  const [username, vCluster, lifetime] = ['username', 'vcluster', 'lifetime_seconds'].map((key) =>
    valueOf(values, key),
  );
  return {
    from: address,
    username: typeof username === 'string' ? username : undefined,
    vCluster: typeof vCluster === 'string' ? vCluster : 'passthrough',
    lifetimeSeconds: typeof lifetime === 'number' ? lifetime : undefined,
  };
}

/** The body of `POST /gateway/v2/token`, which issues another one. */
export function requestFor({ username, vCluster, lifetimeSeconds }: Token): string {
  return JSON.stringify({ vCluster, username, lifeTimeSeconds: lifetimeSeconds });
}
