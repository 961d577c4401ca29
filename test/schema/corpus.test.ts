import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { valueAt, type Pointer } from '../../src/model/json/json.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import type { Resource } from '../../src/model/resource.ts';
import { checkReferences } from '../../src/plan/checks/references.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { parseYaml } from '../../src/schema/yaml/parse.ts';
import { problemsOf, type Seen } from '../support/expect-problems.ts';
import { kindOf } from '../support/kinds.ts';

const corpus = new URL('../../../shared/corpus/', import.meta.url);
const files = existsSync(corpus) ? readdirSync(corpus).filter((file) => file.endsWith('.yaml')) : [];

// A first line that says that the file is wrong, not allowed, pre-release, or holds successive states of one resource.
const REFUSED: Readonly<Record<string, readonly Seen[]>> = {
  'ctl-all-kinds-multidoc.yaml': [
    { code: 'unknown-field', at: '8:3', path: '/spec/prefix' },
    { code: 'unknown-field', at: '15:3', path: '/spec/prefix' },
    { code: 'unknown-field', at: '106:5', path: '/spec/config/fields' },
    { code: 'duplicate-resource', at: '136:9', also: '128:9', path: '/metadata/name' },
  ],
  'docs-client-id-policy.yaml': [
    { code: 'duplicate-resource', at: '17:9', also: '6:9', path: '/metadata/name' },
    { code: 'duplicate-resource', at: '28:9', also: '6:9', path: '/metadata/name' },
  ],
  'invalid-encrypt-toplevel-fields.yaml': [
    { code: 'unknown-field', at: '11:5', path: '/spec/config/fields' },
  ],
  'tf-test-service-account-create-then-update.yaml': [
    { code: 'duplicate-resource', at: '16:9', also: '6:9', path: '/metadata/name' },
  ],
  'tf-test-vcluster-create-then-update.yaml': [
    { code: 'duplicate-resource', at: '24:9', also: '6:9', path: '/metadata/name' },
  ],
  'tf-unit-interceptor-kind-gatewayinterceptor.yaml': [
    { code: 'conflicting-fields', at: '10:5', path: '/metadata/scope/username' },
  ],
};

// What a server printed, written back.
const WARNED: Readonly<Record<string, readonly Seen[]>> = {
  'tf-unit-vcluster-full.yaml': [
    { code: 'unusual-value', at: '19:3', path: '/spec/acls', severity: 'warning' },
    { code: 'server-managed', at: '13:3', path: '/spec/bootstrapServers', severity: 'warning' },
    { code: 'server-managed', at: '14:3', path: '/spec/clientProperties', severity: 'warning' },
  ],
};

describe('the files of others', () => {
  const ifThere = it.skipIf(files.length === 0);

  ifThere('are more than fifty (skipped when ../shared/corpus is absent)', () => {
    expect(files.length).toBeGreaterThan(50);
  });

  ifThere('are refused where their first line says so, at the right lines (skipped when absent)', () => {
    const found = files.filter((file) => !Object.hasOwn(REFUSED, file));
    const suspicious = /mistake|not allow|pre-release|successive|alternative states/;
    expect(found.filter((file) => suspicious.test(read(file).split('\n', 1)[0] ?? ''))).toEqual([]);
    for (const [file, problems] of Object.entries(REFUSED)) {
      expect(problemsOf(read(file), { variables }), file).toEqual(problems);
    }
  });

  ifThere('else validate with their variables set (skipped when absent)', () => {
    const problems = files
      .filter((file) => !Object.hasOwn(REFUSED, file))
      .map((file) => [file, problemsOf(read(file), { variables })] as const);
    expect(Object.fromEntries(problems.filter(([, found]) => found.length > 0))).toEqual(WARNED);
  });

  ifThere('miss each variable that is not set, at its place (skipped when absent)', () => {
    expect(problemsOf(read('ctl-decrypt-env-placeholders.yaml'))).toEqual([
      { code: 'missing-variable', at: '14:14', path: '/spec/config/kmsConfig/vault/uri' },
      { code: 'missing-variable', at: '15:19', path: '/spec/config/kmsConfig/vault/username' },
      { code: 'missing-variable', at: '16:19', path: '/spec/config/kmsConfig/vault/password' },
    ]);
  });

  ifThere(
    'declare something each, and lean on others with no more than a warning (skipped when absent)',
    () => {
      for (const file of files.filter((name) => !Object.hasOwn(REFUSED, name))) {
        const { value } = load([{ path: file, text: read(file) }], catalog, (name) => variables[name]);
        expect(value.size, file).toBeGreaterThan(0);
        const world = { desired: value, removals: [], rules: {}, kinds: catalog.kinds };
        for (const { severity } of checkReferences(world)) expect(severity).toBe('warning');
      }
    },
  );

  ifThere('are in one normal form when sent and when answered by a gateway (skipped when absent)', () => {
    const recorded = readdirSync(new URL('recorded/', corpus)).filter((file) => file.includes('-put-'));
    const interceptor = kindOf('Interceptor');
    expect(recorded.length).toBeGreaterThan(0);
    for (const file of recorded) {
      const text = read(`recorded/${file}`);
      const exchange = parseYaml({ path: file, text }, () => undefined)[0]?.value;
      const formOf = (pointer: Pointer): Resource =>
        normalForm(interceptor, interceptor.read(valueAt(exchange, pointer) ?? null));
      expect(formOf('/response/body/resource'), file).toEqual(formOf('/request/body'));
    }
  });
});

const variables: Readonly<Record<string, string>> = Object.fromEntries(
  files.flatMap((file) =>
    [...read(file).matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, `a-${name}`]),
  ),
);

function read(file: string): string {
  return readFileSync(new URL(file, corpus), 'utf8');
}
