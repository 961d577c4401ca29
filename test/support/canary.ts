import { isObject, type Json, type JsonObject } from '../../src/model/json/json.ts';
import { asValid, type Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

/**
 * The word in every secret that these tests make. It looks the same in JSON, in a URL and line by line, so that one look
 * for it, and for what base64 and hex make of it, finds any of a thousand secrets, and parts of them.
 */
const WORD = 'Kanarienvogel';

const SPELLINGS: readonly string[] = [
  WORD,
  Buffer.from(WORD).toString('hex'),
  Buffer.from(WORD).toString('hex').toUpperCase(),
  ...[0, 1, 2].map((before) => inBase64(WORD, before)),
];

/** What base64 makes of a word behind so many other bytes, as far as it hangs on the word alone. */
function inBase64(word: string, before: number): string {
  const text = Buffer.from(' '.repeat(before) + word).toString('base64');
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + word.length) * 8) / 6));
}

/** Where a canary is seen in a text, with what stands around it. */
export function canariesIn(text: string): readonly string[] {
  return SPELLINGS.flatMap((spelling) => {
    const at = text.indexOf(spelling);
    return at === -1 ? [] : [text.slice(Math.max(0, at - 120), at + 60)];
  });
}

/** Resources full of secrets, and what they take them from. */
export type SecretSet = {
  readonly resources: readonly Resource[];
  readonly env: Readonly<Record<string, string>>;
  /** Files by path, and programs that print. */
  readonly files: Readonly<Record<string, string>>;
  readonly programs: Readonly<Record<string, JsonObject>>;
  readonly count: number;
};

/**
 * At least so many secrets, in every place where the forms say that one can stand, and from every source; or in so many
 * `shapes` only.
 */
export function makeSecrets(atLeast: number, generation: string, shapes = Infinity): SecretSet {
  const maker = new SecretMaker(generation);
  const resources: Resource[] = [];
  for (let round = 0; maker.count < atLeast; round += 1) {
    const all = [...ofForms(), { ...OWN, spec: { ...OWN.spec, config: freely(maker) } }];
    for (const [at, shape] of all.slice(-shapes).entries()) {
      const metadata = { name: `canary-${round}-${at}`, scope: { vCluster: 'passthrough' } };
      const filled = filledBy(maker, { ...shape, metadata }, patternsOf(shape));
      resources.push(filled as Resource); // a resource with secrets in it is one still
    }
  }
  return { resources, env: maker.env, files: maker.files, programs: maker.programs, count: maker.count };
}

const OWN = asValid({
  apiVersion: 'gateway/v2',
  kind: 'Interceptor',
  metadata: { name: 'own' },
  spec: { pluginClass: 'com.example.Own', priority: 100, config: {} },
});

/** A resource for each shape whose form marks a secret. */
function ofForms(): readonly Resource[] {
  return [...catalog.kinds.values()].flatMap((kind): readonly Resource[] => {
    const plain = patternsOf(kind.example).length > 0 ? [kind.example] : [];
    const { spec } = kind.example;
    const varied = (kind.variants?.known ?? []).filter(
      ({ secrets, removed }) => secrets.length > 0 && removed === undefined,
    );
    return [
      ...(kind.variants === undefined ? plain : []),
      ...varied.map(({ name }) => ({
        ...OWN,
        kind: kind.name,
        spec: { ...spec, pluginClass: name, config: {} },
      })),
    ];
  });
}

function patternsOf(resource: Resource): readonly (readonly string[])[] {
  return catalog.kinds.get(resource.kind)?.secrets(resource) ?? [];
}

function filledBy(maker: SecretMaker, resource: Json, patterns: readonly (readonly string[])[]): Json {
  return patterns.reduce((filled, tokens) => withAt(filled, tokens, maker.next()), resource);
}

/** A copy with a value at these tokens; `*` is the first item of a list. */
function withAt(value: Json | undefined, [token, ...rest]: readonly string[], leaf: Json): Json {
  if (token === undefined) return leaf;
  if (token === '*') return [withAt(Array.isArray(value) ? (value[0] as Json) : undefined, rest, leaf)];
  const map = isObject(value) ? value : {};
  return { ...map, [token]: withAt(map[token], rest, leaf) };
}

/** Secrets in a config that no schema knows: by key, by their own look, deep, in lists, over lines. */
function freely(maker: SecretMaker): JsonObject {
  const { plain } = maker;
  return {
    password: maker.next(),
    nested: {
      'ssl.keystore.password': maker.next(),
      list: [{ clientSecret: maker.next() }, { apiKey: maker.next() }],
    },
    token: { deep: [plain(), { deeper: plain() }] },
    'sasl.jaas.config': `required username="u" password="${plain()}";`,
    authorization: `Bearer ${plain()}`,
    topic: `eyJhbGciOiJIUzI1NiJ9.eyJ${plain().replace(/\W/g, '')}0.c2lnbmF0dXJl`,
    notes: [`-----BEGIN PRIVATE KEY-----\nMIIE${plain()}\n${plain()}\n-----END PRIVATE KEY-----\n`],
    encoded: Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\nMIIE${plain()}\n`).toString('base64'),
    registry: `https://user:${plain().replace(/[^\w-]/g, '')}@registry.example/subjects`,
    jaas: `org.example.PlainLoginModule required password='${plain().replaceAll(/['"\\]/g, '')}';`,
    comment: maker.fromEnv(),
    amid: `before ${maker.fromEnv()} after`,
    lines: `first\n${maker.fromEnv()}\nlast`,
    file: maker.fromFile(),
    program: maker.fromProgram(),
  };
}

class SecretMaker {
  readonly env: Record<string, string> = {};
  readonly files: Record<string, string> = {};
  readonly programs: Record<string, JsonObject> = {};
  count = 0;
  readonly #generation: string;

  constructor(generation: string) {
    this.#generation = generation;
  }

  /** A secret as it is, with characters that JSON, YAML and URLs each escape. */
  readonly plain = (): string => {
    this.count += 1;
    return `${WORD}-${this.#generation}-${this.count}"J9\\x/ä+ %41`;
  };

  fromEnv(): string {
    const name = `CANARY_${this.#generation}_${this.count}`;
    this.env[name] = this.plain();
    return `\${${name}}`;
  }

  fromFile(): string {
    const path = `secrets/${this.#generation}-${this.count}`;
    this.files[path] = `${this.plain()}\n`;
    return `\${file:${path}}`;
  }

  /** There are few programs, since each takes its time. */
  fromProgram(): string {
    const name = `${this.#generation}-${Object.keys(this.programs).length % 3}`;
    this.programs[name] ??= { command: ['printf', '%s', this.plain()] };
    return `\${exec:${name}}`;
  }

  /** From one source or another. */
  next(): string {
    const sources = [() => this.plain(), () => this.fromEnv(), () => this.fromFile(), () => this.fromEnv()];
    return sources[this.count % sources.length]?.() ?? '';
  }
}
