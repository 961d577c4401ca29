import {
  aged,
  allHarmless,
  checked,
  choice,
  flag,
  from,
  harmless,
  integer,
  narrowing,
  numeric,
  object,
  regex,
  scalar,
  secret,
  strengthOf,
  textMap,
  unordered,
  type Field,
  type Fields,
} from './field.ts';
import { once } from '../../model/collect.ts';
import { asMap, valueOf, type Json } from '../../model/json/json.ts';
import type { Strength } from '../../model/strength.ts';
import { needs, neededBy, together } from './config-checks.ts';
import { kafkaNumber, url } from './values.ts';

export const TOPIC = 'Regular expression for topic names.';

/** For classes without a documented default. */
export const topic = narrowing('topic', 'pattern', regex(TOPIC));
export const anyTopic = narrowing('topic', 'pattern', regex(TOPIC, '.*'));

export const celCacheSize = harmless(from(0, integer('Number of cached CEL expressions.', 100)));

// gateway-api E.1 SchemaRegistry. Secrets in additionalConfigs are recognised by their keys. It says how to read records.
export const schemaRegistryConfig = once((): Field =>
  harmless(
    checked(
      object(
        {
          type: aged(choice(['CONFLUENT', 'AWS'], 'The type of the registry; AWS since 3.7.', 'CONFLUENT'), {
            value: 'AWS',
            since: '3.7.0',
          }),
          host: checked(scalar('The URL of the registry.'), url),
          cacheSize: from(0, integer('Number of cached schemas.', 50)),
          additionalConfigs: textMap('Client properties, such as basic.auth.user.info.'),
          region: scalar('The AWS region.'),
          registryName: scalar('The name of the AWS registry.'),
          basicCredentials: checked(
            object(
              {
                accessKey: scalar('The AWS access key.'),
                secretKey: secret('The AWS secret key.'),
                validateCredentials: flag('Whether the credentials are checked first.', true),
                accountId: scalar('The AWS account.'),
              },
              'AWS credentials.',
            ),
            together('accessKey', 'secretKey'),
          ),
        },
        'The schema registry of the records.',
      ),
      neededBy('type', { CONFLUENT: ['host'] }, 'CONFLUENT'),
    ),
  ),
);

/** One whose schemas are the rule, or say where the fields of records are. */
export const registryWithRules = once((): Field => {
  const registry = schemaRegistryConfig();
  const login = valueOf(valueOf(registry.schema, 'properties'), 'basicCredentials');
  return strengthOf(
    naming(registry.schema, {
      // Another access key is that of another account, unless it says which.
      ...{ host: ANOTHER, region: ANOTHER, registryName: ANOTHER },
      additionalConfigs: {
        type: 'object',
        fields: { 'schema.registry.url': ANOTHER, 'bearer.auth.logical.cluster': ANOTHER },
      },
      basicCredentials: naming(login, { accessKey: ANOTHER, accountId: ANOTHER }),
    }),
    registry,
  );
});

const ANOTHER: Strength = { type: 'unknown' };

/** Of an object of this schema, only these fields protect. */
function naming(schema: Json | undefined, fields: Readonly<Record<string, Strength>>): Strength {
  const keys = Object.keys(asMap(valueOf(schema, 'properties')));
  return {
    type: 'object',
    fields: Object.fromEntries(keys.map((key) => [key, fields[key] ?? { type: 'none' }])),
  };
}

