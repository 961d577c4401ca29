import { dirname, relative } from 'node:path';
import { addTo, getOrAdd, present } from '../../model/collect.ts';
import { isObject, printPointer, valueOf, type Json, type JsonObject, asMap } from '../../model/json/json.ts';
import type { Policy } from '../../model/policy.ts';
import type { DocumentRef, Place, SourceFile } from '../../model/problem.ts';
import type { TestCase } from '../../model/test-case.ts';
import { digest } from '../../plan/saved/digest.ts';
import { ignoresIn, type Ignore } from '../../schema/load/locate.ts';
import { placeAt } from '../../schema/yaml/cursor.ts';
import type { Host } from '../host.ts';
import { pathFrom, PROJECT_FILE } from '../project/find-project.ts';
import { loadPolicies } from '../project/load-policies.ts';
import { readTests } from '../project/load-tests.ts';
import { hasPolicies, type Workspace } from '../project/workspace.ts';
import type { RuleDifference } from './compare-rules.ts';
import { findBelow } from './below-comments.ts';
import type { CommitInput } from './load-commit.ts';
import { THIS } from './rule-files.ts';

/** A project in one environment, with what decides beside it. */
export type Side = { readonly workspace: Workspace } & Pick<CommitInput, 'value' | 'files'>;

type ProjectRules = {
  readonly value: JsonObject;
  readonly placeOf: (difference: RuleDifference) => Place | undefined;
  /** The settings of the connection that must not be shown. */
  readonly secret: readonly string[];
  /** What the comments are above, by what makes them the same ones. */
  readonly comments: ReadonlyMap<string, string[]>;
};

/** All rules of a project as one value: what it says, with its connection filled in, its policies and its tests. */
export async function rulesOf(
  host: Host,
  workspace: Workspace,
  read: Omit<Side, 'workspace'>,
  newer?: ProjectRules['comments'],
): Promise<ProjectRules> {
  const { written } = workspace.project;
  const name = workspace.environment?.name ?? '';
  const environment = valueOf(valueOf(written?.value, 'environments'), name);
  const gateway = Object.entries(workspace.gateway?.settings ?? {});
  const filled = isObject(environment) && {
    ...environment,
    gateway: { ...asMap(environment['gateway']), ...Object.fromEntries(gateway) },
  };
  const policies = hasPolicies(workspace.project) ? (await loadPolicies(host, workspace)).value : [];
  const { cases, places } = await readCases(host, workspace);
  const comments = new Map<string, string[]>();
  const own = new Map<string, string[]>();
  for (const { code, reason, at, above, same } of commentsOf(workspace, read)) {
    const text = `${code}: ${reason}`;
    addTo(own, `${text} ${same}`, above);
    // Above an item that has another number now it is where it was.
    addTo(comments, text, newer?.get(`${text} ${same}`)?.shift() ?? above);
    places.set(`comments ${text}`, at);
  }
  const byName = new Map(policies.map((policy) => [policy.name, policy]));
  return {
    value: {
      ...written?.value,
      environments: filled === false ? {} : { [THIS]: filled },
      policies: Object.fromEntries(policies.map((policy) => [policy.name, textOf(policy)])),
      tests: cases,
      comments: Object.fromEntries(Array.from(comments, ([text, above]) => [text, above.sort()])),
    },
    placeOf: ({ tokens: [root, key = ''], place }) => {
      if (root === 'policies' && byName.has(key)) return byName.get(key)?.placeOf('');
      if (root === 'tests' || root === 'comments') return places.get(`${root} ${key}`);
      return written?.placeOf(
        printPointer(place.map((token, at) => (at === 1 && root === 'environments' ? name : token))),
      );
    },
    secret: ['user', 'password', ...(workspace.gateway?.secret ?? [])],
    comments: own,
  };
}

