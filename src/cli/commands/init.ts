import { join } from 'node:path';
import { onOneLine } from '../../report/escape.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { ProblemsError, UsageError, type ExitCode, type Io } from '../io.ts';
import { writeFile } from '../present/write-file.ts';
import { makeWorkflow } from './init-workflow.ts';
import { plan } from './plan.ts';

export type InitArgs = {
  readonly name?: string;
  readonly url?: string;
  readonly folder?: string;
  readonly yes?: boolean;
};

/** Writes gwconf.yaml, a first resource and a CI workflow, and runs a plan. Never overwrites a file. */
export async function init(args: InitArgs, io: Io): Promise<ExitCode> {
  const ask = async (given: string | undefined, question: string, otherwise: string): Promise<string> => {
    if (given !== undefined) return given;
    if (args.yes === true || !io.interactive) return otherwise;
    const answer = (await io.ask(`${question} [${otherwise}] `)).trim();
    return answer === '' ? otherwise : answer;
  };
  const name = await ask(args.name, 'Name of the first environment:', 'prod');
  const url = await ask(args.url, 'URL of its gateway:', 'embedded:practice.json');
  const folder = await ask(args.folder, 'Folder for its resources:', 'gateway');
  const files = [
    { path: 'gwconf.yaml', text: projectFile(name, url, folder) },
    { path: join(folder, 'topics.yaml'), text: FIRST_RESOURCE },
    { path: join('.github', 'workflows', 'gateway.yaml'), text: makeWorkflow(name, url) },
  ];
  const there = files.filter(({ path }) => io.exists(path));
  if (there.length > 0) {
    throw new UsageError(
      `${there.map(({ path }) => path).join(', ')} already exists; init does not overwrite files`,
    );
  }
  await writeAll(files, io);
  for (const { path } of files) io.err(`wrote ${onOneLine(path)}\n`);
  return plan([], { env: name }, io);
}

/** Writes all of the files or none. */
async function writeAll(
  files: readonly { readonly path: string; readonly text: string }[],
  io: Io,
): Promise<void> {
  for (const [at, { path, text }] of files.entries()) {
    const unwritten = await writeFile(path, text, io, { isShared: true });
    if (unwritten.length === 0) continue;
    for (const written of files.slice(0, at)) await io.removeFile(written.path);
    throw new ProblemsError(unwritten);
  }
}

const FIRST_RESOURCE = `# An alias of a topic, for clients of the passthrough virtual cluster.
apiVersion: gateway/v2
kind: AliasTopic
metadata:
  name: orders
spec:
  physicalName: orders-v1
`;

function projectFile(name: string, url: string, folder: string): string {
  const escaped = name.replaceAll('${', () => '$${');
  // The password comes from GWCONF_PASSWORD.
  const gateway = url.startsWith('embedded:') ? { url } : { url, user: 'admin' };
  return printYaml([
    { apiVersion: 'gwconf/v1', kind: 'Project', environments: { [escaped]: { gateway, files: [folder] } } },
  ]);
}
