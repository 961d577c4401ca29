import type { Command } from 'commander';
import { UsageError, type Io } from '../io.ts';
import { EXIT, type ExitCode } from '../verdict.ts';

type Words = { readonly name: string; readonly summary: string; readonly flags: readonly string[] };

/** Prints a completion script, made from the commands and options that the program has. */
export function completion(shell: string, program: Command, io: Io): ExitCode {
  const commands = program.commands.map((command): Words => ({
    name: command.name(),
    summary: command.summary(),
    flags: command.options
      .filter(({ hidden }) => !hidden)
      .flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
  }));
  const script = new Map(Object.entries({ bash, zsh, fish })).get(shell);
  if (script === undefined) throw new UsageError(`expected bash, zsh or fish; found ${shell}`);
  io.out(script(commands));
  return EXIT.ok;
}

function bash(commands: readonly Words[]): string {
  return `# gwconf completion for bash: source <(gwconf completion bash)
_gwconf() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words=""
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, flags }) => `    ${name}) words="${flags.join(' ')}" ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _gwconf gwconf
`;
}

function zsh(commands: readonly Words[]): string {
  return `#compdef gwconf
# gwconf completion for zsh: source <(gwconf completion zsh)
_gwconf() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      '${name}:${summary.replaceAll("'", '')}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  local -a flags
  case "\${words[2]}" in
${commands.map(({ name, flags }) => `    ${name}) flags=(${flags.join(' ')}) ;;`).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then compadd -- $flags; else _files; fi
}
compdef _gwconf gwconf
`;
}

function fish(commands: readonly Words[]): string {
  const lines = commands.flatMap(({ name, summary, flags }) => [
    `complete -c gwconf -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '')}'`,
    ...flags
      .filter((flag) => flag.startsWith('--'))
      .map((flag) => `complete -c gwconf -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ]);
  return `# gwconf completion for fish: gwconf completion fish | source\n${lines.join('\n')}\n`;
}
