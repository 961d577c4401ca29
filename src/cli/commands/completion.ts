import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { entryOf, FIRST_WORDS, NAMES, type Name } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';

type Words = { readonly name: string; readonly flags: readonly string[] };

/** Prints a completion script, made from the table of commands. */
export const run: Run<'completion'> = ({ operand: shell, io }) => {
  const script = new Map(Object.entries({ bash, zsh, fish })).get(shell);
  if (script === undefined) throw new UsageError(`expected bash, zsh or fish; found ${shell}`);
  const commands = NAMES.map((name): Words => ({ name, flags: flagsOf(name) }));
  const first = [...new Set(NAMES.map((name) => name.split(' ')[0] ?? ''))];
  const heads = first.map((name): Head => {
    const below = NAMES.flatMap((one) => (one.startsWith(`${name} `) ? [one.slice(name.length + 1)] : []));
    const { summary } = FIRST_WORDS[name] ?? entryOf(name as Name); // a first word that is no group is a command
    return { name, summary, below };
  });
  io.out(script(commands, heads));
  return undefined;
};

function flagsOf(name: Name): readonly string[] {
  const { flags = {}, formats } = entryOf(name);
  const shown = Object.entries(flags).filter(([, { isHidden }]) => isHidden !== true);
  return [
    ...shown.flatMap(([key, { short }]) => [...(short === undefined ? [] : [`-${short}`]), flagOf(key)]),
    ...(formats === undefined ? [] : ['-o', '--output']),
  ];
}

/** A first word, and the words that may follow it. */
type Head = {
  readonly name: string;
  readonly summary: string;
  readonly below: readonly string[];
};

function bash(commands: readonly Words[], heads: readonly Head[]): string {
  return `# gwconf completion for bash: source <(gwconf completion bash)
_gwconf() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words="" below=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} " in
${commands.map(({ name, flags }) => `    "${name} "*) words="${flags.join(' ')}" ;;`).join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${groupsOf(heads)
  .map(({ name, below }) => `    ${name}) below="${below.join(' ')}" ;;`)
  .join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${heads.map(({ name }) => name).join(' ')}" -- "$cur"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$below" ]; then
    COMPREPLY=($(compgen -W "$below" -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _gwconf gwconf
`;
}

function groupsOf(heads: readonly Head[]): readonly Head[] {
  return heads.filter(({ below }) => below.length > 0);
}

function zsh(commands: readonly Words[], heads: readonly Head[]): string {
  return `#compdef gwconf
# gwconf completion for zsh: source <(gwconf completion zsh)
_gwconf() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${heads.map(({ name, summary }) => `      '${name}:${summary.replaceAll("'", '')}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  local -a flags below
  case "\${words[2]}" in
${groupsOf(heads)
  .map(({ name, below }) => `    ${name}) below=(${below.join(' ')}) ;;`)
  .join('\n')}
  esac
  if (( CURRENT == 3 && $#below )); then compadd -- $below; return; fi
  case "\${words[2]} \${words[3]} " in
${commands.map(({ name, flags }) => `    "${name} "*) flags=(${flags.join(' ')}) ;;`).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then compadd -- $flags; else _files; fi
}
compdef _gwconf gwconf
`;
}

function fish(commands: readonly Words[], heads: readonly Head[]): string {
  const lines = [
    ...heads.map(
      ({ name, summary }) =>
        `complete -c gwconf -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '')}'`,
    ),
    ...groupsOf(heads).map(
      ({ name, below }) =>
        `complete -c gwconf -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${below.join(' ')}' -a '${below.join(' ')}'`,
    ),
    ...commands.flatMap(({ name, flags }) => {
      const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
      return flags
        .filter((flag) => flag.startsWith('--'))
        .map((flag) => `complete -c gwconf -n '${seen.join('; and ')}' -l ${flag.slice(2)}`);
    }),
  ];
  return `# gwconf completion for fish: gwconf completion fish | source\n${lines.join('\n')}\n`;
}
