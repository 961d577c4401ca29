import { entriesOf, isList, isObject, valueOf, type Json, asMap } from '../../model/json/json.ts';
import type { RuleChange } from '../../model/rules.ts';
import type { Change } from '../../plan/change/change.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { hideSecretTexts, isSecretKey } from '../../model/secrets/secret-texts.ts';
import { placeOf, type DesiredState } from '../../model/state.ts';
import { positionOf } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { openBeside } from '../project/open-workspace.ts';
import { isTied, loadPolicies } from '../project/load-policies.ts';
import { type Workspace } from '../project/workspace.ts';
import type { CommitFiles } from './commit-files.ts';
import { compareRules, type RuleDifference } from './compare-rules.ts';
import { RULES, usualOf } from './branch-rules.ts';
import { present } from '../../model/collect.ts';
import { oneOfEachFirst } from '../../model/one-of-each.ts';
import { formerNames, listRenamed, namesOfGone } from './former-environments.ts';
import { rulesOf, type Side } from './read-rules.ts';
import { findOtherFiles, findOtherSnapshot, THIS } from './rule-files.ts';
import { cutOff } from '../../model/text/list.ts';

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
    ...(await renamedEnvironments(baseHost, former, base.workspace, branch.workspace)),
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
  const name = own === undefined ? undefined : formerNames(before.project, after.project)(own);
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

/** Other names of environments: jobs may choose them by the former ones; policies and waves may be for that of this one. */
async function renamedEnvironments(
  baseHost: Host,
  former: Workspace | undefined,
  { project: before }: Workspace,
  { project: after, environment }: Workspace,
): Promise<readonly RuleChange[]> {
  const own = environment?.name;
  const names = listRenamed(before, after).filter(([, is]) => is !== own);
  const was = former?.environment?.name;
  if (former !== undefined && was !== undefined && own !== undefined && was !== own) {
    const { waves } = former.project;
    if (waves.length > 0 || (await loadPolicies(baseHost, former)).value.some(isTied))
      names.unshift([was, own]);
  }
  return names.map(([was, is]) => ({
    rule: 'name of the environment',
    before: cutOff(was, LONGEST),
    after: cutOff(is, LONGEST),
    loosens: true,
  }));
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
