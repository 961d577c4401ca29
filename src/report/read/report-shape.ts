import { CAUSES } from '../../plan/change/cause.ts';
import { valueOf, type Json } from '../../model/json/json.ts';
import {
  has,
  isAnything,
  isFlag,
  isListOf,
  isMapOf,
  isName,
  isNumber,
  isOneOf,
  isText,
  maybe,
  type Fits,
} from './shapes.ts';

const texts = isListOf(isText);
const isCause = isOneOf(...CAUSES);
const position = has({ file: isText, line: isNumber, column: isNumber });
const problem = has({
  code: isText,
  severity: isOneOf('error', 'warning', 'info'),
  message: isText,
  file: maybe(isText),
  line: maybe(isNumber),
  column: maybe(isNumber),
  hint: maybe(isText),
});
const problems = isListOf(problem);
const action = isOneOf('create', 'update', 'replace', 'delete');
const undo = has({
  run: isText,
  losses: isListOf(has({ address: isText, leftOut: isFlag, reason: isText })),
});
const scope = {
  gateway: isText,
  environment: maybe(isName),
  selection: maybe(has({ target: texts, exclude: texts, unselected: isNumber })),
  manages: maybe(texts),
};

const fieldChange: Fits = (value) => {
  const op = valueOf(value, 'op');
  const sides = { before: op === 'set' || op === 'remove', after: op === 'set' || op === 'add' };
  return has({
    op: isOneOf('add', 'remove', 'set'),
    cause: maybe(isCause),
    path: isPointer,
    before: sides.before ? isAnything : maybe(isAnything),
    after: sides.after ? isAnything : maybe(isAnything),
  })(value);
};

function isPointer(value: Json | undefined): boolean {
  return typeof value === 'string' && (value === '' || value.startsWith('/'));
}

const affected = {
  virtualCluster: isText,
  username: (value: Json | undefined) => value === null || isText(value),
  groups: texts,
  externalGroup: maybe(isText),
};
const chain = isListOf(
  has({
    address: isText,
    pluginClass: isText,
    priority: (value) => value === '(hidden)' || isNumber(value),
  }),
);
const effect = has({ ...affected, before: chain, after: chain });
const exposure = has({
  ...affected,
  protection: isText,
  lasting: isFlag,
  lost: texts,
  from: isText,
  until: maybe(isText),
  seconds: maybe(isNumber),
  calls: maybe(isNumber),
  accepted: maybe(has({ reason: maybe(isText), until: maybe(isText) })),
});

const change = has({
  action,
  address: isText,
  kind: isText,
  at: maybe(position),
  dependsOn: texts,
  step: maybe(isText),
  reason: maybe(isText),
  because: maybe(texts),
  removal: maybe(isText),
  movedFrom: maybe(isText),
  movedTo: maybe(isText),
  cause: maybe((value) => isCause(value) || value === 'mixed'),
  secrets: maybe(isMapOf(isOneOf('changed', 'same', 'cannot-tell'))),
  fields: isListOf(fieldChange),
});

const outcome = isOneOf('done', 'already', 'failed', 'blocked', 'not-attempted');
const entry = has({
  address: isText,
  action,
  outcome,
  at: maybe(position),
  by: maybe(texts),
  step: maybe(isText),
  removal: maybe(isText),
  problem: maybe(problem),
});

const unprotected = has({
  virtualCluster: isText,
  username: (value) => value === null || isText(value),
  groups: texts,
  externalGroup: maybe(isText),
  protection: isText,
  lost: texts,
  from: isText,
});

const drift = has({
  address: isText,
  drift: isOneOf('missing', 'changed', 'unclaimed', 'remaining'),
  at: maybe(position),
  fields: isListOf(has({ path: isPointer, declared: maybe(isAnything), live: maybe(isAnything) })),
});
const accepted: Fits = (value) =>
  drift(value) && has({ reason: isText, owner: isText, expires: isText })(value);
const unchecked: Fits = (value) =>
  has({ reason: isOneOf('unavailable'), kind: isText, words: isText })(value) ||
  has({ reason: isOneOf('cannot-tell'), address: isText, path: isText })(value);

/** Numbers under these names. */
function counts(...names: readonly string[]): Fits {
  return has(Object.fromEntries(names.map((name) => [name, isNumber])));
}

const actions = ['create', 'update', 'replace', 'delete'];

const base = has({
  ref: isText,
  commit: isText,
  behind: isNumber,
  causes: maybe(has(Object.fromEntries(CAUSES.map((cause) => [cause, counts(...actions)])))),
});

/** What is used of the reports that a comment can be made of, by their format. */
export const REPORT_SHAPES: Readonly<Record<string, Fits>> = {
  'gwconf/plan-report@1': has({
    ...scope,
    result: isOneOf('changes', 'no-changes', 'blocked', 'stale', 'error'),
    snapshot: maybe(has({ ageSeconds: isNumber, cannotTell: isNumber })),
    prune: maybe(texts),
    base: maybe(base),
    undoes: maybe(undo),
    summary: counts(...actions, 'unchanged', 'unmanaged', 'ignored'),
    risks: isListOf(has({ address: isText, message: isText })),
    exposures: maybe(isListOf(exposure)),
    effects: maybe(isListOf(effect)),
    changes: isListOf(change),
    unclaimed: texts,
    problems,
  }),
  'gwconf/apply-report@1': has({
    gateway: isText,
    environment: maybe(isName),
    result: isOneOf(
      ...['applied', 'no-changes', 'partial', 'failed', 'interrupted', 'stale', 'blocked', 'error'],
    ),
    summary: counts(...actions, 'done', 'already', 'failed', 'blocked', 'not-attempted'),
    ledger: isListOf(entry),
    unprotected: maybe(isListOf(unprotected)),
    undo: maybe(undo),
    problems,
  }),
  'gwconf/drift-report@1': has({
    ...scope,
    result: isOneOf('drift', 'no-drift', 'blocked', 'error'),
    summary: counts('missing', 'changed', 'unclaimed', 'remaining', 'asDeclared'),
    drift: isListOf(drift),
    accepted: isListOf(accepted),
    unchecked: isListOf(unchecked),
    problems,
  }),
  'gwconf/validate-report@1': has({
    result: isOneOf('valid', 'error'),
    summary: (value) =>
      counts('resources', 'errors', 'warnings')(value) && maybe(texts)(valueOf(value, 'environments')),
    problems,
  }),
};
