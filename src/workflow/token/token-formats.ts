import { printDotenv } from '../../declare/dotenv.ts';

/** A token that was issued, and for whom. */
export type IssuedToken = {
  readonly account: string;
  readonly username: string;
  readonly virtualCluster: string;
  readonly token: string;
  /** ISO 8601; undefined where the token does not say. */
  readonly expiresAt: string | undefined;
};

type Options = {
  /** The security mode of the environment. */
  readonly security: string | undefined;
};

/** The text of a token for a client; `security` tells the protocol of its connection. */
export const TOKEN_FORMATS = {
  token: ({ token }) => `${token}\n`,
  jaas: (issued) => `${jaasOf(issued)}\n`,
  properties: (issued, { security = '' }) => {
    const isProtocol = ['SASL_PLAINTEXT', 'SASL_SSL'].includes(security);
    return [
      `${isProtocol ? '' : '# '}security.protocol=${isProtocol ? security : 'SASL_SSL'}`,
      'sasl.mechanism=PLAIN',
      `sasl.jaas.config=${jaasOf(issued).replaceAll('\\', '\\\\')}`,
      '',
    ].join('\n');
  },
  env: ({ username, token }) =>
    printDotenv([
      { name: 'KAFKA_SASL_USERNAME', value: username },
      { name: 'KAFKA_SASL_PASSWORD', value: token },
    ]).text,
  json: (issued) => `${JSON.stringify({ format: 'gwconf/token@1', ...issued }, null, 2)}\n`,
} as const satisfies Readonly<Record<string, (issued: IssuedToken, options: Options) => string>>;
export type TokenFormat = keyof typeof TOKEN_FORMATS;

function jaasOf({ username, token }: IssuedToken): string {
  const [user, password] = [username, token].map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`);
  return `org.apache.kafka.common.security.plain.PlainLoginModule required username=${user ?? ''} password=${password ?? ''};`;
}
