import { isList, isObject, joinPointer, type Json, type Pointer } from '../../model/json/json.ts';

/** Checks the shape of a value, and returns the place of the first fault. */
export type Shape = (value: Json) => Pointer | undefined;

export const anything: Shape = () => undefined;
export const text = when((value) => typeof value === 'string');
export const flag = when((value) => typeof value === 'boolean');
export const count = when((value) => Number.isSafeInteger(value) && Number(value) >= 0);
export const time = when(
  (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
);
const isPointer = (key: string): boolean => key === '' || key.startsWith('/');
export const pointer = when((value) => typeof value === 'string' && isPointer(value));

/** Any value for which the predicate holds. */
export function when(holds: (value: Json) => boolean): Shape {
  return (value) => (holds(value) ? undefined : '');
}

export function oneOf(...values: readonly Json[]): Shape {
  return when((value) => values.includes(value));
}

export function listOf(item: Shape): Shape {
  return (value) => (isList(value) ? firstFault(value.entries(), () => item) : '');
}

/** A map with these keys, all values of one shape. */
export function mapOf(item: Shape, isKey: (key: string) => boolean = isPointer): Shape {
  return (value) => {
    if (!isObject(value) || !Object.keys(value).every(isKey)) return '';
    return firstFault(Object.entries(value), () => item);
  };
}

type Fields = Readonly<Record<string, Shape>>;

/** A map with all of the first keys, any of the second, and no other. */
export function mapWith(required: Fields, optional: Fields = {}): Shape {
  const shapes = new Map(Object.entries({ ...required, ...optional }));
  const needed = Object.keys(required);
  return (value) => {
    if (!isObject(value) || !needed.every((key) => Object.hasOwn(value, key))) return '';
    return firstFault(Object.entries(value), (key) => shapes.get(String(key)));
  };
}

function firstFault(
  entries: Iterable<readonly [string | number, Json]>,
  shapeOf: (key: string | number) => Shape | undefined,
): Pointer | undefined {
  for (const [key, item] of entries) {
    const shape = shapeOf(key);
    const fault = shape === undefined ? '' : shape(item);
    if (fault !== undefined) return `${joinPointer('', key)}${fault}` as Pointer; // both are pointers
  }
  return undefined;
}
