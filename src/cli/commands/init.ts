import { join } from 'node:path';
import type { SecretVariable } from '../../declare/declared.ts';
import { groupBy } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/phrases.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { draftFiles, schemaFinder, type DraftedFiles } from '../../workflow/files/draft-files.ts';
import { printProject } from '../../workflow/files/new-folder.ts';
import { gatewayProblem, readGateway } from '../../workflow/live/read-live.ts';
import { findResources } from '../../workflow/project/input.ts';
import { PROJECT_FILE } from '../../workflow/project/find-project.ts';
import { openWorkspace } from '../../workflow/project/open-workspace.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import type { Given, Run } from '../given.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { renderVariables, wrapLines } from '../present/plain-table.ts';
import { commandLine, quoted } from '../present/command-line.ts';
import { writeFile } from '../../workflow/write-file.ts';
import {
  firstFile,
  foldersOf,
  gitignore,
  IGNORE_FILE,
  type NewFile,
  makeWorkflow,
  PACKAGE,
} from './init-files.ts';
import { run as plan } from './plan.ts';

/** What init writes, and what there is to say about it. */
type Start = {
  readonly name: string;
  readonly url: string;
  readonly files: readonly NewFile[];
  readonly notes: readonly string[];
  /** What the files need before they can be planned. */
  readonly variables?: readonly SecretVariable[];
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
  await writeAll(files, io);
  for (const { path } of files) io.err(`wrote ${onOneLine(path)}\n`);
  for (const note of [...start.notes, ...workflow.notes]) io.err(wrapLines(`${note}\n`, io.columns.err));
  const { variables = [] } = start;
  if (variables.length > 0)
    return { result: 'ok', hints: wrapLines(describeVariables(variables, start.name), io.columns.err) };
  if (start.problems.length === 0) {
    io.err('The plan (to make these changes, run gwconf apply):\n');
    return plan({ ...given, operand: [], args: { env: start.name } });
  }
  const hints = `When the gateway can be reached, run: ${commandLine(['plan'], { env: start.name })}\n`;
  return { result: 'error', problems: locateProblems(start.problems), hints };
};

function describeVariables(variables: readonly SecretVariable[], env: string): string {
  return `The files need ${formatCount(variables.length, 'variable')} for secrets:
${renderVariables(variables)}To get their values: ${commandLine(['export', '--out', 'NEW_FOLDER', '--secrets-env', '.env'], { env })}
When they are set, run: ${commandLine(['plan'], { env })}
`;
}

/** The project that is there, which stays as it is. */
async function useProject(args: Args<'init'>, io: Io): Promise<Start> {
  const given = (['url', 'folder'] as const).filter((flag) => args[flag] !== undefined);
  if (given.length > 0)
    throw new UsageError(
      `${PROJECT_FILE} already exists and is kept: leave out ${given.map((flag) => `--${flag}`).join(', ')}`,
    );
  const { environment, gateway, problems } = await openWorkspace(io, {
    environment: args.name,
    masker: io.masker,
  });
  if (hasErrors(problems)) throw new ProblemsError(problems);
  if (environment === undefined)
    throw new UsageError(`${PROJECT_FILE} has several environments or none: choose one with --name NAME`);
  const url = gateway?.settings.url ?? '';
  return {
    name: environment.name,
    url,
    files: [],
    notes: [`${PROJECT_FILE} already exists and is kept`],
    problems: [],
  };
}

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
  const url = await ask(args.url, 'URL of its gateway:', known ?? 'embedded:practice.json');
  refuseLogin(url);
  const user = variable('GWCONF_USER', io) ?? variable('CDK_GATEWAY_USER', io) ?? 'admin';
  const projectFile = (files: readonly string[]): NewFile => ({
    path: PROJECT_FILE,
    text: printProject({ name, url, user, files }),
  });
  if (found.length > 0) {
    const folders = foldersOf(found);
    const notes = [
      `found resources in ${formatCount(found.length, 'file')}: ${found.map(onOneLine).join(', ')}`,
    ];
    return { name, url, files: [projectFile(folders)], notes, problems: [] };
  }
  const folder = await ask(args.folder, 'Folder for its resources:', 'gateway');
  const first = projectFile([folder]);
  if ((await findResources(io, catalog, folder)).length > 0)
    return { name, url, files: [first], notes: [], problems: [] };
  const live = await readGatewayAt(await connect({ url, user }, workspace), workspace);
  if ('unreadable' in live)
    return { name, url, files: [first, firstFile(folder, true)], notes: [], problems: live.unreadable };
  const { files, variables, documents, problems } = draftFiles(live, workspace, {
    url,
    schemaFor: schemaFinder(io, folder),
  });
  if (hasErrors(problems)) throw new ProblemsError(problems);
  if (files.length === 0)
    return { name, url, files: [first, firstFile(folder, false)], notes: [], problems: [] };
  const made = files.map(({ path, text }): NewFile => ({ path: join(folder, path), text }));
  const notes = [countKinds(documents)];
  return { name, url, files: [first, ...made], notes, variables, problems: [] };
}

function variable(name: string, io: Io): string | undefined {
  return io.env(name) || undefined;
}

function refuseLogin(url: string): void {
  if (url.startsWith('embedded:') || !URL.canParse(url)) return;
  const { username, password } = new URL(url);
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
  { name, url, variables = [] }: Start,
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
  if (top !== undefined && top !== '.') return none('this folder is not the top of the git repository');
  const names = variables.map((variable) => variable.name);
  const secrets = [...(url.startsWith('embedded:') ? [] : ['GWCONF_PASSWORD']), ...names];
  const added = `, and add ${secrets.length === 1 ? 'the secret' : 'the secrets'} ${secrets.join(', ')} to both`;
  const secret = secrets.length === 0 ? '' : added;
  return {
    files: [{ path, text: makeWorkflow(name, url, names) }],
    notes: [
      `before you use ${path}:`,
      ...((await dependsOnGwconf(io))
        ? []
        : [
            `- add gwconf, with its checksum in package-lock.json: mkdir -p tools && npm pack --ignore-scripts --pack-destination tools ${quoted(io.packageFolder)} && npm install --save-dev --ignore-scripts ./${PACKAGE}`,
          ]),
      `- in the settings of the repository, create the environments ${onOneLine(name)}-plan and ${onOneLine(name)}; limit both to main, require a reviewer for ${onOneLine(name)}${secret}`,
    ],
  };
}

async function dependsOnGwconf(io: Io): Promise<boolean> {
  if (!io.exists('package.json') || !io.exists('package-lock.json')) return false;
  return /"gwconf"\s*:/.test(await io.readFile('package.json'));
}

/** Writes all of the files or none. Only .gitignore, which is last, may be there. */
async function writeAll(files: readonly NewFile[], io: Io): Promise<void> {
  const there = files.filter(({ path }) => path !== IGNORE_FILE && io.exists(path));
  if (there.length > 0)
    throw new UsageError(
      `${there.map(({ path }) => path).join(', ')} already exists; init does not overwrite files`,
    );
  for (const [at, { path, text }] of files.entries()) {
    const unwritten = await writeFile(path, text, io, { isShared: true });
    if (unwritten.length === 0) continue;
    for (const written of files.slice(0, at)) await io.removeFile(written.path);
    throw new ProblemsError(unwritten);
  }
}
