import { formatCount } from '../../model/text/list.ts';
import { join, normalize } from 'node:path';
import type { SecretVariable } from '../../declare/declared.ts';
import { groupBy } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import { parseHttpUrl } from '../../model/text/url.ts';
import type { LiveState } from '../../model/state.ts';
import { onOneLine } from '../../report/escape.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { findSchema } from '../../workflow/files/find-schema.ts';
import { draftFiles, type DraftedFiles } from '../../workflow/files/draft-files.ts';
import { printProject } from '../../workflow/files/new-folder.ts';
import { gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import { findResources } from '../../workflow/project/input.ts';
import { PROJECT_FILE } from '../../workflow/project/find-project.ts';
import { findUsedVariables, type UsedVariable } from '../../workflow/project/used-variables.ts';
import { openWorkspace } from '../../workflow/project/open-workspace.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import type { Given, Run } from '../given.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { renderVariables, wrapLines } from '../present/plain-table.ts';
import { commandLine, pathForShell, quoted } from '../present/command-line.ts';
import {
  fileToWrite,
  openSecretsFile,
  secretsToWrite,
  writeAllOrNone,
  type SecretsFile,
} from '../../workflow/write-file.ts';
import { firstFile, foldersOf, gitignore, IGNORE_FILE, makeWorkflow, PACKAGE } from './init-files.ts';
import { run as plan } from './plan.ts';
import type { FolderFile } from '../../workflow/host.ts';

/** What init writes, and what there is to say about it. */
type Start = {
  readonly name: string;
  readonly url: string;
  readonly files: readonly FolderFile[];
  readonly notes: readonly string[];
  /** The secrets of the gateway that the files need before they can be planned. */
  readonly secrets?: readonly SecretVariable[];
  /** The file that gets their values. */
  readonly kept?: SecretsFile | undefined;
  /** What the files and the connection are filled from. */
  readonly variables: readonly UsedVariable[];
  /** What gwconf.yaml does not say of the login. */
  readonly login: readonly string[];
  /** Why the gateway could not be read. */
  readonly problems: readonly Problem[];
};

/**
 * Makes a project of what there is: its files, or else what the gateway has, or else an example. Adds a CI workflow and
 * .gitignore, and runs a plan. It overwrites no file; all files are written, or none.
 */
export const run: Run<'init'> = async (given) => {
  const { args, io } = given;
  const start = io.exists(PROJECT_FILE) ? await useProject(args, io) : await makeProject(given);
  const ignored = await gitignore(start.url, io);
  const workflow = await workflowFor(start, io);
  const files = [...start.files, ...workflow.files, ...(ignored === undefined ? [] : [ignored])];
  rejectExisting(files, io);
  const { secrets = [], kept } = start;
  const told = await writeAllOrNone([
    ...(kept === undefined || secrets.length === 0 ? [] : [secretsToWrite(kept, secrets, io)]),
    ...files.map(({ path, text }) => fileToWrite(path, text, io)),
  ]);
  if (hasErrors(told)) throw new ProblemsError(told);
  for (const { path } of files) io.err(`wrote ${onOneLine(path)}\n`);
  for (const note of [...start.notes, ...workflow.notes]) io.err(wrapLines(`${note}\n`, io.columns.err));
  if (secrets.length > 0)
    return {
      result: 'ok',
      problems: locateProblems(told),
      hints: wrapLines(describeVariables(secrets, start), io.columns.err),
    };
  if (start.problems.length === 0) {
    io.err('The plan (to make these changes, run gwconf apply):\n');
    return plan({ ...given, operand: [], args: { env: start.name } });
  }
  const hints = `When the gateway can be reached, run: ${commandLine(['plan'], { env: start.name })}\n`;
  return { result: 'error', problems: locateProblems(start.problems), hints };
};

function describeVariables(variables: readonly SecretVariable[], { name: env, kept }: Start): string {
  const names = `The files need ${formatCount(variables.length, 'variable')} for secrets:\n${renderVariables(variables)}`;
  const plan = commandLine(['plan'], { env });
  if (kept !== undefined)
    return `${names}Their values are in ${onOneLine(kept.path)}, which only you can read. To use them: set -a; . ${quoted(pathForShell(kept.path))}; set +a; ${plan}\n`;
  const values = commandLine(['export', '--out', 'NEW_FOLDER', '--secrets-env', '.env'], { env });
  return `${names}To get their values: ${values}\nWhen they are set, run: ${plan}\n`;
}

/** The .gitignore that init writes has this one already. */
function openSecrets(path: string, io: Io): Promise<SecretsFile> {
  const isOurs = normalize(path) === '.env';
  return openSecretsFile(isOurs ? { ...io, wouldBeTracked: () => Promise.resolve(false) } : io, path);
}

/** The project that is there, which stays as it is. */
async function useProject(args: Args<'init'>, io: Io): Promise<Start> {
  const given = (['url', 'folder'] as const).filter((flag) => args[flag] !== undefined);
  if (given.length > 0)
    throw new UsageError(
      `${PROJECT_FILE} already exists and is kept: leave out ${given.map((flag) => `--${flag}`).join(', ')}`,
    );
  const workspace = await openWorkspace(io, { environment: args.name, masker: io.masker });
  const { environment, gateway, problems } = workspace;
  if (hasErrors(problems)) throw new ProblemsError(problems);
  if (environment === undefined)
    throw new UsageError(`${PROJECT_FILE} has several environments or none: choose one with --name NAME`);
  const url = gateway?.settings.url ?? '';
  return {
    name: environment.name,
    url,
    files: [],
    notes: [`${PROJECT_FILE} already exists and is kept`],
    variables: await findUsedVariables(io, workspace, []),
    login: [...LOGIN].flatMap(([field, name]) => (environment.gateway?.[field] === undefined ? [name] : [])),
    problems: [],
  };
}

/** The variables that take the place of what gwconf.yaml does not say. */
const LOGIN = new Map([
  ['user', 'GWCONF_USER'],
  ['password', 'GWCONF_PASSWORD'],
] as const);

async function makeProject({ args, io, connect }: Given<'init'>): Promise<Start> {
  const ask = async (given: string | undefined, question: string, otherwise: string): Promise<string> => {
    if (given !== undefined) return given;
    if (args.yes === true || !io.interactive) return otherwise;
    const answer = (await io.ask(`${question} [${otherwise}] `)).trim();
    return answer === '' ? otherwise : answer;
  };
  const workspace = await openWorkspace(io, { masker: io.masker });
  if (hasErrors(workspace.problems)) throw new ProblemsError(workspace.problems);
  const found = args.folder === undefined ? await findResources(io, catalog, '.') : [];
  const name = await ask(args.name, 'Name of the first environment:', 'prod');
  const known = variable('GWCONF_URL', io) ?? variable('CDK_GATEWAY_BASE_URL', io);
  if (args.url === undefined && known !== undefined) refuseLogin(known); // the question shows it
  const url = await ask(args.url, 'URL of its gateway:', known ?? 'embedded:practice.json');
  refuseLogin(url);
  const user = variable('GWCONF_USER', io) ?? variable('CDK_GATEWAY_USER', io) ?? 'admin';
  const projectFile = (files: readonly string[]): FolderFile => ({
    path: PROJECT_FILE,
    text: printProject({ name, url, user, files }),
  });
  const common = { name, url, login: ['GWCONF_PASSWORD'], variables: [], notes: [] };
  if (found.length > 0) {
    const folders = foldersOf(found);
    const notes = [
      `found resources in ${formatCount(found.length, 'file')}: ${found.map(onOneLine).join(', ')}`,
    ];
    const variables = await findUsedVariables(io, workspace, found);
    return { ...common, files: [projectFile(folders)], notes, variables, problems: [] };
  }
  const folder = await ask(args.folder, 'Folder for its resources:', 'gateway');
  const first = projectFile([folder]);
  if ((await findResources(io, catalog, folder)).length > 0) {
    const variables = await findUsedVariables(io, workspace, [folder]);
    return { ...common, files: [first], variables, problems: [] };
  }
  const { schemaFor, files: own } = findSchema(io, workspace.catalog, folder, '.');
  const live = await readGatewayAt(await connect({ url, user }, workspace), workspace);
  if ('unreadable' in live)
    return {
      ...common,
      files: [first, ...own, firstFile(folder, schemaFor, true)],
      problems: live.unreadable,
    };
  const kept = args.secretsEnv === undefined ? undefined : await openSecrets(args.secretsEnv, io);
  const drafted = draftFiles(live, workspace, {
    url,
    schemaFor,
    secretNames: args.secretName,
    secrets: kept,
  });
  const { files, variables: secrets, documents, problems } = drafted;
  if (hasErrors(problems)) throw new ProblemsError(problems);
  if (files.length === 0)
    return { ...common, files: [first, ...own, firstFile(folder, schemaFor, false)], problems: [] };
  const made = files.map(({ path, text }): FolderFile => ({ path: join(folder, path), text }));
  const odd = problems.map(({ message, hint = '' }) => onOneLine(`${message}: ${hint}`));
  const notes = [countKinds(documents), ...odd];
  const variables = secrets.map((one) => ({ name: one.name, isPublic: false }));
  return { ...common, files: [first, ...own, ...made], notes, secrets, kept, variables, problems: [] };
}

function variable(name: string, io: Io): string | undefined {
  return io.env(name) || undefined;
}

function refuseLogin(url: string): void {
  if (url.startsWith('embedded:')) return;
  const { username, password } = parseHttpUrl(url) ?? {
    username: '',
    password: url.includes('@') ? url : '',
  };
  if (username !== '' || password !== '')
    throw new UsageError(
      `leave the login out of the URL, because ${PROJECT_FILE} holds it: set GWCONF_USER and GWCONF_PASSWORD`,
    );
}

/** What the gateway has, or why it cannot be read. */
async function readGatewayAt(
  tried: Awaited<ReturnType<Given<'init'>['connect']>>,
  workspace: Workspace,
): Promise<LiveState | { readonly unreadable: readonly Problem[] }> {
  if ('problems' in tried) return { unreadable: tried.problems };
  try {
    return await readGateway(workspace, tried.gateway);
  } catch (error) {
    return { unreadable: [gatewayProblem(error)] };
  }
}

function countKinds(documents: DraftedFiles['documents']): string {
  const counts = [...groupBy(documents, ({ address }) => kindOf(address))].map(
    ([kind, { length }]) => `${length} ${kind}`,
  );
  return `the gateway has objects, which the files now declare: ${counts.join(', ')}`;
}

/** The workflow for GitHub, unless there is one, or another CI; and what to do so that it works. */
async function workflowFor(
  { name, url, variables, login }: Start,
  io: Io,
): Promise<Pick<Start, 'files' | 'notes'>> {
  const path = join('.github', 'workflows', 'gateway.yaml');
  const none = (why: string): Pick<Start, 'files' | 'notes'> => ({
    files: [],
    notes: [`no CI workflow: ${why}`],
  });
  if (io.exists(path)) return { files: [], notes: [`${path} already exists and is kept`] };
  if (io.exists('.gitlab-ci.yml') && !io.exists('.github'))
    return none('this repository uses GitLab, for which gwconf has the component templates/gwconf.yml');
  const top = io.findUpwards('.git');
  // GitHub would replace it, even by a secret; gwconf.yaml may have been written by anyone.
  if (`${name}${url}`.includes('${{')) return none('the environment or its URL has ${{ in it');
  if (url.startsWith('embedded:'))
    return none(
      'the embedded gateway is a file here, which no job has; name a gateway in gwconf.yaml, and run gwconf init again',
    );
  if (top !== undefined && top !== '.') return none('this folder is not the top of the git repository');
  const namesOf = (isPublic: boolean): readonly string[] =>
    variables.flatMap((one) => (one.isPublic === isPublic ? [one.name] : []));
  const [secrets, open] = [namesOf(false), namesOf(true)];
  const kept = [...login, ...secrets];
  const secret =
    kept.length === 0
      ? ''
      : `, and add ${kept.length === 1 ? 'the secret' : 'the secrets'} ${kept.join(', ')} to both`;
  return {
    files: [{ path, text: makeWorkflow({ environment: name, url, secrets, open, login }) }],
    notes: [
      `before you use ${path}:`,
      ...((await dependsOnGwconf(io))
        ? []
        : [
            `- add gwconf, with its checksum in package-lock.json: mkdir -p tools && npm pack --ignore-scripts --pack-destination tools ${quoted(io.packageFolder)} && npm install --save-dev --ignore-scripts ./${PACKAGE}`,
          ]),
      `- in the settings of the repository, create the environments ${onOneLine(name)}-plan and ${onOneLine(name)}; limit both to main, require a reviewer for ${onOneLine(name)}${secret}`,
      ...(open.length === 0 ? [] : [`- add the variables ${open.join(', ')} to the repository`]),
    ],
  };
}

async function dependsOnGwconf(io: Io): Promise<boolean> {
  if (!io.exists('package.json') || !io.exists('package-lock.json')) return false;
  return /"gwconf"\s*:/.test(await io.readFile('package.json'));
}

/** Only .gitignore, which is written last, may be there. */
function rejectExisting(files: readonly FolderFile[], io: Io): void {
  const there = files.filter(({ path }) => path !== IGNORE_FILE && io.exists(path));
  if (there.length > 0)
    throw new UsageError(
      `${there.map(({ path }) => path).join(', ')} already exists; init does not overwrite files`,
    );
}
