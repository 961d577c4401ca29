import { readCliState, type CliState } from '../../declare/cli-state.ts';
import type { Declared, DeclareOptions } from '../../declare/declared.ts';
import { proposeRemovals } from '../../declare/propose-removals.ts';
import { declareTerraform, findLeftBehind } from '../../declare/terraform/declare-terraform.ts';
import { readTerraform, type TerraformState } from '../../declare/terraform/read-terraform.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import type { Matcher } from '../../plan/change/select.ts';
import type { Host } from '../host.ts';
import type { Input } from '../project/input.ts';
import { RequestError, tellUnreadable } from '../system-error.ts';

/** What another tool manages, as its state says. */
export type Foreign =
  | { readonly tool: 'terraform'; readonly state: TerraformState }
  | { readonly tool: 'cli'; readonly state: CliState; readonly path: string };

/** Reads the state of another tool. Throws a RequestError when there is no such file. */
export async function readForeign(
  host: Pick<Host, 'readNamedFile'>,
  { kinds }: Catalog,
  tool: Foreign['tool'],
  path: string,
): Promise<Checked<Foreign | undefined>> {
  const text = await readFile(host, path);
  if (tool === 'terraform') {
    const { value: state, problems } = readTerraform(text, path, kinds);
    const isEmpty = state?.managed.size === 0 && state.tokens.length === 0;
    return {
      value: state && { tool, state },
      problems: isEmpty ? [...problems, holdsNothing(path)] : problems,
    };
  }
  const { value: state, problems } = readCliState(text, path, kinds);
  const isEmpty = state?.managed.size === 0;
  return {
    value: state && { tool, state, path },
    problems: isEmpty ? [...problems, holdsNothing(path)] : problems,
  };
}

/** Without it, the state of another folder or workspace would look as if all was taken over. */
function holdsNothing(path: string): Problem {
  return makeProblem({
    code: 'unclear-state',
    message: `${path} has no object of the gateway`,
    hint: 'give the state of the folder and workspace that manage the gateway',
  });
}

async function readFile(host: Pick<Host, 'readNamedFile'>, path: string): Promise<string> {
  try {
    return await host.readNamedFile(path);
  } catch (error) {
    throw new RequestError(tellUnreadable(path, error), { cause: error });
  }
}

type Seen = { readonly input: Input; readonly live: LiveState };
type Limits = { readonly isSelected: Matcher; readonly isManaged: Matcher };

/** Documents of what Terraform manages here, and what else a person should know before Terraform forgets it. */
export function declareManaged(
  catalog: Catalog,
  state: TerraformState,
  { input, live }: Seen,
  { isSelected, isManaged }: Limits,
  options: DeclareOptions,
): Declared {
  const declared = declareTerraform(state, catalog, {
    ...options,
    isSelected: (address) => isSelected(address) && isManaged(address) && !input.declared.has(address),
  });
  const foreign = [...state.managed.keys()].filter((one) => isSelected(one) && !isManaged(one));
  const left = [...findLeftBehind(state, live.resources.keys(), catalog.kinds)].filter(
    ([address]) => isSelected(address) && !input.declared.has(address),
  );
  return {
    ...declared,
    problems: [...declared.problems, ...foreign.map(unmanaged), ...left.map(leftBehind)],
  };
}

function unmanaged(address: Address): Problem {
  return makeProblem({
    code: 'not-imported',
    message: `${address} is not added: manages does not match it`,
    address,
    hint: 'import it where it is managed, or add it to manages in gwconf.yaml',
  });
}

function leftBehind([address, of]: readonly [Address, Address]): Problem {
  return makeProblem({
    code: 'unclear-state',
    message: `${address} is in no file and not in Terraform's state; it may be left over from a former scope of ${of}`,
    address,
    hint: `add it with gwconf import '${address}', or delete it with a Removal`,
  });
}

/** Removals of what the official CLI would delete, in comments. */
export function proposeFromCli(
  catalog: Catalog,
  { state, path }: Extract<Foreign, { tool: 'cli' }>,
  { input, live }: Seen,
  { isSelected, isManaged }: Limits,
): { readonly text: string; readonly problems: readonly Problem[] } {
  const removed = new Set(input.removals.map(({ address }) => address));
  const orphans = [...state.managed].filter(
    (one) => !input.declared.has(one) && !removed.has(one) && isSelected(one) && isManaged(one),
  );
  const head = [
    `Proposed by gwconf import --from-cli-state ${path}: the official CLI has applied these objects, and no file`,
    'declares them, so its next apply would delete them. Remove one # from each line to delete them with gwconf apply.',
    'To keep them, declare them: gwconf import ADDRESS',
  ];
  const about = { name: 'from-cli-state', reason: 'applied with the official CLI, and in no file any more' };
  const there = orphans.filter((one) => live.resources.has(one));
  const { text, unnamed } = proposeRemovals(there, head, about, catalog);
  return { text, problems: unnamed.map(unnameable) };
}

function unnameable(address: Address): Problem {
  return makeProblem({
    code: 'not-imported',
    message: `a Removal cannot name ${address}`,
    address,
    hint: 'delete it on the gateway, or declare it',
  });
}
