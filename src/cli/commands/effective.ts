import type { ProtectionRules } from '../../model/rules.ts';
import { onOneLine } from '../../report/escape.ts';
import { plugins } from '../../schema/plugins/index.ts';
import { findEffective } from '../../workflow/effective/find-effective.ts';
import type { Asked } from '../../workflow/effective/select-principals.ts';
import { isTopicName } from '../../workflow/project/topics-file.ts';
import { checkTopicsPath, filesOf } from '../connect/read-flags.ts';
import { FLAGS } from '../connect/settings.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';

type EffectiveArgs = Args<'effective'>;

/** Shows which interceptors run for whom, by files or on a gateway. */
export const run: Run<'effective'> = async ({ operand: paths, args, io, openWorkspace, connect }) => {
  checkFlags(paths, args);
  const { live, compare, topic, why, topics, protection } = args;
  const workspace = await openWorkspace(args);
  checkProtection(protection, workspace.environment?.protection);
  const of = live === true ? 'gateway' : compare === true ? 'both' : 'files';
  const input = of === 'gateway' ? {} : filesOf(paths, args, workspace, io);
  const opened = of === 'files' ? undefined : await connect(args, workspace);
  const uncovered = args.uncovered === true ? { protection } : undefined;
  const options = { of, input, asked: askedBy(args), topic, why, uncovered, topics } as const;
  const { outcome: report, problems } = await findEffective(io, workspace, opened, options);
  const hasChains = ['ok', 'drift', 'no-drift', 'incomplete', 'covered', 'uncovered'].includes(report.result);
  return {
    view: { report, problems, text: hasChains ? undefined : () => [] },
    changes: report.summary.drift ?? report.summary.uncovered,
  };
};

/** Throws a UsageError for flags that do not go together. */
function checkFlags(paths: readonly string[], args: EffectiveArgs): void {
  const { live, compare, file = [], as: username, virtualCluster, group = [], externalGroup } = args;
  if (live === true && compare === true)
    throw new UsageError('--live shows the gateway, --compare both: leave out one of them');
  const [path] = [...file, ...paths];
  if (live === true && path !== undefined)
    throw new UsageError(`--live shows the chains of the gateway and reads no files: leave out ${path}`);
  const flag = FLAGS.find((name) => args[name] !== undefined);
  if (live !== true && compare !== true && flag !== undefined)
    throw new UsageError(
      `the files are read, and nothing is called: add --live or --compare, or leave out ${flagOf(flag)}`,
    );
  if (compare !== true && args.uncovered !== true && args.detailedExitcode === true)
    throw new UsageError('--detailed-exitcode needs --compare or --uncovered');
  checkTopics([...file, ...paths], args);
  for (const name of [username, virtualCluster, externalGroup, ...group])
    if (name?.trim() === '')
      throw new UsageError('--as, --virtual-cluster, --group and --external-group need a name; found none');
}

/** The principal that flags name; undefined: all. */
function askedBy({
  as: username,
  virtualCluster,
  group: groups,
  externalGroup,
}: EffectiveArgs): Asked | undefined {
  const asked = { username, virtualCluster, groups, externalGroup };
  return Object.values(asked).every((one) => one === undefined) ? undefined : asked;
}

function checkTopics(paths: readonly string[], args: EffectiveArgs): void {
  const { topic, uncovered, topics, protection, compare, why } = args;
  const views = { '--topic': topic !== undefined, '--uncovered': uncovered, '--compare': compare };
  const [one, other] = Object.entries(views).flatMap(([flag, isGiven]) => (isGiven === true ? [flag] : []));
  if (one !== undefined && other !== undefined)
    throw new UsageError(`${one} and ${other} are different reports: leave out one of them`);
  if (uncovered === true && why === true)
    throw new UsageError('--why explains chains, and --uncovered shows topics: leave out one of them');
  if (protection !== undefined && uncovered !== true) throw new UsageError('--protection needs --uncovered');
  if (topics !== undefined && uncovered !== true && compare !== true)
    throw new UsageError('--topics needs --uncovered or --compare');
  if (topic !== undefined && !isTopicName(topic))
    throw new UsageError('expected the name of a topic after --topic: letters, digits, dots, - or _');
  checkTopicsPath(paths, topics);
}

/** Throws a UsageError for a sort of protection that neither the catalogue of plugins nor the project has. */
function checkProtection(name: string | undefined, rules: ProtectionRules = {}): void {
  const known = [
    ...new Set([...plugins.flatMap(({ protects = [] }) => protects), ...Object.keys(rules)]),
  ].sort();
  if (name !== undefined && !known.includes(name))
    throw new UsageError(`expected one of ${known.join(', ')} after --protection; found ${onOneLine(name)}`);
}
