import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makePlaceholder, placeholdersIn } from '../../../src/declare/declared.ts';
import { sharedFolder } from '../../support/shared.ts';
import { readAlone } from '../translate/calls.ts';

const read = (text: string): ReturnType<typeof readAlone> => readAlone('calls.yaml', text);

const CALLS = `baseUrl: http://gateway:8888
calls:
- method: post
  path: /admin/userMappings/v1
  auth: basic admin:conduktor
  body: { username: alice, groups: [a] }
- gateway: gateway2
  method: POST
  path: /admin/pclusters/v1/pcluster/main/switch
  query: { to: failover }
`;

describe('recorded calls', () => {
  it('are read with their lines, and without credentials', () => {
    expect(read(CALLS)).toMatchObject({
      calls: [
        {
          file: 'calls.yaml',
          line: 3,
          gateway: 'http://gateway:8888',
          method: 'POST',
          path: '/admin/userMappings/v1',
          query: {},
          body: { username: 'alice', groups: ['a'] },
        },
        {
          file: 'calls.yaml',
          line: 7,
          gateway: 'gateway2',
          method: 'POST',
          path: '/admin/pclusters/v1/pcluster/main/switch',
          query: { to: 'failover' },
          body: undefined,
        },
      ],
      problems: [],
    });
  });

  it('can be exchanges, each a document', () => {
    const { calls } = read('request: { method: GET, path: /a }\nresponse: { status: 200 }\n---\nx: 1\n');
    expect(calls).toMatchObject([{ line: 1, method: 'GET', path: '/a' }]);
  });

  it('are unread where the method or path is missing, and the others are read', () => {
    const { calls } = read('calls:\n- { path: /a }\n- { method: GET, path: /a }\n');
    expect(calls).toMatchObject([{ line: 2, why: 'expected a method and a path' }, { method: 'GET' }]);
  });

  it('may not hold what stands for a variable', () => {
    const { problems } = read(String.raw`calls: [{ method: GET, path: /a, body: ["x\uE000A\uE001"] }]`);
    expect(problems).toMatchObject([
      { message: 'calls.yaml has characters from U+E000 to U+E004, which gwconf reserves' },
    ]);
    expect(placeholdersIn(`a${makePlaceholder('X_1')}b${makePlaceholder('Y')}`)).toEqual(['X_1', 'Y']);
  });

  it('are a problem where the syntax is wrong, which shows nothing of the file but the paths of v1', () => {
    const { calls, problems } = read(`${CALLS}  - [`);
    expect(calls).toEqual(
      ['/admin/userMappings/v1', '/admin/pclusters/v1/pcluster/main/switch'].map(
        (path) => expect.objectContaining({ path, why: 'it uses v1, and no call was read there' }) as unknown,
      ),
    );
    expect(problems).toMatchObject([{ code: 'unreadable-file', confidential: true }]);
  });
});

const SHARED = sharedFolder('corpus-v1');

it.skipIf(SHARED.isAbsent)(`reads every recorded call of ${SHARED.title}`, () => {
  for (const name of SHARED.files) {
    const text = readFileSync(new URL(name, SHARED.url), 'utf8');
    const { calls, problems } = readAlone(name, text);
    expect(problems).toEqual([]);
    expect(calls.filter((call) => 'why' in call)).toEqual([]);
    expect(calls).toHaveLength(text.match(/^(?:- | {2})method:/gm)?.length ?? 0);
  }
});
