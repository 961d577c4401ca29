import type { Problem } from '../../model/problem.ts';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';

type OtherKind = { readonly kind: string; readonly ending: string; readonly use: string };

/** Kinds of documents that declare no resources: how the names of their files end, and how gwconf finds them. */
const OTHER_KINDS: readonly OtherKind[] = [
  { kind: 'Test', ending: TEST_FILE_ENDING, use: 'leave out its path: gwconf test finds it' },
  { kind: 'Policy', ending: POLICY_FILE_ENDING, use: 'list it in policies.files of gwconf.yaml' },
];

/** Whether a file of this name has documents of such a kind. */
export function isOtherFile(path: string): boolean {
  return OTHER_KINDS.some(({ ending }) => path.endsWith(ending));
}

/** The problem of such a document among resources. */
export function notAResource(name: string): Pick<Problem, 'code' | 'message' | 'hint'> | undefined {
  const other = OTHER_KINDS.find(({ kind }) => kind === name);
  if (other === undefined) return undefined;
  return {
    code: 'unknown-kind',
    message: `a ${name} is not a resource`,
    hint: `move it to a file named NAME${other.ending}, and ${other.use}`,
  };
}
