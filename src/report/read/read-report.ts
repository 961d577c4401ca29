import { findFault } from '../../model/check.ts';
import { excess, hasDuplicateKeys } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import { isObject, valueOf } from '../../model/json/json.ts';
import { makeProblem, type Checked } from '../../model/problem.ts';
import { checks } from '../../outcome/checks.ts';
import type { Report } from '../../outcome/outcome.ts';

export type ReadableReport = Extract<Report, { readonly format: keyof typeof checks }>;

const MAKE_ONE =
  'use a saved plan (gwconf plan --out FILE), or a report of plan, apply, drift or validate (-o json=FILE)';

/** Reads a JSON report. It may come from another job, so all that is used of it is checked. */
export function readReport(text: string, name: string): Checked<ReadableReport | undefined> {
  const refuse = (message: string, hint = MAKE_ONE): Checked<undefined> => ({
    value: undefined,
    problems: [makeProblem({ code: 'unreadable-file', message: `${name} ${message}`, hint })],
  });
  const much = excess(text);
  if (much !== undefined) return refuse(much);
  const value = readJson(text);
  if (value === undefined) return refuse('is not a report: it is not JSON');
  if (hasDuplicateKeys(text, value)) return refuse('has a map with two equal keys');
  const format = isObject(value) ? valueOf(value, 'format') : undefined;
  if (typeof format !== 'string' || !format.startsWith('gwconf/'))
    return refuse('is neither a saved plan nor a report of gwconf');
  if (!isReadable(format))
    return refuse(`has the format ${format.slice(0, 100)}, which is not one of a report`);
  const place = findFault(checks[format](), value);
  if (place === undefined) return { value: value as unknown as ReadableReport, problems: [] }; // its shape is checked
  return refuse(
    `has not the shape of its format: ${place.slice(0, 200)}`,
    'make it again with the version of gwconf that reads it',
  );
}

function isReadable(format: string): format is keyof typeof checks {
  return Object.hasOwn(checks, format);
}

/** Whether a text is a saved plan, by its format. */
export function isSavedPlan(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"gwconf\/plan@/.test(text.slice(0, 1000));
}
