import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import type { SourceFile } from '../../../src/model/problem.ts';
import type { Host } from '../../../src/workflow/host.ts';
import { shareSources } from '../../../src/workflow/project/share-sources.ts';
import { alias, cluster } from '../../support/documents.ts';

/** A host whose files are all read at once, and how often. */
function hostOf(files: Readonly<Record<string, string>>): Pick<Host, 'readSources'> & { reads: number } {
  const host = {
    reads: 0,
    readSources: (paths: readonly string[]) => {
      host.reads += 1;
      const value = paths.map((path, layer): SourceFile => ({
        path,
        layer,
        named: true,
        text: files[path] ?? '',
      }));
      return Promise.resolve({ value, problems: [] });
    },
  };
  return host;
}

describe('files that environments share', () => {
  const files = { 'a.yaml': cluster('prod'), 'b.yaml': alias('orders', '"${NAME}"', 'prod') };

  it('are read once, and a file is one also beside others', async () => {
    const host = hostOf(files);
    const { readSources } = shareSources(host);
    const [first, again, other] = [
      await readSources(['a.yaml']),
      await readSources(['a.yaml']),
      await readSources(['a.yaml', 'b.yaml']),
    ];
    expect(host.reads).toBe(2);
    expect(again.value[0]).toBe(first.value[0]);
    expect(other.value[0]).toBe(first.value[0]);
  });

  it('are loaded once where variables fill in the same, and each variable is asked for each environment', async () => {
    const { readSources } = shareSources(hostOf(files));
    const asked: string[] = [];
    const loadWith = async (value: string) =>
      load(
        (await readSources(['a.yaml', 'b.yaml'])).value,
        catalog,
        variablesFrom((name) => {
          asked.push(`${name}=${value}`);
          return value;
        }),
      );
    const [one, same, other] = [await loadWith('one'), await loadWith('one'), await loadWith('two')];
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(JSON.stringify([...other.value.values()].map(({ resource }) => resource.spec))).toContain('"two"');
    expect(asked.filter((one) => one === 'NAME=one').length).toBeGreaterThan(1);
    expect(asked).toContain('NAME=two');
  });
});
