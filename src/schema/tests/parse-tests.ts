import { present } from '../../model/collect.ts';
import { isObject, joinPointer, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import {
  makeProblem,
  hasErrors,
  type Checked,
  type Place,
  type Problem,
  type SourceFile,
} from '../../model/problem.ts';
import type {
  PrincipalPattern,
  Expectations,
  LocatedText,
  TestCase,
  TestDocument,
} from '../../model/test-case.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { readAddress } from '../load/address.ts';
import { checkShape } from '../own-file.ts';
import { globProblem } from '../project/project-rules.ts';
import { describeTypeOf } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import type { Fault } from '../yaml/interpolate.ts';
import { isOurs } from '../yaml/ours.ts';
import { parseYaml } from '../yaml/parse.ts';
import { testSchema } from './test-schema.ts';

/** Reads a test file: the documents without a mistake, and all mistakes. */
export function parseTests(file: SourceFile, kinds: KindSet): Checked<readonly TestDocument[]> {
  const documents = parseYaml(file, { keep: refuse });
  const read = documents.map((document) => readDocument(document, kinds));
  const empty = documents.length === 0 ? [noTests(file)] : [];
  return {
    value: read.flatMap(({ value }) => (value === undefined ? [] : [value])),
    problems: [...empty, ...read.flatMap(({ problems }) => problems)],
  };
}

function noTests(file: SourceFile): Problem {
  const message = `${file.path} has no tests`;
  return makeProblem({
    code: 'no-resources',
    message,
    hint: 'write one, starting with gwconf template Test; or remove the file',
  });
}

function refuse(): Fault {
  return {
    code: 'bad-placeholder',
    message: 'a test cannot have ${…}',
    hint: 'write the value out; or write $${…} for the text ${…}',
  };
}

type RawCase = {
  readonly name?: string;
  readonly as: '*' | Omit<PrincipalPattern, 'at'>;
  readonly topic?: string;
  readonly after?: 'plan';
  readonly expect: RawExpectations;
};
type RawExpectations = {
  readonly [Field in 'chain' | 'includes' | 'excludes' | 'protectedBy']?: readonly string[];
} & { readonly noLastingLoss?: true };
type RawDocument = {
  readonly environment?: string;
  readonly files?: readonly string[];
  readonly cases: readonly RawCase[];
};

function readDocument(document: ParsedDocument, kinds: KindSet): Checked<TestDocument | undefined> {
  const { value, ref } = document;
  const told = document.problems.filter(({ code }) => code !== 'bad-placeholder' || isOurs(ref.file));
  if (!isObject(value) || value['kind'] !== 'Test') {
    const problems = told.length > 0 ? told : [notATest(document)];
    return { value: undefined, problems };
  }
  const problems = [...told, ...checkShape(document, testSchema, 'the test')];
  if (hasErrors(problems)) return { value: undefined, problems };
  const raw = value as unknown as RawDocument; // just held to its schema
  const reader = { placeAt: (path: Pointer): Place => placeIn(document, path), kinds };
  const mistakes = raw.cases.flatMap((one, at) => findMistakes(one, `/cases/${at}`, reader));
  return hasErrors(mistakes)
    ? { value: undefined, problems: mistakes }
    : { value: toDocument(raw, reader), problems: mistakes };
}

function notATest(document: ParsedDocument): Problem {
  const { value } = document;
  const found = isObject(value) ? 'another kind of document' : describeTypeOf(value);
  const path: Pointer = isObject(value) && value['kind'] !== undefined ? '/kind' : '';
  return makeProblem({
    code: 'invalid-value',
    message: `expected kind Test in a file named *${TEST_FILE_ENDING}; found ${found}`,
    at: placeIn(document, path),
    path,
    hint: 'write apiVersion: gwconf/v1, kind: Test and cases; move resources to other files',
  });
}

type Reader = { readonly placeAt: (path: Pointer) => Place; readonly kinds: KindSet };

function toDocument({ environment, files, cases }: RawDocument, reader: Reader): TestDocument {
  const at = reader.placeAt('/environment');
  return {
    ...present({
      environment: environment === undefined ? undefined : { text: environment, at },
      files: files && locateTexts(files, '/files', reader),
    }),
    cases: cases.map((one, at) => toCase(one, `/cases/${at}`, reader)),
  };
}

function toCase({ name, as, topic, after, expect }: RawCase, path: Pointer, reader: Reader): TestCase {
  const pattern = as === '*' ? { username: '*', virtualCluster: '*' } : as;
  return {
    name: name ?? nameOf(pattern, topic),
    at: reader.placeAt(path),
    as: { ...pattern, at: reader.placeAt(joinPointer(path, 'as')) },
    ...(topic === undefined ? {} : { topic }),
    isAfterPlan: after !== undefined,
    expect: toExpectations(expect, joinPointer(path, 'expect'), reader),
  };
}

function nameOf(
  { username, virtualCluster, groups = [] }: Omit<PrincipalPattern, 'at'>,
  topic?: string,
): string {
  return [
    username === '*' ? 'all clients' : (username ?? 'all other clients'),
    ...(virtualCluster === undefined || virtualCluster === '*' ? [] : [`in ${virtualCluster}`]),
    ...(groups.length === 0 ? [] : [`with ${groups.join(', ')}`]),
    ...(topic === undefined ? [] : [`on ${topic}`]),
  ].join(' ');
}

function toExpectations(raw: RawExpectations, path: Pointer, reader: Reader): Expectations {
  const placeOf = (field: keyof RawExpectations): Place => reader.placeAt(joinPointer(path, field));
  const list = (field: 'chain' | 'includes' | 'excludes' | 'protectedBy') =>
    raw[field] && locateTexts(raw[field], joinPointer(path, field), reader);
  const links = list('chain');
  return present({
    chain: links && { at: placeOf('chain'), links },
    includes: list('includes'),
    excludes: list('excludes'),
    protectedBy: list('protectedBy'),
    noLastingLoss: raw.noLastingLoss && placeOf('noLastingLoss'),
  });
}

function locateTexts(texts: readonly string[], path: Pointer, { placeAt }: Reader): readonly LocatedText[] {
  return texts.map((text, at) => ({ text, at: placeAt(joinPointer(path, at)) }));
}

function expectsNothing(field: string): Pick<Problem, 'code' | 'message' | 'hint'> {
  const hint = 'add an item, or remove the field; chain: [] says that no interceptor runs';
  return { code: 'invalid-value', message: `an empty list of ${field} expects nothing`, hint };
}

/** Faults that the schema cannot express. */
function findMistakes(
  { after, expect }: RawCase,
  path: Pointer,
  { placeAt, kinds }: Reader,
): readonly Problem[] {
  const expectPath = joinPointer(path, 'expect');
  const problem = (at: Pointer, about: Pick<Problem, 'code' | 'message' | 'hint'>): Problem => ({
    severity: 'error',
    at: placeAt(at),
    path: at,
    ...about,
  });
  const { chain = [], includes = [], excludes = [], protectedBy, noLastingLoss } = expect;
  return [
    ...(Object.keys(expect).length === 0 ? [problem(expectPath, EXPECTS_NOTHING)] : []),
    // An empty chain says that nothing runs; of the other lists each member is an expectation.
    ...Object.entries({ includes: expect.includes, excludes: expect.excludes, protectedBy }).flatMap(
      ([field, texts]) =>
        texts?.length === 0 ? [problem(joinPointer(expectPath, field), expectsNothing(field))] : [],
    ),
    ...(noLastingLoss !== undefined && after === undefined
      ? [problem(joinPointer(expectPath, 'noLastingLoss'), NEEDS_PLAN)]
      : []),
    ...chain.flatMap((text, at) => {
      const read = readAddress(text, kinds);
      return 'fault' in read ? [problem(joinPointer(joinPointer(expectPath, 'chain'), at), read.fault)] : [];
    }),
    ...Object.entries({ includes, excludes }).flatMap(([field, texts]) =>
      texts.flatMap((text, at) => {
        const place = joinPointer(joinPointer(expectPath, field), at);
        return addressProblems(text, { at: placeAt(place), path: place }, kinds);
      }),
    ),
  ];
}

/** Of a text with a slash, which is an address or a glob over addresses. */
function addressProblems(
  text: string,
  where: Pick<Problem, 'at' | 'path'>,
  kinds: KindSet,
): readonly Problem[] {
  if (!text.includes('/')) return [];
  if (text.includes('*')) return globProblem(text, kinds, where);
  const read = readAddress(text, kinds);
  return 'fault' in read ? [{ severity: 'error', ...where, ...read.fault }] : [];
}

const NO_EXPECTATION = 'add chain, includes, excludes or protectedBy';
const EXPECTS_NOTHING: Pick<Problem, 'code' | 'message' | 'hint'> = {
  code: 'missing-field',
  message: 'the case expects nothing',
  hint: NO_EXPECTATION,
};

const NEEDS_PLAN: Pick<Problem, 'code' | 'message' | 'hint'> = {
  code: 'conflicting-fields',
  message: 'noLastingLoss is about a plan, and the case is not',
  hint: 'add after: plan to the case',
};
