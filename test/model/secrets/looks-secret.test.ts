import { expect, it } from 'vitest';
import { looksSecret } from '../../../src/model/secrets/looks-secret.ts';

it.each([
  'kT9uX2pL/Q4mZs7R+hB1vWc8NdY5gJf3aEo6iHtU',
  'hvs.CAESIJlWqZ0yW1xV4Pq',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'glpat-aBcD1234eFgH5678iJkL',
  '9f86d081884c7d659a2feaa0c55ad015',
  'Bearer 3q2sY7Vt0Zk9QfLw8Xn5Rb1Tc6',
  'q8w7e6r5t4y3u2i1o0p9a8s7',
  'AccountKey=Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg==;EndpointSuffix=core.windows.net',
  'a line\nand 3q2sY7Vt0Zk9QfLw8Xn5Rb1Tc6 on the next',
])('%j looks like a secret', (text) => {
  expect(looksSecret(text)).toBe(true);
});

it.each([
  'short1A',
  '123e4567-e89b-12d3-a456-426614174000',
  '8D5E86B4-6A41-4E94-B6A8-1E5B7723E858',
  'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin',
  'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule',
  'https://registry-1.eu-west-1.example.com:8081/subjects/orders-v1-value/versions/2',
  'b-1.mycluster.a1b2c3.c2.kafka.eu-west-1.amazonaws.com:9092',
  'vault-kms://vault.example:8200/transit/keys/cards-2024-v3-eu1',
  'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  '^[a-zA-Z0-9]{20,64}-(dev|prod)-v[0-9]+$',
  '(?i)team1-.*|team2-[0-9a-f]{32}',
  'team1-app2-env3-region4-cluster5-zone6',
  'payments.orders.v1.created.2024-01-31',
  '2027-01-31T12:00:00.000+01:00',
  'AES256_CTR_HMAC_SHA256_XCHACHA20_POLY1305',
  '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}',
  'CN=client1,OU=Team2,O=Example3,L=Town4,C=DE',
  "record.value.price > 10 && record.key matches '[0-9]+'",
  'FirstSecondThirdFourthFifthSixthSeventh',
  '00000000000000000000000000000000',
  '{{record.header.keyId1234567890abcdef}}',
  'a'.repeat(500),
])('%j does not', (text) => {
  expect(looksSecret(text)).toBe(false);
});
