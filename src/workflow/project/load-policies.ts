import { groupBy } from '../../model/collect.ts';
import { isList } from '../../model/json/json.ts';
import { list } from '../../model/text/list.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { hasEnding } from '../../model/text/file-ending.ts';
import { POLICY_FILE_ENDING, type Policy } from '../../model/policy.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import { builtInPolicies, isBuiltIn } from '../../schema/kinds/policies/built-in.ts';
import { misnamedIn } from '../../schema/project/misnamed.ts';
import { makePolicy, withSettings, readPolicies } from '../../schema/project/read-policies.ts';
import type { Host } from '../host.ts';
import { pathFrom } from './find-project.ts';
import { findNotCheckedOut } from './input.ts';
import type { LocatedProject, Workspace } from './workspace.ts';

/** All policies of a project: built-in ones, those of its file, and those of the files that it lists. */
export async function loadPolicies(host: Host, workspace: Workspace): Promise<Checked<readonly Policy[]>> {
  const { builtIn, rules } = workspace.project.policies;
  const switchedOn = builtIn.map(({ name, settings, place }) =>
    makePolicy(name, withSettings(builtInPolicies[name], settings), () => place),
  );
  const files = await readPolicyFiles(host, workspace);
  const all = [...switchedOn, ...rules, ...files.value];
  const environments = [...workspace.project.environments.keys()];
  const unmatched = all.flatMap((policy) => unmatchedIn(policy, environments));
  return { value: all, problems: [...files.problems, ...repeatedNames(all), ...unmatched] };
}

async function readPolicyFiles(host: Host, workspace: Workspace): Promise<Checked<readonly Policy[]>> {
  const {
    project: { folder = '.', root, policies },
    memory,
  } = workspace;
  if (policies.files.length === 0) return { value: [], problems: [] };
  const paths = policies.files.map(({ path }) => pathFrom(folder, path));
  const notThere = await findNotCheckedOut(host, workspace, paths, { ending: POLICY_FILE_ENDING });
  if (notThere !== undefined) return { value: [], problems: [notThere] };
  const { value: read, problems } = await host.readSources(paths, {
    root,
    isConfined: true,
    places: policies.files.map(({ place }) => place),
    checkSize: memory.checkFiles('files of policies'),
  });
  const files = read.filter(({ path }) => hasEnding(path, POLICY_FILE_ENDING));
  const others = read.filter((file) => !files.includes(file));
  const misnamed = others.map((file) => ({ file, problems: misnamedIn(file, 'Policy') }));
  const telling = misnamed.filter((one) => one.problems.length > 0).map(({ file }) => file);
  const listed = new Set([...files, ...telling].map(({ layer = 0 }) => layer));
  const without = policies.files.filter((_, layer) => !listed.has(layer));
  const each = files.map((file) => {
    const found = readPolicies(file, workspace.catalog.kinds);
    if (found.value.length + found.problems.length > 0) return found;
    return { value: [], problems: [noPolicies({ path: file.path, place: { file, offset: 0 } })] };
  });
  return {
    value: each.flatMap(({ value }) => value),
    problems: [
      ...problems,
      ...(problems.length > 0 ? [] : without.map(noPolicies)),
      ...[...misnamed, ...each].flatMap((one) => one.problems),
    ],
  };
}

/** A path that gives no policy must not pass for one that does. */
function noPolicies({ path, place }: LocatedProject['policies']['files'][number]): Problem {
  return makeProblem({
    code: 'invalid-policy',
    message: `${path} contains no policy`,
    at: place,
    hint: 'name a file *.policy.yaml, or a folder with one',
  });
}

/** A policy for no environment of the project would guard nothing, and nobody would notice. */
function unmatchedIn(
  { name, match, params, placeOf }: Policy,
  environments: readonly string[],
): readonly Problem[] {
  const { environments: listed } = isBuiltIn(name) ? params : {};
  const choices = [
    ...(match.environment === undefined ? [] : [[match.environment]]),
    ...(isList(listed) ? [listed.filter((one) => typeof one === 'string')] : []),
  ];
  const unmatched = choices.find((globs) => !environments.some(compileGlobs(globs)));
  if (unmatched === undefined || environments.length === 0) return [];
  return [
    makeProblem({
      code: 'unmatched-policy',
      message: `the policy ${name} is for no environment of gwconf.yaml: none is called ${unmatched.join(' or ')}`,
      at: placeOf(''),
      hint: `correct its environments; gwconf.yaml has ${environments.join(', ')}`,
    }),
  ];
}

/** Without an environment, what a policy says of some of them, or of their settings, is not asked. */
export function findUnjudged(
  policies: readonly Policy[],
  { environment, project }: Workspace,
): readonly Problem[] {
  const tied = policies.filter(isTied);
  const [first] = tied;
  if (environment !== undefined || project.environments.size === 0 || first === undefined) return [];
  const names = list(tied.map(({ name }) => name));
  return [
    makeProblem({
      code: 'unmatched-policy',
      message: `no environment is chosen, so nothing is judged by ${names} as it is in one`,
      at: first.placeOf(''),
      hint: `choose one with --env: ${[...project.environments.keys()].join(', ')}`,
    }),
  ];
}

/** Whether it depends on the environment, and maybe on its name. */
export function isTied({ match, expression }: Policy): boolean {
  return match.environment !== undefined || USES_ENVIRONMENT.test(expression);
}

/** The variable `environment` of an expression, but for the day. */
const USES_ENVIRONMENT = /(?<![\w."'])environment\s*(?:\[|\.\s*(?!day\b|weekday\b))/;

function repeatedNames(policies: readonly Policy[]): readonly Problem[] {
  const known = groupBy(policies, ({ name }) => name);
  return [...known].flatMap(([name, [first, ...others]]) =>
    others.map(({ placeOf }): Problem =>
      makeProblem({
        code: 'invalid-policy',
        message: `there are two policies ${name}`,
        at: placeOf(''),
        also: first.placeOf(''),
        hint: isBuiltIn(name)
          ? 'choose another name: gwconf has a policy of this name'
          : 'rename one of them',
      }),
    ),
  );
}
