/** The notes as a release shows them: a page of its own, so its links to files of the repository are whole. */
export function placeLinks(text, { page, version }) {
  return text.replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, path) => `](${page}/blob/v${version}/${path})`);
}

/** The section of a version in CHANGELOG.md: its date, if it has one, and its text. */
export function notesOf(changelog, version) {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} `));
  if (section === undefined) return undefined;
  const [title = '', ...lines] = section.split('\n');
  const [, date] = /\((\d{4}-\d{2}-\d{2})\)$/.exec(title) ?? [];
  return { date, text: lines.join('\n').trim() };
}
