import { exactly, list, mapOf, maybe, object, open, text, time } from '../../model/shape.ts';
export const snapshot = object(
  {
    format: exactly('gwconf/snapshot@1'),
    tool: text('gwconf and its version.'),
    takenAt: time('ISO 8601, UTC.'),
    gateway: text('The URL of the gateway, without credentials.'),
    environment: maybe(text('The environment of the project file, where there was one.')),
    kinds: maybe(open('What the gateway says of kinds that gwconf does not know: OpenAPI.')),
    unavailable: mapOf(text(), 'Kinds that the gateway does not serve, with its own words.'),
    listed: maybe(
      mapOf(
        list(text()),
        'The names in lists that only the gateway has, such as plugin classes, by kind; without what it does not list.',
      ),
    ),
    salt: text('For the digests of secrets; drawn anew for each snapshot.'),
    digest: text('SHA-256 over all else: finds accidents, proves nothing.'),
    resources: list(
      object({
        resource: object(
          {
            apiVersion: maybe(text()),
            kind: text(),
            metadata: object({ name: text() }, undefined, { additionalProperties: true }),
            spec: open(),
          },
          'As the gateway spells it.',
          { additionalProperties: true },
        ),
        secrets: maybe(
          mapOf(
            text('Salted and slow (scrypt), in base64url.'),
            'By the JSON Pointer of each secret, its digest.',
            { propertyNames: { pattern: '^/' } },
          ),
        ),
      }),
      'By address.',
    ),
  },
  'What was live on a gateway at one moment, without a secret: where one would stand is (hidden), and a salted, slow digest of it under secrets. Minor versions of gwconf may add fields; consumers pass over those that they do not know.',
  { title: 'A snapshot, as gwconf snapshot --out writes it' },
);
