import { Command, Help, Option } from 'commander';
import { VERSION } from '../workflow/tool.ts';
import { entryOf, FIRST_WORDS, NAMES, type Name } from './table/commands.ts';
import { GROUPS, type Formats } from './table/command.ts';
import { flagOf, list, type Flag, type Flags } from './table/flag.ts';
import { connection, GATEWAY, GLOBAL } from './table/flags.ts';

/** What the command line says: a command, its operand, and its flags with those before it. */
export type Line = {
  readonly name: Name;
  readonly operand: unknown;
  readonly args: Readonly<Record<string, unknown>>;
};

/** The table of commands as a program that reads a command line; of one that begins with a command, the others are left out. */
export function makeProgram(
  perform: (line: Line) => Promise<void>,
  writeOut: (text: string) => void,
  writeErr: (text: string) => void,
  firstWord = '',
): Command {
  const program = new Command('gwconf')
    .description('Manage the configuration of a Conduktor Gateway with YAML files.')
    .version(`gwconf ${VERSION}`, '-V, --version', 'print the version')
    .showHelpAfterError('Run gwconf help, or gwconf help COMMAND.')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .helpCommand('help [command]', 'show the help of a command, or of connection')
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({
      writeOut,
      writeErr,
      outputError: (text, write) => write(withInstead(text, program.args)),
    })
    .on('beforeAllHelp', ({ error }: { readonly error: boolean }) => {
      const [first, name] = program.args;
      if (error && first === 'help' && name !== undefined) program.error(`error: unknown command '${name}'`);
    });
  addFlags(program, GLOBAL);
  // There are hundreds of flags: a command gets its own when it is named, or help is printed.
  const waiting = new Map<Command, Flags>();
  const complete = (command: Command): void => {
    addFlags(command, waiting.get(command) ?? {});
    waiting.delete(command);
  };
  const isAbove = (parent: Command): Command =>
    parent
      .hook('preSubcommand', (_, command) => complete(command))
      .on('beforeHelp', () => parent.commands.forEach(complete));
  isAbove(program);
  /** The command that those with this first word are below. */
  const parentOf = (first: string, group: keyof typeof GROUPS): Command => {
    const known = program.commands.find((command) => command.name() === first);
    const { summary = '', description = '' } = FIRST_WORDS[first] ?? {};
    const make = (): Command => program.command(first).summary(summary).description(description);
    return known ?? isAbove(make().helpGroup(`${GROUPS[group]}:`));
  };
  const named = NAMES.filter((name) => name === firstWord || name.startsWith(`${firstWord} `));
  for (const name of named.length > 0 ? named : NAMES) {
    const {
      group,
      summary,
      description,
      operand = '',
      alias,
      flags = {},
      formats,
      page,
      examples,
    } = entryOf(name);
    const [first = '', second] = name.split(' ');
    const parent = second === undefined ? program : parentOf(first, group);
    const command = parent.command(`${second ?? first} ${operand}`.trim()).summary(summary);
    if (parent === program) command.helpGroup(`${GROUPS[group]}:`);
    if (description !== undefined) command.description(description);
    if (alias !== undefined) command.alias(alias);
    waiting.set(command, { ...flags, ...outputOf(formats) });
    command.helpOption('-h, --help', 'show this help; with --all, every option');
    const asksForAll = (): boolean => program.args.includes('--all');
    command.on('beforeHelp', () => {
      complete(command);
      if (!asksForAll()) hide(flags, command, program);
    });
    const rest = [...examples.map((line) => `  ${line}`), ...documentation(page)];
    command.addHelpText('after', () =>
      ['', ...(asksForAll() ? [] : hiddenIn(name, flags)), 'Examples:', ...rest].join('\n'),
    );
    // Commander passes the operand, the options and the command.
    command.action((...given: readonly unknown[]) =>
      perform({ name, operand: given.length > 2 ? given[0] : undefined, args: command.optsWithGlobals() }),
    );
  }
  if (named.length === 0) addConnection(program);
  return program;
}

/** The help of the connection, for all commands that have one. */
function addConnection(program: Command): void {
  const topic = program.command('connection', { hidden: true });
  topic
    .description(
      'How commands reach the gateway. Options override the variables in brackets, and variables override gwconf.yaml.',
    )
    .addHelpOption(new Option('-h, --help').hideHelp())
    .configureHelp({ ...program.configureHelp(), commandUsage: () => 'gwconf COMMAND [options]' })
    .on('beforeHelp', () => hide({}, topic, program))
    .addHelpText('after', documentation('reference/connection.md').join('\n'))
    .action(() => topic.help());
  addFlags(topic, connection);
}

const documentation = (page: string | undefined): readonly string[] =>
  page === undefined ? [] : [`\nDocumentation: docs/${page}`];

/** Leaves out of the help what it only names. */
function hide(flags: Flags, command: Command, program: Command): void {
  const hidden = command.options.filter((option) => isFolded(flags[option.attributeName()]));
  for (const option of [...hidden, ...program.options]) option.hideHelp();
}

const isFolded = (flag: Flag | undefined): boolean => flag?.isRare === true || flag?.group === GATEWAY;

/** The names of the flags that the help leaves out, and where they are. */
function hiddenIn(name: Name, flags: Flags): readonly string[] {
  const namesOf = (some: Flags, isOne: (flag: Flag) => boolean): readonly string[] =>
    Object.entries(some).flatMap(([key, flag]) => (isOne(flag) ? [flagOf(key)] : []));
  const gateway = namesOf(flags, ({ group }) => group === GATEWAY).slice(0, 3);
  const rest = [...namesOf(flags, ({ isRare }) => isRare === true), ...namesOf(GLOBAL, () => true)];
  return [
    ...(gateway.length === 0
      ? []
      : [`${GATEWAY}: ${gateway.join(', ')} and more, see gwconf help connection`]),
    `More options, see gwconf ${name} --help --all:`,
    ...new Help()
      .boxWrap(rest.join(', '), 78)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
  ];
}

