import type { KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import { stateRemovals } from '../../declare/terraform/left-behind.ts';
import { requestFor } from '../../declare/terraform/token.ts';
import type { TerraformState } from '../../declare/terraform/read-terraform.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/phrases.ts';
import type { Foreign } from '../../workflow/files/foreign.ts';

/** What is left to do with the state of another tool, once files declare what `isDeclared` says. */
export function renderForeign(
  from: Foreign,
  kinds: KindSet,
  {
    isChanged,
    isDeclared,
  }: { readonly isChanged: boolean; readonly isDeclared: (address: Address) => boolean },
): string {
  const sections =
    from.tool === 'cli'
      ? [isChanged ? [] : [NOTHING_PROPOSED], renderOthers(from.state.others, 'the official CLI')]
      : [
          renderOthers(from.state.others, 'Terraform'),
          renderTokens(from.state),
          renderCommands(from.state, kinds, isDeclared),
        ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `\n${lines.map((line) => `${line}\n`).join('')}`)
    .join('');
}

const NOTHING_PROPOSED =
  'No removal is proposed: everything that the official CLI has applied is declared, or not on the gateway.';

function renderOthers(others: ReadonlyMap<string, number>, tool: string): readonly string[] {
  if (others.size === 0) return [];
  const rows = [...others].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    `Not of the gateway, so left to ${tool}:`,
    ...rows.map(([type, count]) => `  ${onOneLine(type)} (${count})`),
  ];
}

function renderTokens({ tokens }: TerraformState): readonly string[] {
  if (tokens.length === 0) return [];
  return [
    `${formatCount(tokens.length, 'token')} without a document: tokens are not part of the configuration. They stay valid until they expire.`,
    'To issue another one, POST to /gateway/v2/token:',
    ...tokens.map((token) => `  ${onOneLine(requestFor(token))}`),
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
