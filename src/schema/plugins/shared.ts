import { aged, choice, flag, integer, object, regex, secret, textMap, untyped } from './field.ts';

const TOPIC = 'Regular expression for topic names.';

/** For classes without a documented default. */
export const topic = regex(TOPIC);
export const anyTopic = regex(TOPIC, '.*');

export const celCacheSize = integer('Number of cached CEL expressions.', 100);

// gateway-api E.1 SchemaRegistry. Secrets in additionalConfigs are recognised by their keys.
export const schemaRegistryConfig = object(
  {
    type: aged(choice(['CONFLUENT', 'AWS'], 'The type of the registry; AWS since 3.7.', 'CONFLUENT'), {
      value: 'AWS',
      since: '3.7.0',
    }),
    host: untyped('The URL of the registry.'),
    cacheSize: integer('Number of cached schemas.', 50),
    additionalConfigs: textMap('Client properties, such as basic.auth.user.info.'),
    region: untyped('The AWS region.'),
    registryName: untyped('The name of the AWS registry.'),
    basicCredentials: object(
      {
        accessKey: untyped('The AWS access key.'),
        secretKey: secret('The AWS secret key.'),
        validateCredentials: flag('Whether the credentials are checked first.', true),
        accountId: untyped('The AWS account.'),
      },
      'AWS credentials.',
    ),
  },
  'The schema registry of the records.',
);

// gateway-api E.3 kmsConfig
const vault = object(
  {
    uri: untyped('The URL of Vault.'),
    version: untyped('The version of the key-value engine.'),
    namespace: untyped('The namespace in Vault.'),
    type: choice(
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
    token: secret('The token to log in with.'),
    username: untyped('The user to log in as.'),
    password: secret('The password of the user.'),
    roleId: untyped('The role id of an APP_ROLE.'),
    secretId: secret('The secret id of an APP_ROLE.'),
    path: untyped('The path of the login; KUBERNETES uses it instead of jwt since 3.12.'),
    role: untyped('The role to log in with.'),
    jwt: secret('The JWT to log in with.'),
  },
  'HashiCorp Vault, for keys that start with vault-kms://.',
);

const azure = object(
  {
    tokenCredential: object(
      {
        clientId: untyped('The client.'),
        tenantId: untyped('The tenant.'),
        clientSecret: secret('The secret of the client.'),
      },
      'Credentials of an application.',
    ),
    usernamePasswordCredential: object(
      {
        clientId: untyped('The client.'),
        tenantId: untyped('The tenant.'),
        username: untyped('The user.'),
        password: secret('The password of the user.'),
      },
      'Credentials of a user.',
    ),
  },
  'Azure Key Vault, for keys that start with azure-kms://.',
);

const awsKeys = { accessKey: untyped('The access key.'), secretKey: secret('The secret key.') };
const aws = object(
  {
    basicCredentials: object(awsKeys, 'Permanent credentials.'),
    sessionCredentials: object(
      { ...awsKeys, sessionToken: secret('The token of the session.') },
      'Temporary credentials.',
    ),
  },
  'AWS KMS, for keys that start with aws-kms://.',
);

export const kmsConfig = object(
  {
    keyTtlMs: integer('How long a key is cached, in milliseconds.', 3_600_000),
    'in-memory': object({}, 'Keys that are lost on restart, for keys that start with in-memory-kms://.'),
    gateway: aged(
      object(
        {
          masterKeyId: untyped('The key that encrypts other keys.'),
          maxKeys: untyped('Maximum number of keys.'),
        },
        'Keys that are stored in the gateway, for keys that start with gateway-kms://; since 3.7.',
      ),
      { since: '3.7.0' },
    ),
    vault,
    azure,
    aws,
    gcp: object(
      { serviceAccountCredentialsFilePath: untyped('A file with the credentials of a service account.') },
      'Google Cloud KMS, for keys that start with gcp-kms://.',
    ),
  },
  'The key management services that hold the keys.',
);
