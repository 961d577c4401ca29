import type { JsonObject } from '../model/json/json.ts';
import type { Problem } from '../model/problem.ts';
import { violationsOf, type Violation } from './validate.ts';
import { describe, describeViolation } from './wording.ts';
import { placeIn, type ParsedDocument } from './yaml/document.ts';

/** How a document of gwconf that declares no resources violates its schema; `about` is what messages call it. */
export function checkShape(
  document: ParsedDocument,
  schema: JsonObject,
  about: string,
  isHidden: (violation: Violation) => boolean = () => false,
): readonly Problem[] {
  const misplaced = new Set(document.problems.map(({ path }) => path));
  return violationsOf(schema, document.value).flatMap((violation): readonly Problem[] => {
    if (misplaced.has(violation.path)) return [];
    const worded = describeViolation(
      violation,
      about,
      isHidden(violation) ? 'something else' : describe(violation.found),
    );
    if (worded === undefined) return [];
    const { on, ...problem } = worded;
    return [{ severity: 'error', at: placeIn(document, problem.path, on), ...problem }];
  });
}
