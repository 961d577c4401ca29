import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { chooseLayout, fileOf } from '../../src/declare/declared.ts';
import { printAddress, type Address } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

const file = (address: string): string => fileOf(address as Address, 'by-virtual-cluster', catalog);

describe('the file of a document', () => {
  it.each([
    ['AliasTopic/orders@vCluster=prod', 'prod/alias-topic.yaml'],
    ['AliasTopic/orders@vCluster=passthrough', 'passthrough/alias-topic.yaml'],
    ['VirtualCluster/prod', '_global/virtual-cluster.yaml'],
    ['Interceptor/i@global', '_global/interceptor.yaml'],
    ['Interceptor/i@vCluster=prod,group=g', 'prod/interceptor.yaml'],
    ['AliasTopic/orders@vCluster=Prod', 'prod~5f56359e/alias-topic.yaml'],
    ['AliasTopic/orders@vCluster=_global', 'global~12ab1184/alias-topic.yaml'],
    ['AliasTopic/orders@vCluster=con', 'con~1143da2b/alias-topic.yaml'],
    ['AliasTopic/orders@vCluster=..', 'name~5ec1f7e7/alias-topic.yaml'],
  ])('%s', (address, path) => {
    expect(file(address)).toBe(path);
  });

  it('is one for all, or one for each kind', () => {
    const address = 'AliasTopic/orders@vCluster=prod' as Address;
    expect(fileOf(address, 'one-file', catalog)).toBe('gateway.yaml');
    expect(fileOf(address, 'by-kind', catalog)).toBe('alias-topic.yaml');
  });

  it('is safe on every file system, and another one for another virtual cluster', () => {
    const name = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', 'A', 'b', 'B', '.', '-', '_', '~', '1'),
        minLength: 1,
        maxLength: 4,
      }),
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom('con', 'NUL.x', 'passthrough', '.git', 'a'.repeat(300)),
    );
    fc.assert(
      fc.property(name, name, (one, other) => {
        const paths = [one, other].map((vCluster) =>
          file(printAddress({ kind: 'AliasTopic', name: 'x', scope: { vCluster } })),
        );
        for (const path of paths) {
          expect(path).toMatch(/^[a-z\d][a-z\d._~-]{0,99}\/alias-topic\.yaml$/);
          expect(path).not.toMatch(/^(?:con|nul|aux|prn)[./]|\.\//);
        }
        expect(paths[0]?.toLowerCase() === paths[1]?.toLowerCase()).toBe(one === other);
      }),
    );
  });

  it('is in folders for virtual clusters only where there is more than one', () => {
    const of = (...names: readonly string[]): readonly Address[] =>
      names.map((vCluster) => printAddress({ kind: 'AliasTopic', name: 'x', scope: { vCluster } }));
    expect(chooseLayout(['VirtualCluster/a' as Address, ...of('a')])).toBe('by-kind');
    expect(chooseLayout(of('a', 'b'))).toBe('by-virtual-cluster');
  });
});