// gateway-api E.3 kmsConfig
const vault = (): Field =>
  checked(
    object(
      {
        uri: unordered(checked(scalar('The URL of Vault.'), url)),
        version: harmless(numeric('The version of the key-value engine.', 1)),
        namespace: unordered(scalar('The namespace in Vault.')),
        type: harmless(
          choice(
            [
              'TOKEN',
              'USERNAME_PASSWORD',
              'GITHUB',
              'LDAP',
              'APP_ROLE',
              'KUBERNETES',
              'GCP',
              'AWS_EC2_PKCS7',
              'AWS_EC2',
              'AWS_IAM',
              'JWT',
            ],
            'The authentication method.',
          ),
        ),
        token: secret('The token to log in with.'),
        username: harmless(scalar('The user to log in as.')),
        password: secret('The password of the user.'),
        roleId: harmless(scalar('The role id of an APP_ROLE.')),
        secretId: secret('The secret id of an APP_ROLE.'),
        path: harmless(scalar('The path of the login; KUBERNETES uses it instead of jwt since 3.12.')),
        ...allHarmless({
          userpassAuthMount: scalar('The mount path of USERNAME_PASSWORD.'),
          githubAuthMount: scalar('The mount path of GITHUB.'),
          ldapAuthMount: scalar('The mount path of LDAP.'),
          role: scalar('The role to log in with.'),
          provider: scalar('The provider of the JWT.'),
          identity: scalar('The identity document of AWS_EC2.'),
          iamRequestUrl: scalar('The URL of the request of AWS_IAM.'),
          iamRequestBody: scalar('The body of the request of AWS_IAM.'),
        }),
        jwt: secret('The JWT to log in with.'),
        // Who has one of these can log in, too: they are signed, or are what Vault knows an instance by.
        iamRequestHeaders: secret('The signed headers of the request of AWS_IAM.'),
        pkcs7: secret('The signed identity document of AWS_EC2_PKCS7.'),
        signature: secret('The signature of the identity document of AWS_EC2.'),
        nonce: secret('The nonce of the instance, for AWS_EC2 and AWS_EC2_PKCS7.'),
      },
      'HashiCorp Vault, for keys that start with vault-kms://.',
    ),
    needs('uri'),
    neededBy('type', {
      TOKEN: ['token'],
      GITHUB: ['token'],
      USERNAME_PASSWORD: ['username', 'password'],
      LDAP: ['username', 'password'],
      APP_ROLE: ['roleId', 'secretId'],
      GCP: ['role', 'jwt'],
      JWT: ['jwt'],
    }),
  );

const azure = (): Field =>
  harmless(
    object(
      {
        tokenCredential: checked(
          object(
            {
              clientId: scalar('The client.'),
              tenantId: scalar('The tenant.'),
              clientSecret: secret('The secret of the client.'),
            },
            'Credentials of an application.',
          ),
          together('clientId', 'tenantId', 'clientSecret'),
        ),
        usernamePasswordCredential: checked(
          object(
            {
              clientId: scalar('The client.'),
              tenantId: scalar('The tenant.'),
              username: scalar('The user.'),
              password: secret('The password of the user.'),
            },
            'Credentials of a user.',
          ),
          together('clientId', 'tenantId', 'username', 'password'),
        ),
      },
      'Azure Key Vault, for keys that start with azure-kms://.',
    ),
  );

const awsKeys = (): Fields => ({
  accessKey: scalar('The access key.'),
  secretKey: secret('The secret key.'),
});
const aws = (): Field =>
  harmless(
    object(
      {
        basicCredentials: checked(
          object(awsKeys(), 'Permanent credentials.'),
          together('accessKey', 'secretKey'),
        ),
        sessionCredentials: checked(
          object(
            { ...awsKeys(), sessionToken: secret('The token of the session.') },
            'Temporary credentials.',
          ),
          together('accessKey', 'secretKey', 'sessionToken'),
        ),
      },
      'AWS KMS, for keys that start with aws-kms://.',
    ),
  );

// Which keys there are depends on where they are; how to log in there does not.
export const kmsConfig = once((): Field =>
  object(
    {
      keyTtlMs: harmless(
        checked(integer('How long a key is cached, in milliseconds.', 3_600_000), kafkaNumber),
      ),
      'in-memory': harmless(
        object({}, 'Keys that are lost on restart, for keys that start with in-memory-kms://.'),
      ),
      gateway: aged(
        object(
          {
            masterKeyId: unordered(scalar('The key that encrypts other keys.')),
            maxKeys: harmless(numeric('Maximum number of keys.', 1)),
          },
          'Keys that are stored in the gateway, for keys that start with gateway-kms://; since 3.7.',
        ),
        { since: '3.7.0' },
      ),
      vault: vault(),
      azure: azure(),
      aws: aws(),
      gcp: harmless(
        object(
          { serviceAccountCredentialsFilePath: scalar('A file with the credentials of a service account.') },
          'Google Cloud KMS, for keys that start with gcp-kms://.',
        ),
      ),
    },
    'The key management services that hold the keys.',
  ),
);
