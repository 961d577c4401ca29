import { changeAt, isList, parsePointer, valueOf, type Json, type Pointer } from '../../model/json/json.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import {
  placeOf,
  type Declared,
  type DesiredState,
  type LiveState,
  type Template,
} from '../../model/state.ts';
import { isSealedMark } from '../../model/secrets/hidden.ts';
import { IDENTIFYING } from './diff.ts';

type FieldAt = { readonly address: Address; readonly path: Pointer };

/**
 * Desired state in which fields without a value, because a variable is not set, have the live value, and a problem for
 * each of them, with how its variable gets a value. A resource that the gateway does not have stays as it is written, and so does a
 * field whose variable is certainly new there.
 */
export function adoptUnsetFields(
  desired: DesiredState,
  live: LiveState,
  cureFor: (variable: string) => string,
  isNew: (template: Template, found: Json, at: FieldAt) => boolean = () => false,
): Checked<DesiredState> {
  const incomplete = [...desired.values()].filter((declared) => unsetFields(declared).length > 0);
  if (incomplete.length === 0) return { value: desired, problems: [] };
  const value = new Map<Address, Declared>(desired);
  const problems: Problem[] = [];
  for (const declared of incomplete) {
    const unset = unsetFields(declared);
    const there = live.resources.get(declared.address);
    if (there === undefined) continue;
    let resource: Json = declared.resource;
    for (const path of unset) {
      const found = counterpart(path, declared.resource, there);
      const template = declared.templates?.get(path);
      if (
        found === undefined ||
        (template !== undefined && isNew(template, found, { address: declared.address, path }))
      )
        continue;
      resource = changeAt(resource, parsePointer(path), () => found);
      problems.push(unknownProblem(declared, path, cureFor));
    }
    value.set(declared.address, { ...declared, resource: resource as Declared['resource'] }); // only fields have changed
  }
  return { value, problems };
}

/**
 * Finds where a snapshot has a text and files have a variable that is not public: taken with the same files, it would have a digest
 * there. So the files put the variable there since, and what it holds is another value for all that a reader can tell.
 */
export function sinceSnapshot(
  isPublic: (name: string) => boolean,
): (template: Template, found: Json) => boolean {
  return ({ open = [] }, found) => !open.every(isPublic) && !isSealedMark(found);
}

/**
 * Finds the fields that a base has filled in from something else, or not at all: with what is not known, and so may be another value.
 * Sources by the same name are other ones where their files are.
 */
export function sinceBase(
  base: DesiredState | undefined,
  isOtherSource: (name: string) => boolean,
): (template: Template, at: FieldAt) => boolean {
  const keyOf = ({ text, variables }: Template): string => JSON.stringify([text, variables]);
  return (template, { address, path }) => {
    const declared = base?.get(address);
    if (declared === undefined) return false;
    const former = declared.templates?.get(path);
    const isSame = former !== undefined && keyOf(former) === keyOf(template);
    return !isSame || template.variables.some(isOtherSource);
  };
}

/** A resource with what is written in its fields without a value; undefined if it has none. */
export function asWritten(declared: Declared): Resource | undefined {
  const unset = unsetFields(declared);
  if (unset.length === 0) return undefined;
  return unset.reduce<Json>(
    (resource, path) =>
      changeAt(resource, parsePointer(path), () => declared.templates?.get(path)?.text ?? ''),
    declared.resource,
  ) as Resource; // only fields have changed
}

function unsetFields({ templates }: Declared): readonly Pointer[] {
  return templates === undefined
    ? []
    : [...templates].flatMap(([path, { open }]) => (open === undefined ? [] : [path]));
}

/** What stands at the same place of another value; an item of a list is found by its name, where it has one. */
function counterpart(path: Pointer, here: Json, there: Json): Json | undefined {
  let pair: { readonly here: Json | undefined; readonly there: Json | undefined } = { here, there };
  for (const token of parsePointer(path)) {
    const child = valueOf(pair.here, token);
    pair = { here: child, there: namesake(child, pair.there) ?? valueOf(pair.there, token) };
  }
  return pair.there;
}

function namesake(item: Json | undefined, list: Json | undefined): Json | undefined {
  const key = IDENTIFYING.find((name) => typeof valueOf(item, name) === 'string');
  if (key === undefined || !isList(list)) return undefined;
  return list.find((other) => valueOf(other, key) === valueOf(item, key));
}

function unknownProblem(declared: Declared, path: Pointer, cureFor: (variable: string) => string): Problem {
  const { address, templates } = declared;
  const open = [...new Set(templates?.get(path)?.open)];
  const names = open.map((name) => `\${${name}}`).join(', ');
  return makeProblem({
    code: 'cannot-tell',
    message: `unknown whether ${path} of ${address} is as declared: ${names} has no value here`,
    at: placeOf(declared, path),
    address,
    path,
    hint: `to compare the field, ${[...new Set(open.map(cureFor))].join('; ')}`,
  });
}
