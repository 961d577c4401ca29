import type { Command } from 'commander';

/** A command that runs, with its whole name: `plan`, `token issue`. */
export type NamedCommand = { readonly name: string; readonly command: Command };

/** Every command that runs, in the order of the help. */
export function listCommands(program: Command): readonly NamedCommand[] {
  return program.commands.flatMap((command) => {
    const name = command.name();
    if (command.commands.length === 0) return [{ name, command }];
    return listCommands(command).map((below) => ({ ...below, name: `${name} ${below.name}` }));
  });
}

/** A command with all below it. */
export function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