/** Those of the command first, then those that several have. */
function addFlags(command: Command, flags: Flags): void {
  const ownFirst = Object.entries(flags).sort(
    ([, one], [, other]) => Number(one.group !== undefined) - Number(other.group !== undefined),
  );
  for (const [name, flag] of ownFirst) command.addOption(optionOf(name, flag));
}

function optionOf(name: string, flag: Flag): Option {
  const { help, value, short, choices, implies } = flag;
  const long = flagOf(name);
  const start = short === undefined ? long : `-${short}, ${long}`;
  const option = new Option(value === undefined ? start : `${start} ${value}`, help);
  if (flag.group !== undefined) option.helpGroup(`${flag.group}:`);
  if (flag.isRequired === true) option.makeOptionMandatory();
  if (flag.isHidden === true) option.hideHelp();
  if (choices !== undefined) option.choices(choices);
  if (flag.default !== undefined) option.default(flag.default);
  if (flag.env !== undefined) option.env(flag.env);
  if (implies !== undefined) option.implies(implies);
  if (flag.read !== undefined) option.argParser((text, before) => flag.read?.(text, before, long));
  return option;
}

function outputOf(formats: Formats | undefined): Flags {
  if (formats === undefined) return {};
  const { names, toFiles = false, help } = formats;
  const hasFiles = toFiles || formats.with !== undefined;
  const listed = `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
  const ends = toFiles ? '; with =FILE, also write it to a file' : '';
  return {
    output: {
      ...list(hasFiles ? '<format[=file]>' : '<format>', help ?? listed + ends, { short: 'o' }),
      group: 'Output',
    },
  };
}

/** The end of the help of gwconf. */
const HELP = `
Exit codes:
  0   success
  1   invalid input or gateway error
  2   changes found (--detailed-exitcode)
  3   blocked by a safety rule
  4   plan is stale or for another gateway
  5   partly applied
  64  invalid usage
  70  internal error
  74  output is lost
  130 interrupted

Getting started, without a gateway:
  gwconf init --yes
  gwconf plan
  gwconf apply

Documentation: docs/README.md in the package, and gwconf explain NAME`;

/** What people type who know other tools, by the option or the command that gwconf does not have, and what it has instead. */
const HABITS: Readonly<Record<string, string>> = {
  '--dry-run':
    'gwconf plan shows what apply would do, and changes nothing; gwconf show does so for a saved plan.',
  '--password':
    'Other users of this machine could read it in the list of processes: use --password-file FILE, or GWCONF_PASSWORD.',
  '--yes': 'Only commands that ask for something have it, such as apply and undo.',
  '--auto-approve': 'Only commands that ask for approval have it: apply and undo.',
  '--redacted': 'A snapshot never has secrets: leave it out.',
  delete:
    'To delete an object, declare a Removal (gwconf explain Removal), or take its document out and use --prune.',
  destroy:
    'To delete an object, declare a Removal (gwconf explain Removal), or take its document out and use --prune.',
  '--force': 'Each thing that blocks a run has an option of its own, which the error names.',
  check: 'gwconf validate checks files, and gwconf plan also compares them with the gateway.',
  lint: 'gwconf validate checks files, and gwconf plan also compares them with the gateway.',
  list: 'gwconf get lists the objects of the gateway.',
  rollback: 'gwconf undo takes back a run.',
  sync: 'gwconf plan shows the changes, and gwconf apply makes them.',
  refresh: 'There is no state file: gwconf plan reads the gateway.',
  state: 'There is no state file: gwconf get lists the objects of the gateway.',
  ping: 'gwconf doctor checks the connection, the login and the rights.',
  login: 'There is no session: gwconf doctor shows the user and the password of each call, and checks them.',
  status: 'gwconf drift shows where the gateway differs from the files, and gwconf journal lists the runs.',
  history: 'gwconf journal lists the runs.',
  describe: 'gwconf get Kind/name -o yaml shows an object, and gwconf explain Kind documents a kind.',
  '-refresh-only': 'gwconf drift shows where the gateway differs from the files.',
  '-var': 'Files take environment variables, as in ${NAME}; gwconf.yaml says which, for an environment.',
  '--target': 'Only commands that compare files have it; an undo takes back a whole run.',
  '--exclude': 'Only commands that compare files have it; an undo takes back a whole run.',
};

/**
 * An error of the command line, without the value of an unknown option, which may be secret, and with what to use in its place or
 * that of an unknown command, if gwconf knows it: then what only looks similar is left out.
 */
function withInstead(error: string, args: readonly string[]): string {
  const isUnknown = (arg: string): boolean =>
    ['option', 'command'].some((one) => error.startsWith(`error: unknown ${one} '${arg}'`));
  const word = args.find(isUnknown) ?? '';
  const what = word.startsWith('-') ? word.replace(/=[^]*/, '') : word;
  const text = error.replace(word, () => what);
  const command =
    args[0] === word && word.startsWith('-')
      ? args.find((arg) => NAMES.some((name) => name === arg))
      : undefined;
  const behind =
    command === undefined ? undefined : `Options come after the command: gwconf ${command} ${what} ...`;
  const answer = Object.hasOwn(HABITS, what) ? HABITS[what] : behind;
  return answer === undefined ? text : `${text.replace(/\n\(Did you mean .*\)/, '')}${answer}\n`;
}
