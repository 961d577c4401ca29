import { describe, expect, it } from 'vitest';
import { markProblems } from '../../src/schema/load/locate.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { validateDocuments } from '../../src/workflow/project/validate.ts';
import { memoryHost } from '../support/memory-host.ts';

const TOPIC = `apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: orders }
`;

/** What an editor would mark, with the text that it marks. */
async function marked(...texts: readonly string[]): Promise<readonly string[]> {
  const host = memoryHost();
  const files = texts.map((text, at) => ({ path: `${at}.yaml`, text, named: true }));
  const { problems } = await validateDocuments(host, await openWorkspace(host), files);
  return markProblems(problems).map(({ code, at, range }) => {
    const text = files.find(({ path }) => path === at?.file)?.text;
    return `${code} ${at?.file} ${JSON.stringify(text?.slice(range?.start.offset, range?.end.offset))}`;
  });
}

describe('texts that are not saved', () => {
  it('are checked, and a problem is marked as a whole', async () => {
    expect(await marked(`${TOPIC}spec:\n  physicalName:   "a: b"  # comment\n`)).toEqual([
      'invalid-value 0.yaml "\\"a: b\\""',
    ]);
  });

  it('are marked over several lines, without the blanks behind', async () => {
    expect(await marked(`${TOPIC}spec:\n  physicalName:\n    - one\n    - two\n\n`)).toEqual([
      'invalid-value 0.yaml "- one\\n    - two"',
    ]);
  });

  it('are checked against each other', async () => {
    expect(
      await marked(`${TOPIC}spec: { physicalName: a }\n`, `${TOPIC}spec: { physicalName: b }\n`),
    ).toEqual([expect.stringContaining('duplicate')]);
  });

  it('have no problem to mark where there is none', async () => {
    expect(await marked(`${TOPIC}spec: { physicalName: a }\n`)).toEqual([]);
  });
});
