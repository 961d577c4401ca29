import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';

/** Prints the completion script of a shell. It asks the hidden command `__complete` for each word. */
export const run: Run<'completion'> = ({ operand: shell, io }) => {
  const script = new Map(Object.entries(SCRIPTS)).get(shell);
  if (script === undefined) throw new UsageError(`expected bash, zsh, fish or powershell; found ${shell}`);
  io.out(script);
  return undefined;
};

// Each shell passes the words up to the cursor, and gets words with what they are behind a tab; the last line says whether files can follow.
const SCRIPTS = {
  bash: `# gwconf completion for bash: source <(gwconf completion bash)
_gwconf() {
  local IFS=$'\\n' cur prev words cword line answer
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  else
    cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
  fi
  answer=$(gwconf __complete "\${words[@]:1:cword-1}" "$cur" 2>/dev/null) || return
  COMPREPLY=()
  while read -r line; do
    case $line in
      :files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
      :words) ;;
      *)
        line=\${line%%$'\\t'*}
        # Within quotes, only what needs none is right.
        if [[ $line != *[!A-Za-z0-9@=:,./_-]* ]]; then COMPREPLY+=("$line")
        elif [[ $cur != [\\"\\']* ]]; then COMPREPLY+=("$(printf '%q' "$line")"); fi
        ;;
    esac
  done <<< "$answer"
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$cur"; fi
}
complete -F _gwconf gwconf
`,
  zsh: `#compdef gwconf
# gwconf completion for zsh: source <(gwconf completion zsh)
_gwconf() {
  local line word
  local -a found
  for line in "\${(@f)$(gwconf __complete "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    case $line in
      :files) _files; return ;;
      :words) ;;
      *)
        word=\${line%%$'\\t'*} word=\${word//\\\\/\\\\\\\\} word=\${word//:/\\\\:}
        if [[ $line == *$'\\t'* ]]; then found+=("$word:\${line#*$'\\t'}"); else found+=("$word"); fi
        ;;
    esac
  done
  _describe gwconf found
}
compdef _gwconf gwconf
`,
  fish: `# gwconf completion for fish: gwconf completion fish | source
function __gwconf_complete
  set -l before (commandline -opc)
  set -l current (string unescape -- (commandline -ct)); or set current (commandline -ct)
  for line in (gwconf __complete $before[2..-1] "$current" 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':words'
      case '*'
        echo $line
    end
  end
end
complete -c gwconf -f -a '(__gwconf_complete)'
`,
  powershell: `# gwconf completion for PowerShell: gwconf completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName gwconf -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  gwconf __complete @words "$wordToComplete" 2>$null | ForEach-Object {
    if ($_ -notmatch '^:(files|words)$') {
      $word, $about = $_ -split "\`t", 2
      if (-not $about) { $about = $word }
      $quoted = [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word)
      [System.Management.Automation.CompletionResult]::new("'$quoted'", $word, 'ParameterValue', $about)
    }
  }
}
`,
} as const satisfies Readonly<Record<string, string>>;
