import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { identify } from '../../src/model/identity.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import type { Resource } from '../../src/model/resource.ts';
import { printYaml } from '../../src/schema/yaml/print.ts';
import { importLive, type Imported, type ImportOptions } from '../../src/workflow/files/import-live.ts';
import { gatewaySource } from '../../src/workflow/live/live-source.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { generousGateway, SECRET, state, type Resources } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { memoryHost } from '../support/memory-host.ts';
import { orAll } from '../support/soak.ts';

/** A file as a person leaves it: with comments above documents and keys, and behind values. */
function commented(resources: Resources, marks: readonly number[]): string {
  let line = 0;
  const documents = resources.map((one) => {
    const lines = printYaml([one]).trimEnd().split('\n');
    return lines
      .flatMap((text) => {
        const mark = marks[(line += 1) % marks.length] ?? 0;
        const indent = text.slice(0, text.length - text.trimStart().length);
        if (mark === 1 && !text.trimStart().startsWith('- ')) return [`${indent}# above ${line}`, text];
        return [mark === 2 ? `${text} # behind ${line}` : text];
      })
      .join('\n');
  });
  return `# the head\n\n${documents.join('\n\n---\n')}\n`;
}

type Tree = Map<string, string>;

async function importInto(tree: Tree, live: Resources, options: ImportOptions): Promise<Imported> {
  const host = memoryHost(tree);
  const gateway = generousGateway();
  for (const one of live) await gateway.put(kindOf(one.kind), one);
  const workspace = await openWorkspace(host);
  const before = [...tree.keys()];
  const found = await importLive(host, workspace, gatewaySource(workspace, gateway), {
    paths: before,
    manages: ['*'],
    ...options,
  });
  for (const { path, after } of found.changes) {
    if (after === undefined) tree.delete(path);
    else tree.set(path, after);
  }
  return found;
}

/** What an object means, whatever its form. */
function meaningOf(resource: Resource): string {
  const kind = kindOf(resource.kind);
  return `${identify(kind, resource)} ${JSON.stringify(normalForm(kind, resource))}`;
}

/** Each document of a file, with what is above and between its lines. */
function documentsIn(text: string): readonly string[] {
  return text.split(/^---\n/m);
}

it('brings files to what is live, keeps what need not change byte for byte, and then has nothing to do', async () => {
  await fc.assert(
    fc.asyncProperty(
      state.filter((resources) => resources.length > 0),
      state,
      fc.array(fc.nat(6), { minLength: 3, maxLength: 11 }),
      async (mine, live, marks) => {
        const text = commented(mine, marks);
        const tree: Tree = new Map([['a.yaml', text]]);
        let left: Imported | undefined;
        // A file may need what it lacks before it can take a value, and lose a value before it can take an object.
        for (let round = 0; round < 3; round += 1) {
          await importInto(tree, live, { to: 'a.yaml' });
          left = await importInto(tree, live, { drift: true, deleted: true });
          if (!tree.has('a.yaml')) break;
        }
        const after = tree.get('a.yaml') ?? '';
        expect(left?.left?.plan?.changes ?? []).toEqual([]);
        expect(left?.left?.plan?.unclaimed ?? []).toEqual([]);
        const same = new Set(live.map(meaningOf));
        const kept = documentsIn(text).filter((_, at) => same.has(meaningOf(mine[at] as Resource)));
        for (const document of kept)
          expect(after).toContain(document.replace(/^# the head\n\n/, '').trimEnd());
        const secrets = (where: string): number => where.split(SECRET).length - 1;
        expect(secrets(after)).toBeLessThanOrEqual(secrets(text));
        if (tree.has('a.yaml'))
          for (const options of [{ to: 'a.yaml' }, { drift: true, deleted: true }])
            expect((await importInto(tree, live, options)).changes).toEqual([]);
      },
    ),
    { numRuns: orAll(6, 100) },
  );
}, 120_000);
