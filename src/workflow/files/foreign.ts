import { readCliState, type CliState } from '../../declare/cli-state.ts';
import { readTerraform, type TerraformState } from '../../declare/terraform/read-terraform.ts';
import type { Checked } from '../../model/problem.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../request-error.ts';
import { reasonOf } from '../system-error.ts';

/** What another tool manages, as its state says. */
export type Foreign =
  | { readonly tool: 'terraform'; readonly state: TerraformState }
  | { readonly tool: 'cli'; readonly state: CliState; readonly path: string };

/** Reads the state of another tool. Throws a RequestError when there is no such file. */
export async function readForeign(
  host: Pick<Host, 'readNamedFile'>,
  tool: Foreign['tool'],
  path: string,
): Promise<Checked<Foreign | undefined>> {
  const text = await readFile(host, path);
  if (tool === 'terraform') {
    const { value: state, problems } = readTerraform(text, path, catalog.kinds);
    return { value: state && { tool, state }, problems };
  }
  const { value: state, problems } = readCliState(text, path, catalog.kinds);
  return { value: state && { tool, state, path }, problems };
}

async function readFile(host: Pick<Host, 'readNamedFile'>, path: string): Promise<string> {
  try {
    return await host.readNamedFile(path);
  } catch (error) {
    throw new RequestError(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
