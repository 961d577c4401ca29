import { isList, parsePointer, printPointer, type JsonObject, type Pointer } from '../../model/json/json.ts';
import type { Acceptance } from '../../model/acceptance.ts';
import type { Checked, Place, Problem, SourceFile } from '../../model/problem.ts';
import { violationsOf } from '../validate.ts';
import { describe, word } from '../wording.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';

const text = { type: 'string', minLength: 1 };

/** The JSON Schema of accepted-drift.yaml. */
const acceptedSchema: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['address', 'reason', 'owner', 'expires'],
    properties: {
      address: { ...text, description: 'An address; * is any text.' },
      path: {
        type: 'string',
        pattern: '^/',
        description: 'A field by its JSON Pointer, and all below it. Left out: the whole object.',
      },
      reason: text,
      owner: text,
      expires: {
        type: 'string',
        pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
        description: 'The last day, as YYYY-MM-DD.',
      },
    },
  },
};

/** Reads accepted drift; a file with mistakes accepts nothing. */
export function parseAccepted(file: SourceFile): Checked<readonly Acceptance[]> {
  const [document, second] = parseYaml(file, () => undefined);
  if (document === undefined) return { value: [], problems: [] };
  const mistakes = [...document.problems, ...violations(document), ...another(second)];
  if (mistakes.length > 0 || !isList(document.value)) return { value: [], problems: mistakes };
  const entries = document.value as unknown as readonly Omit<Acceptance, 'at'>[]; // just held to its schema
  return {
    value: entries.map((entry, at) => ({ ...entry, at: placeIn(document, `/${at}`, 'value') })),
    problems: [],
  };
}

function violations(document: ParsedDocument): readonly Problem[] {
  if (document.problems.length > 0) return []; // they say why
  if (!isList(document.value)) {
    return [
      {
        code: 'invalid-value',
        severity: 'error',
        message: `expected a list of accepted drift; found ${describe(document.value)}`,
        at: placeIn(document, '', 'value'),
        hint: 'write - { address, path, reason, owner, expires } for each',
      },
    ];
  }
  return violationsOf(acceptedSchema, document.value).flatMap((violation) => {
    const [entry = '0', ...inside] = parsePointer(violation.path);
    const about = `entry ${Number(entry) + 1}`;
    const worded = word({ ...violation, path: printPointer(inside) }, about, describe(violation.found));
    if (worded === undefined) return [];
    const { on, path: field, ...words } = worded;
    const path: Pointer = `/${entry}${field}`;
    return [{ severity: 'error' as const, ...words, path, at: placeIn(document, path, on) }];
  });
}

function another(second: ParsedDocument | undefined): readonly Problem[] {
  if (second === undefined) return [];
  return [
    {
      code: 'invalid-value',
      severity: 'error',
      message: 'accepted drift is one document; found another',
      at: placeIn(second, '', 'value'),
      hint: 'write one list',
    },
  ];
}

function placeIn({ ref }: ParsedDocument, path: Pointer, on: 'key' | 'value'): Place {
  return { document: ref, path, on };
}
