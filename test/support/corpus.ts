import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { printYaml } from '../../src/schema/yaml/print.ts';
import { writableKinds } from './kinds.ts';
import { sharedFolder } from './shared.ts';

/** A file of resources, and what is wrong with it, each as `line:column code path`. */
export type CorpusFile = {
  readonly name: string;
  readonly text: string;
  readonly refused: readonly string[];
  readonly warned: readonly string[];
};
type Recorded = Pick<CorpusFile, 'name' | 'text'>;

/** Our own examples. The first line of a file lists its problems: `# … -- refused: 6:3 unknown-field /spec/prefix; …`. */
const OWN = new URL('../corpus/', import.meta.url);
/** Real files of others, which are not part of the repository: each names its source in its first line. */
const SHARED = sharedFolder('corpus');

// What the first lines of the shared files say in words: wrong, not allowed, pre-release, or states of one resource.
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'ctl-all-kinds-multidoc.yaml': [
    '8:3 unknown-field /spec/prefix',
    '15:3 unknown-field /spec/prefix',
    '136:9 duplicate-resource /metadata/name',
  ],
  'docs-client-id-policy.yaml': [
    '17:9 duplicate-resource /metadata/name',
    '28:9 duplicate-resource /metadata/name',
  ],
  'invalid-encrypt-toplevel-fields.yaml': ['13:22 unknown-kms /spec/config/fields/0/keySecretId'],
  'tf-test-service-account-create-then-update.yaml': ['16:9 duplicate-resource /metadata/name'],
  'tf-test-vcluster-create-then-update.yaml': ['24:9 duplicate-resource /metadata/name'],
  'tf-unit-interceptor-kind-gatewayinterceptor.yaml': ['10:5 conflicting-fields /metadata/scope/username'],
};
const WARNED: Readonly<Record<string, readonly string[]>> = {
  'docs-alter-topic-policy.yaml': [
    '53:7 unsettled-spelling /spec/config/cleanupPolicy/value',
    '56:15 override-without-value /spec/config/cleanupPolicy/action',
  ],
  'docs-create-topic-policy.yaml': ['65:15 override-without-value /spec/config/cleanupPolicy/action'],
  'docs-encrypt-field-level-two-kms.yaml': [
    '27:22 unknown-kms /spec/config/recordValue/fields/0/keySecretId',
  ],
  'docs-produce-policy.yaml': ['21:7 unsettled-spelling /spec/config/compressions/value'],
  'docs-sql-topic.yaml': ['8:16 deprecated-class /spec/pluginClass'],
  'openapi-example-interceptor.yaml': ['11:16 deprecated-class /spec/pluginClass'],
  'tf-test-interceptors-create.yaml': ['47:21 deprecated-value /spec/config/schemaDataMode'],
  'tf-unit-vcluster-full.yaml': [
    '13:3 server-managed /spec/bootstrapServers',
    '14:3 server-managed /spec/clientProperties',
    '19:3 unusual-value /spec/acls',
    '23:20 unusual-value /spec/acls/0/resourcePattern/patternType',
  ],
};

/** For titles of tests. */
export const CORPUS = `test/corpus and ${SHARED.title}`;

const ownFiles: readonly CorpusFile[] = filesIn(OWN, /\.(yaml|json)$/).map((file) => ({
  ...file,
  refused: listed('refused', file),
  warned: listed('warned', file),
}));

const sharedFiles: readonly CorpusFile[] = filesIn(SHARED.url, /\.yaml$/).map((file) => ({
  ...file,
  refused: REFUSED[file.name] ?? [],
  warned: WARNED[file.name] ?? [],
}));

/** The examples of the kinds that files can declare. */
const exampleFiles: readonly CorpusFile[] = writableKinds.map(({ name, example }) => ({
  name: `example-${name}.yaml`,
  text: printYaml([example]),
  refused: [],
  warned: [],
}));

export const corpus: readonly CorpusFile[] = [...ownFiles, ...exampleFiles, ...sharedFiles];
export const accepted = corpus.filter(({ refused }) => refused.length === 0);

/** Requests and answers of the gateway's API. */
export const recorded: readonly Recorded[] = [OWN, SHARED.url].flatMap((folder) =>
  filesIn(new URL('recorded/', folder), /\.yaml$/),
);

/** All files of YAML, those of the examples and with recorded answers included. */
export const yamlFiles: readonly Recorded[] = [
  ...corpus,
  ...recorded,
  ...filesIn(new URL('../../examples/', import.meta.url), /\.yaml$/),
].filter(({ name }) => name.endsWith('.yaml'));

function filesIn(folder: URL, extension: RegExp): readonly Recorded[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names
    .filter((name) => extension.test(name) && !name.startsWith('recorded'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
}

function listed(word: 'refused' | 'warned', { text }: Recorded): readonly string[] {
  const [line = ''] = text.split('\n');
  return (line.split(` -- ${word}: `)[1] ?? '').split('; ').filter((item) => item !== '');
}
