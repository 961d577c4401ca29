import { GROUPS, type Command } from '../../src/cli/table/command.ts';
import { entryOf, NAMES } from '../../src/cli/table/commands.ts';
import { flagOf, type Flag } from '../../src/cli/table/flag.ts';
import { GLOBAL } from '../../src/cli/table/flags.ts';

/** The group of flags that are the command's own in its help, and the same in another. */
const OTHERS = 'Plans and runs';

type Row = { readonly flag: string; readonly group: string; readonly help: string };

/** docs/reference/commands.md after its introduction: a table of the commands, flags that several have, and each command. */
export function commandPage(): string {
  const shared = sharedRows();
  const parts = [
    '## All commands',
    table(['Command', 'What it does'], commandRows()),
    '## Flags of many commands',
    'Each command names the groups that it takes, and if it takes only some flags of a group, these flags. Variables in brackets have the same effect as the flag.',
    ...[...shared.keys()].flatMap((group) => [
      `### ${group}`,
      table(['Flag', 'What it does'], rowsOf(shared.get(group) ?? [])),
    ]),
    ...NAMES.flatMap((name) => sectionOf(name, shared)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A row for each command of the groups, or of all of them, with the headings of the groups. */
export function commandRows(of?: keyof typeof GROUPS): readonly string[] {
  const names = NAMES.filter((name) => of === undefined || entryOf(name).group === of);
  return names.flatMap((name, at) => {
    const { group, operand, alias, summary } = entryOf(name);
    const before = names[at - 1];
    const isFirst = before === undefined || entryOf(before).group !== group;
    const usage = operand === undefined ? name : `${name} ${operand}`;
    return [
      ...(of === undefined && isFirst ? [`| **${GROUPS[group]}** | |`] : []),
      `| \`gwconf ${usage}\`${alias === undefined ? '' : `, also \`${alias}\``} | ${inMarkdown(summary)} |`,
    ];
  });
}

function sectionOf(name: (typeof NAMES)[number], shared: ReadonlyMap<string, readonly Row[]>): string[] {
  const { summary, description, flags = {}, formats, page } = entryOf(name);
  const rows = shownRows(flags);
  const isShared = (row: Row): boolean => (shared.get(row.group) ?? []).some((one) => isSame(one, row));
  const own = rows.filter((row) => !isShared(row));
  const taken = [...shared].flatMap(([group, all]) => {
    const some = rows.filter((row) => row.group === group && isShared(row));
    if (some.length === 0) return [];
    const link = `[${group}](#${group.toLowerCase().replaceAll(' ', '-')})`;
    return [
      some.length === all.length
        ? link
        : `${link} (${some.map(({ flag }) => code(nameOf(flag))).join(', ')})`,
    ];
  });
  const output =
    formats === undefined
      ? []
      : [formats.toFiles === true ? '[`-o`](output.md#formats)' : `\`-o\` (${formats.names.join(', ')})`];
  return [
    `## gwconf ${name}`,
    inMarkdown(description ?? `${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`),
    ...(own.length === 0 ? [] : [table(['Flag', 'What it does'], rowsOf(own))]),
    ...(page === undefined ? [] : [`Documentation: [${page.replace(/#.*/, '')}](../${page}).`]),
    ...(taken.length + output.length === 0 ? [] : [`Also takes: ${[...taken, ...output].join(', ')}.`]),
  ];
}

/** Flags that are the same in several commands, by group, and those of all commands. */
function sharedRows(): ReadonlyMap<string, readonly Row[]> {
  const all = NAMES.flatMap((name) => shownRows(entryOf(name).flags ?? {}));
  const groups = new Map<string, Row[]>();
  for (const row of all) {
    if (all.filter((one) => isSame(one, row)).length < 2) continue;
    const rows = groups.get(row.group) ?? [];
    if (!rows.some((one) => isSame(one, row))) groups.set(row.group, [...rows, row]);
  }
  return new Map([
    ...[...groups].sort(([one], [other]) => Number(one === OTHERS) - Number(other === OTHERS)),
    ['Global', shownRows(GLOBAL)] as const,
  ]);
}

function shownRows(flags: NonNullable<Command['flags']>): readonly Row[] {
  return Object.entries(flags)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([name, flag]) => ({ flag: usageOf(name, flag), group: flag.group ?? OTHERS, help: helpOf(flag) }));
}

function usageOf(name: string, { short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}${flagOf(name)}${value === undefined ? '' : ` ${value}`}`;
}

function helpOf({ help, choices, default: otherwise, env, isRequired }: Flag): string {
  return [
    help,
    ...(choices === undefined || choices.every((one) => help.includes(one))
      ? []
      : [`: ${choices.join(', ')}`]),
    ...(otherwise === undefined ? [] : [`; default: ${otherwise}`]),
    ...(env === undefined ? [] : [` (${env})`]),
    ...(isRequired === true ? ['; required'] : []),
  ].join('');
}

const isSame = (one: Row, other: Row): boolean =>
  one.flag === other.flag && one.help === other.help && one.group === other.group;

const nameOf = (flag: string): string => flag.replace(/ .*/, '').replace(/,$/, '');

function rowsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(({ flag, help }) => `| ${code(flag)} | ${inMarkdown(help)} |`);
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...rows].join('\n');
}

/** A sentence of the help: its stars, brackets and bars are text, its placeholders code. */
function inMarkdown(text: string): string {
  return text.replaceAll(/[*<>|[\]]/g, '\\$&').replaceAll(/\$\{[^}]*\}/g, '`$&`');
}
