import { expect, it } from 'vitest';
import { Sources } from '../../../src/cli/language-server/sources.ts';
import type { SourceFile } from '../../../src/model/problem.ts';

it('texts that are open take the place of files that a project above the folder names by way of its parent', async () => {
  const path = '../orders/topics.yaml';
  const saved: readonly SourceFile[] = [{ path, text: 'saved' }];
  const host = {
    readSources: () => Promise.resolve({ value: saved, problems: [] }),
    readWithin: () => Promise.resolve('saved'),
  };
  const sources = new Sources(host, '/project/orders');
  const own = sources.pathOf('/project/orders/topics.yaml');
  sources.put(own, 'typed');
  expect(sources.isOpen(path)).toBe(true);
  expect((await sources.readSources([path])).value).toMatchObject([{ path, text: 'typed' }]);
  expect(await sources.readWithin(['..'], path, 100)).toBe('typed');
  expect([...sources.takeSeen().keys()]).toEqual([own]);
});
