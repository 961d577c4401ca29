import { describe, expect, it } from 'vitest';
import { fileLinks } from '../../../src/report/ci/links.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';

function linkIn(env: Readonly<Record<string, string>>): string | undefined {
  return fileLinks((name) => env[name])?.('gate way/[a](b).yaml', 7);
}

describe('a link to a line of a file', () => {
  it.each([
    [
      'GitHub',
      { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'a/b', GITHUB_SHA: SHA },
      `https://github.example/a/b/blob/${SHA}/gate%20way/%5Ba%5D%28b%29.yaml#L7`,
    ],
    [
      'GitLab',
      { CI_PROJECT_URL: 'https://gitlab.example/a/b/c', CI_COMMIT_SHA: SHA },
      `https://gitlab.example/a/b/c/-/blob/${SHA}/gate%20way/%5Ba%5D%28b%29.yaml#L7`,
    ],
    [
      'Bitbucket',
      { BITBUCKET_GIT_HTTP_ORIGIN: 'https://bitbucket.example/a/b', BITBUCKET_COMMIT: SHA },
      `https://bitbucket.example/a/b/src/${SHA}/gate%20way/%5Ba%5D%28b%29.yaml#lines-7`,
    ],
    [
      'Azure',
      { BUILD_REPOSITORY_URI: 'https://dev.example/a/_git/b', BUILD_SOURCEVERSION: SHA },
      `https://dev.example/a/_git/b?path=/gate%20way/%5Ba%5D%28b%29.yaml&version=GC${SHA}&line=7`,
    ],
  ])('of %s has the commit and an escaped path', (_, env, expected) => {
    expect(linkIn(env)).toBe(expected);
  });

  it.each([
    ['without a job', {}],
    ['of a script', { CI_PROJECT_URL: 'javascript:alert(1)', CI_COMMIT_SHA: SHA }],
    ['without a commit', { CI_PROJECT_URL: 'https://gitlab.example/a/b', CI_COMMIT_SHA: 'main' }],
    ['with a query', { CI_PROJECT_URL: 'https://gitlab.example/a?b', CI_COMMIT_SHA: SHA }],
  ])('%s is not made', (_, env) => {
    expect(linkIn(env)).toBeUndefined();
  });
});
