import { describe, expect, it } from 'vitest';
import { findCommit, findPullRequest, pullRequestAt } from '../../src/forge/pull-request.ts';
import type { Json } from '../../src/model/json/json.ts';

const onGithub = { GITHUB_REPOSITORY: 'acme/gateway', GITHUB_API_URL: 'https://api.github.com' };
const github = { forge: 'github', api: 'https://api.github.com', repository: 'acme/gateway' };
const gitlab = { forge: 'gitlab', api: 'https://gitlab.example/api/v4', repository: '42' };
const onGitlab = { CI_API_V4_URL: 'https://gitlab.example/api/v4', CI_PROJECT_ID: '42' };

function find(env: Readonly<Record<string, string>>, event?: Json): unknown {
  return findPullRequest((name) => env[name], event);
}

describe('the pull request of a job', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, Json | undefined, unknown]>([
    ['GitHub', { ...onGithub, GITHUB_REF: 'refs/pull/12/merge' }, undefined, { ...github, number: 12 }],
    ['its event', onGithub, { pull_request: { number: 13 } }, { ...github, number: 13 }],
    [
      'a comment on a pull request',
      onGithub,
      { issue: { number: 14, pull_request: {} } },
      { ...github, number: 14 },
    ],
    [
      'a workflow that ran for one',
      onGithub,
      { workflow_run: { pull_requests: [{ number: 15 }] } },
      { ...github, number: 15 },
    ],
    [
      'a workflow that ran for a branch that a fork has a pull request for, too',
      onGithub,
      {
        repository: { id: 1 },
        workflow_run: {
          pull_requests: [
            { number: 3, base: { repo: { id: 2 } } },
            { number: 15, base: { repo: { id: 1 } } },
          ],
        },
      },
      { ...github, number: 15 },
    ],
    [
      'a push',
      { ...onGithub, GITHUB_REF: 'refs/heads/main' },
      { issue: { number: 1 } },
      { ...github, number: undefined },
    ],
    ['an event with another shape', onGithub, { pull_request: { number: '1/../2' } }, { ...github }],
    ['GitLab', { ...onGitlab, CI_MERGE_REQUEST_IID: '12' }, undefined, { ...gitlab, number: 12 }],
    [
      'GitLab for a fork',
      { ...onGitlab, CI_MERGE_REQUEST_PROJECT_ID: '7', CI_MERGE_REQUEST_IID: '12' },
      undefined,
      { ...gitlab, repository: '7', number: 12 },
    ],
    [
      'GitLab for a branch with an open merge request',
      { ...onGitlab, CI_OPEN_MERGE_REQUESTS: 'acme/gateway!9,acme/gateway!10' },
      undefined,
      { ...gitlab, repository: 'acme/gateway', number: 9 },
    ],
    [
      'GitLab for a branch that is also to be merged into another project',
      {
        ...onGitlab,
        CI_PROJECT_PATH: 'acme/gateway',
        CI_OPEN_MERGE_REQUESTS: 'mallory/gateway!1,acme/gateway!10',
      },
      undefined,
      { ...gitlab, repository: 'acme/gateway', number: 10 },
    ],
    [
      'GitLab for a branch that is to be merged into another project only',
      { ...onGitlab, CI_PROJECT_PATH: 'acme/gateway', CI_OPEN_MERGE_REQUESTS: 'mallory/gateway!1' },
      undefined,
      { ...gitlab, number: undefined },
    ],
    [
      'Bitbucket',
      { BITBUCKET_WORKSPACE: 'acme', BITBUCKET_REPO_SLUG: 'gateway', BITBUCKET_PR_ID: '3' },
      undefined,
      {
        ...{ forge: 'bitbucket-cloud', api: 'https://api.bitbucket.org/2.0' },
        ...{ repository: 'acme/gateway', number: 3 },
      },
    ],
    [
      'CircleCI',
      { CIRCLE_PULL_REQUEST: 'https://github.com/acme/gateway/pull/5' },
      undefined,
      { ...github, number: 5 },
    ],
    [
      'Azure Pipelines for GitHub',
      {
        BUILD_REPOSITORY_URI: 'https://github.com/acme/gateway.git',
        SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '6',
      },
      undefined,
      { ...github, number: 6 },
    ],
    [
      'Jenkins',
      { CHANGE_URL: 'https://git.example/bitbucket/projects/ACME/repos/gateway/pull-requests/8/overview' },
      undefined,
      {
        forge: 'bitbucket-server',
        api: 'https://git.example/bitbucket/rest/api/1.0',
        repository: 'projects/ACME/repos/gateway',
        number: 8,
      },
    ],
  ])('is found in the variables of %s', (_, env, event, expected) => {
    expect(find(env, event)).toEqual(expected);
  });

  it('is not found elsewhere', () => {
    expect(find({})).toBeUndefined();
    expect(find({ CHANGE_URL: 'https://gerrit.example/c/12' })).toBeUndefined();
  });
});

describe('the address of a pull request', () => {
  it.each([
    ['https://github.com/acme/gateway/pull/12/files', 'https://api.github.com', 'acme/gateway'],
    ['https://acme.ghe.com/acme/gateway/pull/12', 'https://api.acme.ghe.com', 'acme/gateway'],
    ['https://git.example:8443/acme/gateway/pull/12', 'https://git.example:8443/api/v3', 'acme/gateway'],
    ['https://gitlab.com/a/b/c/-/merge_requests/12', 'https://gitlab.com/api/v4', 'a/b/c'],
    ['https://bitbucket.org/acme/gateway/pull-requests/12', 'https://api.bitbucket.org/2.0', 'acme/gateway'],
    [
      'https://git.example/users/bob/repos/gateway/pull-requests/12',
      'https://git.example/rest/api/1.0',
      'users/bob/repos/gateway',
    ],
  ])('leads to its API: %s', (url, api, repository) => {
    expect(pullRequestAt(url)).toMatchObject({ api, repository, number: 12 });
  });

  it.each([
    '',
    '12',
    'ftp://github.com/a/b/pull/1',
    'https://github.com/a/b',
    'https://evil.example/a/b/pull-requests/1',
  ])('is not this: %s', (url) => {
    expect(pullRequestAt(url)).toBeUndefined();
  });
});

describe('the commit of a job', () => {
  const merge = '0123456789abcdef0123456789abcdef01234567';
  it('is the one that people see, not the merge that was made for the job', () => {
    const env = (name: string): string | undefined => ({ GITHUB_SHA: merge })[name];
    const sha = 'fedcba9876543210fedcba9876543210fedcba98';
    expect(findCommit(env, { pull_request: { head: { sha } } })).toBe(sha);
    expect(findCommit(env, { pull_request: { head: { sha: '[x](y)' } } })).toBe(merge);
    expect(findCommit(() => '<!--', undefined)).toBeUndefined();
    // Of the default branch, where these run, nobody has asked.
    expect(findCommit(env, { workflow_run: { head_sha: sha } })).toBe(sha);
    expect(findCommit(env, { issue: { number: 1, pull_request: {} } })).toBeUndefined();
  });
});
