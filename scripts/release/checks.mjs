import { notesOf } from './notes.mjs';
import { textFor, UNPUBLISHED } from './passages.mjs';

/**
 * What must hold before a release, and where it does not, why. `files` are the texts of the repository by their paths; `tag` is that of
 * the workflow or of this commit.
 */
export function checkRelease({ about, lock, facts, files, status, tag, repository, kept }) {
  const { version } = about;
  const chart = files.get('deploy/chart/Chart.yaml') ?? '';
  const notes = notesOf(files.get('CHANGELOG.md') ?? '', version);
  const other = namedVersions(files).filter(([, named]) => named !== version);
  const all = {
    'the checkout has no changes':
      status === ''
        ? undefined
        : status
            .trim()
            .split(/\s*\n\s*/)
            .join(', '),
    [`the tag is release/v${version}`]:
      tag === `release/v${version}` ? undefined : tag === '' ? 'this commit has no tag' : `it is ${tag}`,
    [`package-lock.json has ${version}`]:
      lock.version === version && lock.packages?.['']?.version === version
        ? undefined
        : `it has ${lock.version}`,
    [`the chart has ${version}, as its own version and as that of gwconf`]: ['version', 'appVersion'].every(
      (field) => new RegExp(`^${field}: ${version.replaceAll('.', '\\.')}$`, 'm').test(chart),
    )
      ? undefined
      : 'deploy/chart/Chart.yaml has another one',
    [`documents, examples, templates and manifests name ${version}`]:
      other.length === 0 ? undefined : other.map(([path, named]) => `${path} names ${named}`).join(', '),
    [`CHANGELOG.md has a section of ${version} with a date`]:
      notes?.date !== undefined && notes.text !== ''
        ? undefined
        : notes === undefined
          ? 'it has no such section'
          : 'the section has no date',
    [`test/fixtures/releases/${version} keeps what this release writes`]: kept
      ? undefined
      : `run GWCONF_KEEP=${version} npx vitest run test/releases.test.ts`,
    'package.json says where gwconf is published': facts.isPublished
      ? undefined
      : 'it is private, or has no repository on GitHub',
    'no text says that gwconf is not published': facts.isPublished
      ? tellTexts(files, facts)
      : 'the texts say so, because package.json does',
    'the workflow runs in that repository':
      repository === undefined || repository === facts.repository ? undefined : `it runs in ${repository}`,
  };
  return Object.entries(all).map(([name, problem]) => ({ name, problem }));
}

/** Which texts are not as the facts have them, or say so in words that nobody has listed. */
function tellTexts(files, facts) {
  const found = (isWrong) =>
    [...files].flatMap(([path, text]) => (isWrong(path, text) ? [path] : [])).join(', ');
  const unwritten = found((path, text) => textFor(path, text, facts) !== text);
  if (unwritten !== '') return `run npm run release -- --texts; it changes ${unwritten}`;
  const said = found((path, text) => path !== 'CHANGELOG.md' && text.match(UNPUBLISHED) !== null);
  return said === '' ? undefined : `add what is said to scripts/release/passages.mjs: ${said}`;
}

/** The versions of gwconf that texts name, such as gwconf:0.1.0, gwconf-0.1.0.tgz and the comment of a pinned action. */
export function namedVersions(files) {
  const NAMED = /(?:gwconf[:@-]v?|\bgwconf@\S+ # v|^ *rev: v)(\d+\.\d+\.\d+)/gm;
  return [...files].flatMap(([path, text]) =>
    /^(?:README\.md|CONTRIBUTING\.md|docs\/|deploy\/|examples\/|templates\/)/.test(path)
      ? [...text.matchAll(NAMED)].map(([, named]) => [path, named])
      : [],
  );
}
