import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { NO_VARIABLES } from '../yaml/interpolate.ts';
import { parseYaml } from '../yaml/parse.ts';

const READ_BY_NAME = {
  Policy: { code: 'invalid-policy', ending: POLICY_FILE_ENDING, field: undefined },
  // Tests are looked for in the whole project, where other tools have tests, too.
  Test: { code: 'invalid-value', ending: TEST_FILE_ENDING, field: 'cases' },
} as const;

/** Policies or tests of a file whose name is not one of theirs: nothing would read them. */
export function misnamedIn(file: SourceFile, kind: keyof typeof READ_BY_NAME): readonly Problem[] {
  if (!file.text.includes(kind)) return [];
  const { code, ending, field } = READ_BY_NAME[kind];
  return parseYaml(file, NO_VARIABLES).flatMap(({ ref, value }): readonly Problem[] =>
    valueOf(value, 'kind') !== kind || !isOfGwconf(value, field)
      ? []
      : [
          {
            code,
            severity: 'error',
            message: `the ${kind.toLowerCase()} in ${file.path} is without effect: the name of its file does not end in ${ending}`,
            at: { document: ref, path: '/kind', on: 'value' },
            hint: `name the file NAME${ending}`,
          },
        ],
  );
}

/** The apiVersion of other tools is that of a domain; without one, `field` tells. */
function isOfGwconf(value: Json, field: string | undefined): boolean {
  const version = valueOf(value, 'apiVersion');
  if (typeof version === 'string') return /^gwconf\b/i.test(version);
  return field === undefined || (isObject(value) && field in value);
}
