import { aged, choice, flag, integer, object, regex, secret, textMap, untyped } from './field.ts';

const TOPIC = 'A regular expression on the names of the topics it covers.';

/** For the classes whose page gives no default. */
export const topic = regex(TOPIC);
export const anyTopic = regex(TOPIC, '.*');

export const celCacheSize = integer('How many compiled CEL expressions are kept.', 100);

// gateway-api E.1 SchemaRegistry. Which additional configs are secrets shows only in their keys, which no pattern
// can tell; they are hidden by name.
export const schemaRegistryConfig = object(
  {
    type: aged(choice(['CONFLUENT', 'AWS'], 'Which registry it is; AWS since 3.7.', 'CONFLUENT'), {
      value: 'AWS',
      since: '3.7.0',
    }),
    host: untyped('Its URL.'),
    cacheSize: integer('How many schemas are kept.', 50),
    additionalConfigs: textMap('Client properties, such as basic.auth.user.info.'),
    region: untyped('The AWS region.'),
    registryName: untyped('The name of the AWS registry.'),
    basicCredentials: object(
      {
        accessKey: untyped('The AWS access key.'),
        secretKey: secret('The AWS secret key.'),
        validateCredentials: flag('Whether they are tried out first.', true),
        accountId: untyped('The AWS account.'),
      },
      'How to log in to AWS.',
    ),
  },
  'The schema registry that knows the records of these topics.',
);

// gateway-api E.3 kmsConfig
const vault = object(
  {
    uri: untyped('Its URL.'),
    version: untyped('The version of its key-value engine.'),
    namespace: untyped('Its namespace.'),
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
      'How to log in.',
    ),
    token: secret('The token to log in with.'),
    username: untyped('The user to log in as.'),
    password: secret('The password of the user.'),
    roleId: untyped('The role id of an APP_ROLE.'),
    secretId: secret('The secret id of an APP_ROLE.'),
    path: untyped('The path of the login; since 3.12 KUBERNETES takes it in place of jwt.'),
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
      'How an application logs in.',
    ),
    usernamePasswordCredential: object(
      {
        clientId: untyped('The client.'),
        tenantId: untyped('The tenant.'),
        username: untyped('The user.'),
        password: secret('The password of the user.'),
      },
      'How a user logs in.',
    ),
  },
  'Azure Key Vault, for keys that start with azure-kms://.',
);

const awsKeys = { accessKey: untyped('The access key.'), secretKey: secret('The secret key.') };
const aws = object(
  {
    basicCredentials: object(awsKeys, 'Credentials that last.'),
    sessionCredentials: object(
      { ...awsKeys, sessionToken: secret('The token of the session.') },
      'Credentials of a session.',
    ),
  },
  'AWS KMS, for keys that start with aws-kms://.',
);

export const kmsConfig = object(
  {
    keyTtlMs: integer('How long a key is kept, in milliseconds.', 3_600_000),
    'in-memory': object({}, 'Keys that are lost on restart, for keys that start with in-memory-kms://.'),
    gateway: aged(
      object(
        {
          masterKeyId: untyped('The key that encrypts the others.'),
          maxKeys: untyped('How many keys there may be.'),
        },
        "The gateway's own store, for keys that start with gateway-kms://; since 3.7.",
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
