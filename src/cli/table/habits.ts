/** What people type who know other tools, by the option or the command that gwconf does not have, and what it has instead. */
const HABITS: Readonly<Record<string, string>> = {
  '--dry-run':
    'gwconf plan shows what apply would do, and changes nothing; gwconf show does so for a saved plan.',
  '--password':
    'Other users of this machine could read it in the list of processes: use --password-file FILE, or GWCONF_PASSWORD.',
  '--redacted': 'A snapshot never has secrets: leave it out.',
  delete:
    'To delete an object, declare a Removal (gwconf explain Removal), or take its document out and use --prune.',
  destroy:
    'To delete an object, declare a Removal (gwconf explain Removal), or take its document out and use --prune.',
  refresh: 'There is no state file: gwconf plan reads the gateway.',
};

/** What to use in the place of the option or command that an error of the command line calls unknown, as a line; or nothing. */
export function insteadOf(error: string): string {
  const [, what = ''] = /unknown (?:option|command) '([^']*)'/.exec(error) ?? [];
  const answer = Object.hasOwn(HABITS, what) ? HABITS[what] : undefined;
  return answer === undefined ? '' : `${answer}\n`;
}
