const WELL_KNOWN = [
  'out',
  'target',
  'exclude',
  'detailed-exitcode',
  'auto-approve',
  'no-color',
  'parallelism',
  'chdir',
];

/**
 * Terraform's single-dash spelling of its well-known flags, as gwconf spells them: `-out=p` is `--out=p`, `-json` is
 * `-o json`. Done before parsing, since `-o` is a flag of its own. What comes after `--` is left alone.
 */
export function withTwoDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  const rest = end === -1 ? [] : args.slice(end);
  return [...flags.flatMap(translate), ...rest];
}

function translate(arg: string): readonly string[] {
  if (arg === '-json' || arg === '--json') return ['-o', 'json'];
  if (['--non-zero-exit-code', '--fail-on-changes', '--expect-no-changes'].includes(arg))
    return ['--detailed-exitcode'];
  const name = /^-([a-z-]+)(?:=|$)/.exec(arg)?.[1];
  return name !== undefined && WELL_KNOWN.includes(name) ? [`-${arg}`] : [arg];
}
