import {
  entriesOf,
  isList,
  isObject,
  printPointer,
  valueOf,
  type Json,
  type JsonObject,
  asMap,
} from '../../model/json/json.ts';
import type { Policy } from '../../model/policy.ts';
import type { DocumentRef, Place, SourceFile } from '../../model/problem.ts';
import type { RuleChange } from '../../model/rules.ts';
import type { Change } from '../../plan/change/change.ts';
import { HIDDEN, hideSecretTexts, isSecretKey } from '../../model/secrets/secrets.ts';
import type { TestCase } from '../../model/test-case.ts';
import { placeOf, type DesiredState } from '../../model/state.ts';
import { ignoresIn, positionOf, type Ignore } from '../../schema/load/locate.ts';
import { placeAt } from '../../schema/yaml/cursor.ts';
import type { Host } from '../host.ts';
import { openBeside } from '../project/open-workspace.ts';
import { isTied, loadPolicies } from '../project/load-policies.ts';
import { hasPolicies, type Workspace } from '../project/workspace.ts';
import { readTests } from '../project/load-tests.ts';
import type { CommitFiles } from './commit-files.ts';
import type { CommitInput } from './load-commit.ts';
import { compareRules, type RuleDifference } from './compare-rules.ts';
import { RULES, usualOf } from './branch-rules.ts';
import { findBelow } from './below-comments.ts';
import { digest } from '../../plan/saved/digest.ts';
import { addTo, getOrAdd, present } from '../../model/collect.ts';
import { oneOfEachFirst } from '../../model/one-of-each.ts';
import { dirname, relative } from 'node:path';
import { pathFrom, PROJECT_FILE } from '../project/find-project.ts';
import { formerName, namesOfGone } from './former-environments.ts';
import { findOtherFiles, findOtherSnapshot, THIS } from './rule-files.ts';
import { cutOff } from '../../model/text/list.ts';

/** A project in one environment, with what decides beside it. */
type Side = { readonly workspace: Workspace } & Pick<CommitInput, 'value' | 'files'>;

/** The rules that a branch has otherwise than its base: whoever may change files could switch them off. */
export async function findRuleChanges(
  host: Host,
  branch: Side & { readonly snapshot: string | undefined },
  base: Side & { readonly commit: CommitFiles },
  changes: readonly Change[],
): Promise<readonly RuleChange[]> {
  const baseHost = await base.commit.asHost();
  const former = findFormer(baseHost, base.workspace, branch.workspace);
  const after = await rulesOf(host, branch.workspace, branch);
  const before = await rulesOf(baseHost, former ?? base.workspace, base, after.comments);
  // A new environment is compared with one for its gateway, without rules. Which certificates it trusts is one.
  const { url, user, password } = asMap(valueOf(valueOf(after.value['environments'], THIS), 'gateway'));
  const environments =
    former === undefined
      ? { [THIS]: { gateway: present({ url, user, password }) } }
      : (before.value['environments'] ?? {});
  const differences = [
    ...compareRules(RULES, { ...before.value, environments }, after.value),
    ...(await findOtherFiles([baseHost, former ?? base.workspace], [host, branch.workspace])),
    ...(await findOtherSnapshot(branch.snapshot, [baseHost, base.workspace], [host, branch.workspace])),
  ];
  // Of policies in a submodule it is not known which ones are new.
  const isKnown = ({ tokens, before: was }: RuleDifference): boolean =>
    base.commit.unread.size === 0 || tokens[0] !== 'policies' || was !== undefined;
  const found = differences.filter(isKnown).map((one): RuleChange => {
    const at = after.placeOf(one);
    return { ...describe(one, before.secret, after.secret), ...(at && { at: positionOf(at) }) };
  });
  const all = [
    ...goneEnvironments(base.workspace, branch.workspace),
    ...(await renamedEnvironment(baseHost, former, branch.workspace)),
    ...found,
    ...unprotected(base.value, branch.value, changes),
  ];
  // What the base had stands first: a branch can add any number of rules.
  const sortOf = ({ rule }: RuleChange): string => /^\w*/.exec(rule)?.[0] ?? '';
  const isNew = ({ before }: RuleChange): boolean => before === undefined;
  return [all.filter((one) => !isNew(one)), all.filter(isNew)].flatMap((some) =>
    oneOfEachFirst(some, sortOf),
  );
}

/** The environment of the base that the branch has, or has renamed. */
function findFormer(host: Host, before: Workspace, after: Workspace): Workspace | undefined {
  const own = after.environment?.name;
  if (before.environment?.name === own) return before;
  const name = own === undefined ? undefined : formerName(own, before.project, after.project);
  return name === undefined ? undefined : openBeside(host, before, name);
}

/** The environments that the branch drops, with all of their rules: by what they said. */
function goneEnvironments(
  { project: before }: Workspace,
  { project: after }: Workspace,
): readonly RuleChange[] {
  return namesOfGone(before, after).map((name) => {
    const written = valueOf(valueOf(before.written?.value, 'environments'), name);
    const keys = isObject(written) ? Object.keys(written).join(', ') : '';
    return { rule: cutOff(`environments.${name}`, LONGEST), before: cutOff(keys, LONGEST), loosens: true };
  });
}