/** The comments that ignore problems, in the project file and all files of resources, and what each is above. */
function commentsOf(
  { project }: Workspace,
  { value, files }: Omit<Side, 'workspace'>,
): readonly (Ignore & { readonly above: string; readonly same: string })[] {
  const place = project.written?.placeOf('');
  const names = new Map<SourceFile, Map<number, string>>();
  const name = ({ file, index }: DocumentRef, text: string): unknown =>
    getOrAdd(names, file, () => new Map<number, string>()).set(index, text);
  for (const { document, address, overlays = [] } of value.values()) {
    name(document, address);
    for (const one of overlays) name(one.document, `the overlay of ${address}`);
  }
  if (place !== undefined && 'document' in place) name(place.document, PROJECT_FILE);
  return [...new Set([...files, ...names.keys()])].flatMap((file) => {
    const comments = ignoresIn(file);
    const offsets = comments.map(({ at }) => at.offset);
    return findBelow(file.text, offsets).map(({ offset, isApart }, at) => {
      const below = placeAt(file, offset);
      const document = names.get(file)?.get(below?.document ?? -1) ?? `${below?.kind ?? ''} in ${file.path}`;
      const key = isApart ? '' : (below?.path.slice(1) ?? '');
      const above = key === '' ? document : `${key} of ${document}`;
      const { path = '', list } = below ?? {};
      const inItem = path.slice((list?.path.length ?? 0) + 1).replace(/^\d+/, '');
      const same = key === '' || list === undefined ? above : JSON.stringify([document, list, inItem]);
      return { ...(comments[at] as Ignore), above, same }; // one for each
    });
  });
}

/** A policy as JSON, without where it is written. */
function textOf({ placeOf: _, name: __, ...policy }: Policy): Json {
  return JSON.parse(JSON.stringify(policy)) as Json; // JSON.parse makes JSON
}

type Cases = { readonly cases: JsonObject; readonly places: Map<string, Place> };

/** The cases of all tests, by name; what cannot be read is no test. */
async function readCases(host: Host, workspace: Workspace): Promise<Cases> {
  const { value } = await readTests(host, workspace, []);
  const cases = new Map<string, Json>();
  const places = new Map<string, Place>();
  const uniqueOf = makeUnique();
  const digests = new Map<string, Promise<string | undefined>>();
  for (const { file, document } of value) {
    const environment = document.environment?.text;
    const files = document.files?.map(({ text }) => pathFrom(dirname(file.path), text));
    const sha256 =
      files && (await getOrAdd(digests, JSON.stringify(files), () => digestOutside(host, workspace, files)));
    for (const one of document.cases) {
      const unique = uniqueOf([environment, one.name].filter((part) => part !== undefined).join(': '));
      cases.set(unique, { ...present({ environment, sha256 }), ...caseOf(one, files) });
      places.set(`tests ${unique}`, one.at);
    }
  }
  return { cases: Object.fromEntries(cases), places };
}

/** Gives each text once, and what is given again with a number: `t (2)`. */
export function makeUnique(): (text: string) => string {
  /** By what was given, the number that it had last; 1 without one. */
  const numbers = new Map<string, number>();
  return (text) => {
    let unique = text;
    let number = numbers.get(text) ?? 1;
    while (numbers.has(unique)) {
      number += 1;
      unique = `${text} (${number})`;
    }
    numbers.set(unique, 1).set(text, number);
    return unique;
  };
}

/** Of the files of a test that no environment has, whose changes nothing else tells. */
async function digestOutside(
  host: Host,
  { project: { filesByEnvironment, root }, memory }: Workspace,
  files: readonly string[],
): Promise<string | undefined> {
  const declared = [...filesByEnvironment.values()].flat();
  const outside = files.filter((path) => declared.every((one) => relative(one, path).startsWith('..')));
  if (outside.length === 0) return undefined;
  const { value } = await host.readSources(outside, { root, checkSize: memory.checkFiles('tests') });
  return digest(JSON.stringify(value.map(({ path, text }) => [path, text])));
}

/** A case as a file has it, but for its name: where it is written makes no other case of it. */
function caseOf({ name: _, isAfterPlan, expect, ...one }: TestCase, files?: readonly string[]): JsonObject {
  const { chain, noLastingLoss, ...lists } = expect;
  const expected = {
    ...(chain === undefined ? {} : { chain: chain.links }),
    ...lists,
    ...(noLastingLoss === undefined ? {} : { noLastingLoss: true }),
  };
  const written = { ...one, ...(isAfterPlan ? { after: 'plan' } : {}), expect: expected, files };
  return JSON.parse(JSON.stringify(written, withoutPlaces)) as JsonObject; // JSON.parse makes JSON
}

/** For JSON.stringify: a text that has a place becomes the text. */
function withoutPlaces(key: string, value: Json): unknown {
  if (key === 'at') return undefined;
  return isObject(value) && 'at' in value && 'text' in value ? value['text'] : value;
}
