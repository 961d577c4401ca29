/** The section of a version in CHANGELOG.md: its date, if it has one, and its text. */
export function notesOf(changelog, version) {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} `));
  if (section === undefined) return undefined;
  const [title = '', ...lines] = section.split('\n');
  const [, date] = /\((\d{4}-\d{2}-\d{2})\)$/.exec(title) ?? [];
  return { date, text: lines.join('\n').trim() };
}
