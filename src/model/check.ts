import { joinPointer, type Json, type Pointer } from './json/json.ts';

/** Tells whether a value has a shape, and what is wrong; made of the shape by ajv. */
export type Check = {
  (value: Json): boolean;
  errors?:
    | readonly { readonly instancePath: string; readonly params: Readonly<Record<string, unknown>> }[]
    | null;
};

/** The place of the first fault of a value that must have a shape; a field that is missing is a fault, too. */
export function findFault(check: Check, value: Json): Pointer | undefined {
  if (check(value)) return undefined;
  const { instancePath, params } = check.errors?.[0] ?? { instancePath: '', params: {} };
  const { missingProperty, additionalProperty, tag } = params;
  const field = missingProperty ?? additionalProperty ?? tag;
  const place = instancePath as Pointer; // ajv writes pointers
  return typeof field === 'string' ? joinPointer(place, field) : place;
}
