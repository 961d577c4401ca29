import { present } from '../../model/collect.ts';
import type { RunAuthor } from '../../apply/journal/journal.ts';
import type { Origin } from '../../plan/saved/saved-plan.ts';
import type { Host } from '../host.ts';

/** In which variables build servers say who started a job, and of what. */
const JOBS = [
  { by: 'GITHUB_ACTOR', commit: 'GITHUB_SHA', branch: 'GITHUB_REF_NAME' },
  { by: 'GITLAB_USER_LOGIN', commit: 'CI_COMMIT_SHA', branch: 'CI_COMMIT_REF_NAME' },
  { by: 'BUILD_REQUESTEDFOR', commit: 'BUILD_SOURCEVERSION', branch: 'BUILD_SOURCEBRANCHNAME' }, // Azure
  { by: 'CIRCLE_USERNAME', commit: 'CIRCLE_SHA1', branch: 'CIRCLE_BRANCH' },
  { by: 'BITBUCKET_STEP_TRIGGERER_UUID', commit: 'BITBUCKET_COMMIT', branch: 'BITBUCKET_BRANCH' },
];
const USERS = ['USER', 'LOGNAME', 'USERNAME'];
const LONGEST = 200;

/** Who begins a run, from which commit and branch: as the build server says, or the user and the git of this folder. */
export async function findAuthor(host: Host, folder: string, origin: Origin | undefined): Promise<RunAuthor> {
  const said = (name: string): string | undefined => host.env(name)?.slice(0, LONGEST) || undefined;
  const job = JOBS.find(({ commit }) => said(commit) !== undefined);
  const here = job === undefined ? await readGit(host, folder) : {};
  const by = job === undefined ? USERS.map(said).find((user) => user !== undefined) : said(job.by);
  const commit = origin?.commit ?? (job === undefined ? here.commit : said(job.commit));
  const branch = job === undefined ? here.branch : said(job.branch);
  return {
    ...present({ by, commit, branch }),
  };
}

async function readGit(host: Host, folder: string): Promise<Pick<RunAuthor, 'commit' | 'branch'>> {
  if (host.findUpwards('.git', folder) === undefined) return {};
  const git = await host.openGit(folder);
  try {
    // Commands for people, such as `git log`, obey settings of the repository that run programs.
    const ran = await git.run(['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']);
    const lines = 'code' in ran && ran.code === 0 ? new TextDecoder().decode(ran.stdout).split('\n') : [];
    const [commit = '', ref = ''] = lines;
    const [, branch] = /^refs\/heads\/(.+)$/.exec(ref) ?? [];
    if (!/^[\da-f]{40,64}$/.test(commit)) return {};
    return { commit, ...(branch === undefined ? {} : { branch: branch.slice(0, LONGEST) }) };
  } finally {
    git.close();
  }
}
