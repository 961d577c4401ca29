import { join, normalize } from 'node:path';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { LocatedProject } from './workspace.ts';

/** Policy files among those of resources that the project does not list: they would be without effect. */
export function findUnlistedPolicies(
  files: readonly SourceFile[],
  { folder = '.', policies }: LocatedProject,
): readonly Problem[] {
  const listed = policies.files.map(({ path }) => normalize(join(folder, path)));
  return files
    .filter(
      ({ path }) =>
        path.endsWith(POLICY_FILE_ENDING) && !listed.some((one) => isWithin(one, normalize(path))),
    )
    .map((file) => ({
      code: 'unlisted-policy',
      severity: 'error',
      message: `${file.path} is without effect: policies.files of gwconf.yaml does not list it`,
      at: { file, offset: 0 },
      hint: 'list it or its folder there, or remove it',
    }));
}

function isWithin(listed: string, path: string): boolean {
  return listed === './' || listed === '.' || path === listed || path.startsWith(normalize(`${listed}/`));
}