/** Another name of the environment: policies and waves may be for the former one. */
async function renamedEnvironment(
  baseHost: Host,
  former: Workspace | undefined,
  { environment }: Workspace,
): Promise<readonly RuleChange[]> {
  const [before, after] = [former?.environment?.name, environment?.name];
  if (former === undefined || before === undefined || after === undefined || before === after) return [];
  const { waves } = former.project;
  const isNamed = waves.length > 0 || (await loadPolicies(baseHost, former)).value.some(isTied);
  return isNamed ? [{ rule: 'name of the environment', before, after, loosens: true }] : [];
}

/** Documents that protect their own object on one side only. Of those that are gone, those whose object is deleted; others are told of as such. */
function unprotected(
  before: DesiredState,
  after: DesiredState,
  changes: readonly Change[],
): readonly RuleChange[] {
  const deleted = changes.flatMap((change): readonly RuleChange[] => {
    const { address } = change;
    if (change.action !== 'delete' || after.has(address) || before.get(address)?.protect !== true) return [];
    const { movedTo } = change;
    const isKept = movedTo !== undefined && !before.has(movedTo) && after.get(movedTo)?.protect === true;
    return isKept ? [] : [{ rule: `protect of ${address}`, before: 'true', loosens: true }];
  });
  const kept = [...after].flatMap(([address, declared]): readonly RuleChange[] => {
    const known = before.get(address);
    if (known === undefined || known.protect === declared.protect) return [];
    const at = positionOf(placeOf(declared, '/protect', 'key'));
    const about = { rule: `protect of ${address}`, at };
    return [
      known.protect === true
        ? { ...about, before: 'true', loosens: true }
        : { ...about, after: 'true', loosens: false },
    ];
  });
  return [...kept, ...deleted];
}

type ProjectRules = {
  readonly value: JsonObject;
  readonly placeOf: (difference: RuleDifference) => Place | undefined;
  /** The settings of the connection that must not be shown. */
  readonly secret: readonly string[];
  /** What the comments are above, by what makes them the same ones. */
  readonly comments: ReadonlyMap<string, string[]>;
};

/** All rules of a project as one value: what it says, with its connection filled in, its policies and its tests. */
async function rulesOf(
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
  for (const { file, document } of value)
    for (const one of document.cases) {
      const name = [document.environment?.text, one.name].filter((part) => part !== undefined).join(': ');
      let unique = name;
      for (let number = 2; cases.has(unique); number += 1) unique = `${name} (${number})`;
      const files = document.files?.map(({ text }) => pathFrom(dirname(file.path), text));
      const sha256 = files && (await digestOutside(host, workspace, files));
      cases.set(unique, { ...(sha256 === undefined ? {} : { sha256 }), ...caseOf(one, files) });
      places.set(`tests ${unique}`, one.at);
    }
  return { cases: Object.fromEntries(cases), places };
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

/** What the rules of some keys are called; others by their keys. */
const SORTS: Readonly<Record<string, string>> = {
  policies: 'policy',
  tests: 'test',
  comments: 'comment gwconf-ignore',
};

function nameOf([root = '', ...keys]: readonly string[]): string {
  const sort = SORTS[root];
  return sort === undefined ? [root, ...keys].join('.') : `${sort} ${keys.join('.')}`;
}

/** A longer text is cut off. */
const LONGEST = 300;

function describe(
  { tokens, before, after, loosens }: RuleDifference,
  ...secret: readonly [before: readonly string[], after: readonly string[]]
): RuleChange {
  const [root = '', , ...rest] = tokens;
  const own = root === 'environments' ? rest : tokens;
  const show = (value: Json | undefined, hidden: readonly string[]): string | undefined => {
    const isHidden = own[0] === 'gateway' && hidden.includes(own[1] ?? '');
    if (value === undefined) return usualOf(tokens);
    return isHidden ? HIDDEN : hideSecretTexts(inFlow(value).replace(/:\/\/[^\s/?#@]*@/g, `://${HIDDEN}@`));
  };
  const [was, is] = cutBoth(show(before, secret[0]), show(after, secret[1]));
  return {
    rule: cutOff(nameOf(own), LONGEST),
    ...present({ before: was, after: is }),
    loosens,
  };
}

/** Two long texts that begin alike are shown from shortly before they differ. */
function cutBoth(
  was: string | undefined,
  is: string | undefined,
): readonly [string | undefined, string | undefined] {
  let same = 0;
  while (was !== undefined && is !== undefined && same < was.length && was[same] === is[same]) same += 1;
  const from = same < LONGEST / 2 ? 0 : same - LONGEST / 4;
  const cut = (text: string): string => cutOff(from === 0 ? text : `…${text.slice(from)}`, LONGEST);
  return [was && cut(was), is && cut(is)];
}

/** A value on one line; the values of keys that secrets have are hidden. */
function inFlow(value: Json): string {
  if (isList(value)) return `[${value.map(inFlow).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const fields = entriesOf(value).map(
    ([key, one]) => `${key}: ${isSecretKey(key) && one !== true ? HIDDEN : inFlow(one)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
