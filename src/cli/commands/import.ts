import { formatCount } from '../../model/text/list.ts';
import { byKey } from '../../model/collect.ts';
import type { SecretVariable } from '../../declare/declared.ts';
import { stateRemovals } from '../../declare/terraform/declare-terraform.ts';
import type { TerraformState } from '../../declare/terraform/read-terraform.ts';
import { commandFor } from '../../declare/terraform/terraform-state.ts';
import type { KindSet } from '../../model/kind.ts';
import { hasErrors, type Checked } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { onOneLine } from '../../report/escape.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { findOtherReaders } from '../../workflow/files/add-documents.ts';
import type { FileChange } from '../../workflow/files/change-files.ts';
import { readForeign, type Foreign } from '../../workflow/files/foreign.ts';
import { importFiles } from '../../workflow/files/import-live.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { openSecretsFile } from '../../workflow/write-file.ts';
import { filesOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { UsageError, type Io } from '../io.ts';
import { renderFileDiff } from '../present/line-diff.ts';
import { showPlan } from '../present/output.ts';
import { renderVariables } from '../present/plain-table.ts';
import type { Args } from '../table/commands.ts';

type ImportArgs = Args<'import'>;

/** Takes what is live into the files. */
export const run: Run<'import'> = async ({ operand: globs, args, io, openWorkspace, openLive }) => {
  const { exclude, manages, drift, deleted, to } = args;
  if (deleted === true && drift !== true)
    throw new UsageError('--deleted is about declared objects: add --drift');
  if (drift === true && to !== undefined)
    throw new UsageError('--drift changes values where they are: leave out --to');
  const { secretsEnv, secretName: secretNames } = args;
  const secrets = secretsEnv === undefined ? undefined : await openSecretsFile(io, secretsEnv);
  const workspace = await openWorkspace(args);
  const read = await readForeignOf(args, workspace, io);
  if (hasErrors(read.problems)) return { result: 'error', problems: locateProblems(read.problems) };
  const opened = await openLive(args, workspace);
  if ('problems' in opened) return { result: opened.result, problems: locateProblems(opened.problems) };
  const files = filesOf([], args, workspace, io);
  const wanted = { ...files, target: globs, exclude, manages, drift, deleted, to, from: read.value };
  const imported = await importFiles(io, workspace, opened.source, {
    ...wanted,
    dryRun: args.dryRun,
    ofState: read.problems,
    secrets,
    secretNames,
    onChange: (change) => {
      if (args.dryRun !== true) io.out(`${renderChange(change)}\n`);
      else
        for (const text of renderFileDiff(change, io.outPaint, workspace.secrets.written.mask)) io.out(text);
    },
  });
  const { result, changes, variables, left, problems } = imported;
  let endPlan: (() => void) | undefined;
  if (left?.shown !== undefined) {
    if (changes.length > 0) io.out('\nThe plan with these files:\n\n');
    const output = { stdout: 'human', files: [], detail: args.detail };
    endPlan = showPlan(left.shown, workspace.environment?.name, output, io);
    if (read.value !== undefined && result !== 'error' && args.dryRun !== true) {
      const isDeclared = (address: Address): boolean => left.desired.has(address);
      io.out(
        renderForeign(read.value, workspace.catalog.kinds, {
          isTold: changes.length > 0 || result === 'incomplete',
          isDeclared,
        }),
      );
    }
  }
  const shared = changes.map(({ path }) => renderReaders(path, findOtherReaders(workspace, path)));
  return {
    result,
    problems: locateProblems([...opened.warnings, ...problems, ...(left?.problems ?? [])]),
    hints: shared.join('') + renderNeeded(variables, args),
    endPlan,
  };
};

async function readForeignOf(
  { fromTerraform, fromCliState, drift }: ImportArgs,
  { catalog }: Workspace,
  io: Io,
): Promise<Checked<Foreign | undefined>> {
  if ([fromTerraform, fromCliState, drift].filter((one) => one !== undefined && one !== false).length > 1)
    throw new UsageError('use one of --drift, --from-terraform and --from-cli-state');
  if (fromTerraform !== undefined) return readForeign(io, catalog, 'terraform', fromTerraform);
  if (fromCliState !== undefined) return readForeign(io, catalog, 'cli', fromCliState);
  return { value: undefined, problems: [] };
}

function renderChange({ path, before, after }: FileChange): string {
  const verb = before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
  return `${verb} ${onOneLine(path)}`;
}

function renderReaders(path: string, others: readonly string[]): string {
  if (others.length === 0) return '';
  return `${onOneLine(path)} is also read by ${others.map(onOneLine).join(', ')}: look at the plan there, too.\n`;
}

function renderNeeded(variables: readonly SecretVariable[], { secretsEnv, dryRun }: ImportArgs): string {
  if (variables.length === 0) return '';
  const isWritten = secretsEnv !== undefined && dryRun !== true;
  const where = isWritten
    ? `Their values are in ${onOneLine(secretsEnv)}, which only you can read; keep it out of git.\n`
    : '';
  return `Set ${formatCount(variables.length, 'variable')} for secrets where gwconf runs:\n${renderVariables(variables)}${where}`;
}

/** What is left to do with the state of another tool, once files declare what `isDeclared` says. */
function renderForeign(
  from: Foreign,
  kinds: KindSet,
  { isTold, isDeclared }: { readonly isTold: boolean; readonly isDeclared: (address: Address) => boolean },
): string {
  const sections =
    from.tool === 'cli'
      ? [isTold ? [] : [NOTHING_PROPOSED], renderOthers(from.state.others, 'the official CLI')]
      : [
          renderOthers(from.state.others, 'Terraform'),
          renderTokens(from.state),
          renderCommands(from.state, kinds, isDeclared),
        ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.map((line) => `${line}\n`).join('')}\n`)
    .join('');
}

const NOTHING_PROPOSED =
  'No removal is proposed: each selected object of this project that the official CLI has applied is declared, in a Removal (also one in comments), or not on the gateway.';

function renderOthers(others: ReadonlyMap<string, number>, tool: string): readonly string[] {
  if (others.size === 0) return [];
  const rows = [...others].sort(byKey);
  return [
    `Not of the gateway, so left to ${tool}:`,
    ...rows.map(([type, count]) => `  ${onOneLine(type)} (${count})`),
  ];
}

function renderTokens({ tokens }: TerraformState): readonly string[] {
  if (tokens.length === 0) return [];
  return [
    `${formatCount(tokens.length, 'token')} without a document: tokens are not part of the configuration. They stay valid until they expire.`,
    `To issue another ${tokens.length === 1 ? 'one' : 'of each'}:`,
    ...tokens.map((token) => `  ${onOneLine(commandFor(token))}`),
  ];
}

function renderCommands(
  state: TerraformState,
  kinds: KindSet,
  isDeclared: (address: Address) => boolean,
): readonly string[] {
  // Nobody would manage an object that Terraform forgets before a file declares it.
  const managed = new Map([...state.managed].filter(([address]) => isDeclared(address)));
  const commands = stateRemovals({ ...state, managed }, kinds);
  if (commands.length === 0) return [];
  return [
    'When the plan is empty, take the objects out of the state, and only then delete their blocks from the .tf files:',
    ...commands.map((command) => `  ${onOneLine(command)}`),
  ];
}
