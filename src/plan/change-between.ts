import { sameJson, valueAt } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { comparable, normalForm, requestBody } from '../model/normal-form.ts';
import type { Resource } from '../model/resource.ts';
import { diffFields } from './diff.ts';
import type { Change } from './plan.ts';
import type { Unordered } from './unordered.ts';

/** The change that makes one value of an object another; undefined when both mean the same. */
export function changeBetween(
  before: Resource,
  wanted: Resource,
  kind: Kind,
  about: Pick<Change, 'address' | 'at' | 'templates'>,
): Unordered | undefined {
  const was = normalForm(kind, before);
  const is = normalForm(kind, wanted);
  if (sameJson(was, is)) return undefined;
  const fields = diffFields(comparable(kind, before), comparable(kind, wanted), kind.sets(wanted));
  if (fields.length === 0) throw new Error(`${about.address} differs, but in no field`);
  // What is not there, before or after, is not changed into something else.
  const because = kind.immutable.filter((path) => {
    const [value, other] = [valueAt(was, path), valueAt(is, path)];
    return value !== undefined && other !== undefined && !sameJson(value, other);
  });
  return because.length === 0
    ? { action: 'update', ...about, before, after: requestBody(kind, wanted, before), fields }
    : { action: 'replace', ...about, before, after: requestBody(kind, wanted), fields, because };
}
