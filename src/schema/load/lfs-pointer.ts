import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';

/** What Git LFS leaves of a file that it has not fetched. */
export function isPointer({ text }: Pick<SourceFile, 'text'>): boolean {
  return text.startsWith('version https://git-lfs.github.com/spec/');
}

export function notFetched(file: SourceFile): Problem {
  return makeProblem({
    code: 'unreadable-file',
    message: `${file.path} is a pointer of Git LFS, without the content: what is declared there would count as in no file`,
    at: { file, offset: 0 },
    hint: 'run git lfs pull (lfs: true for actions/checkout); what a base branch has in LFS cannot be compared',
  });
}
