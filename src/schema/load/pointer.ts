import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';

/** What stands in a checkout in place of a file that was not fetched, and how it is fetched. */
type Pointer = { readonly what: string; readonly pattern: RegExp; readonly cure: string };

const POINTERS: readonly Pointer[] = [
  {
    what: 'a pointer of Git LFS, without the content',
    pattern: /^version https:\/\/git-lfs\.github\.com\/spec\//,
    cure: 'run git lfs pull (lfs: true for actions/checkout); what a base branch has in LFS cannot be compared',
  },
  {
    what: 'a pointer of git-annex, without the content',
    pattern: /^\/annex\/objects\//,
    cure: 'run git annex get',
  },
];

/** A value may be a path, a file of resources is none. */
const LINK: Pointer = {
  what: 'a link that was checked out as a text',
  pattern: /^[\w./-]{1,1000}\.(?:ya?ml|json)\n?$/i,
  cure: 'set core.symlinks of git to true, and check it out again',
};

/** What a value is in place of the content of its file; undefined for all others. */
export function pointerIn(text: string): string | undefined {
  return POINTERS.find(({ pattern }) => pattern.test(text))?.what;
}

/** The problem of a file of resources that was not fetched; undefined for all others. */
export function notFetched(file: SourceFile): Problem | undefined {
  const found = [...POINTERS, LINK].find(({ pattern }) => pattern.test(file.text));
  if (found === undefined) return undefined;
  return makeProblem({
    code: 'unreadable-file',
    message: `${file.path} is ${found.what}: what is declared there would count as in no file`,
    at: { file, offset: 0 },
    hint: found.cure,
  });
}

/** Whether a file is encrypted as a whole: of what it declares nothing is known. */
export function isEncrypted(text: string): boolean {
  return /^(?:\$ANSIBLE_VAULT;|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----)/.test(text);
}
