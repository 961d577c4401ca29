import { addAll } from '../../model/collect.ts';
import { digest } from '../../plan/saved/digest.ts';
import type { Host } from '../host.ts';
import { pathFrom } from '../project/find-project.ts';
import { topicsIn } from '../project/topics-file.ts';
import { withoutNewline } from '../project/sources.ts';
import { EXEC, findProgram } from '../project/variables.ts';
import type { Workspace } from '../project/workspace.ts';
import { isSystemError } from '../system-error.ts';
import type { RuleDifference } from './compare-rules.ts';

/** A project in one environment, where its files are read: in the work tree, or in a commit. */
type Side = readonly [host: Host, workspace: Workspace];

/** What the environment of a plan is called in rules, whatever its name. */
export const THIS = 'environment';

type NamedFile = { readonly tokens: readonly string[]; readonly file: string };

/**
 * The files that rules name, whose content decides as well: what of kinds is sent, compared and hidden; by which topics a protection is
 * judged; which certificates are trusted; what fills in a field.
 */
function filesOfRules({ project: { kinds, topics }, environment }: Workspace): readonly NamedFile[] {
  const { gateway: { ca, cert } = {}, exec = {}, topics: own } = environment ?? {};
  const of = (...keys: readonly string[]): readonly string[] => ['environments', THIS, ...keys];
  const settings = [
    { tokens: ['kinds'], text: kinds?.text },
    { tokens: own === undefined ? ['topics'] : of('topics'), text: (own ?? topics)?.text },
    { tokens: of('gateway', 'ca'), text: ca?.text },
    { tokens: of('gateway', 'cert'), text: cert?.text },
  ];
  return [
    ...settings.flatMap(({ tokens, text: file }) => (file === undefined ? [] : [{ tokens, file }])),
    ...Object.entries(exec).flatMap(([name, { command }]) =>
      command.map((file) => ({ tokens: of('exec', name, 'command'), file })),
    ),
  ];
}

/** The files that rules of both sides name, and that have another content. Where a rule names another file, that is a difference itself. */
export async function findOtherFiles(before: Side, after: Side): Promise<readonly RuleDifference[]> {
  const keyOf = (one: NamedFile): string => JSON.stringify([one.tokens, one.file]);
  const named = new Set(filesOfRules(after[1]).map(keyOf));
  const found: RuleDifference[] = [];
  for (const one of filesOfRules(before[1]).filter((own) => named.has(keyOf(own)))) {
    const [was, is] = [await contentOf(before, one.file), await contentOf(after, one.file)];
    // What only the branch has may be a file of the job, and what it does not have is told with the project.
    if (was !== undefined && is !== undefined && !was.equals(is)) addAll(found, describeOther(one, was, is));
  }
  return found;
}

function describeOther(
  { tokens, file }: NamedFile,
  was: Buffer | undefined,
  is: Buffer,
): readonly RuleDifference[] {
  const about = { tokens, place: tokens, loosens: true };
  if (was !== undefined && tokens.at(-1) === 'topics') {
    const topicsOf = (bytes: Buffer): readonly string[] =>
      topicsIn({ path: file, text: bytes.toString() }).value;
    const left = new Set(topicsOf(is));
    const gone = topicsOf(was).filter((name) => !left.has(name));
    // More topics make nothing weaker.
    return gone.length === 0 ? [] : [{ ...about, before: `${gone.join(', ')} in ${file}`, after: undefined }];
  }
  // Whole digests: a file with the same beginning of one can be found.
  const [before, after] = [was, is].map((text) => text && { file, sha256: digest(text) });
  return [{ ...about, before, after }];
}

/** A snapshot that a branch has in git otherwise than its base: it decides what the plan says. One that a job has put there is no matter of the branch. */
export async function findOtherSnapshot(
  file: string | undefined,
  before: Side,
  after: Side,
): Promise<readonly RuleDifference[]> {
  if (file === undefined) return [];
  const [was, is] = [await contentOf(before, file, '.'), await contentOf(after, file, '.')];
  if (is === undefined || was?.equals(is) === true) return [];
  const [host, { project }] = after;
  const isInGit = async (bytes: Buffer): Promise<boolean> =>
    (await host.listPublished(new Map([[file, bytes.toString()]]), project.root)).has(file);
  // A checkout can make another file of what git has, by a filter, a link or a submodule; where git has what the base has, a job did.
  const isOfBranch =
    was === undefined
      ? await isInGit(is)
      : !(await isInGit(was)) && (await host.findForeign(file))?.what === 'in git';
  return isOfBranch ? describeOther({ tokens: ['snapshot'], file }, was, is) : [];
}

/** Whether a placeholder has the same source on both sides: its command, and the files that this or the placeholder names. */
export async function isSameSource(name: string, before: Side, after: Side): Promise<boolean> {
  const isSame = async (file: string, isSecret = true, cut = (text: string) => text): Promise<boolean> => {
    const read = (side: Side): ReturnType<typeof contentOf> =>
      contentOf(side, file, isSecret ? side[1].access.secretRoot : undefined);
    const found = [await read(before), await read(after)];
    const [was, is] = found.map((bytes) => bytes && cut(bytes.toString('latin1')));
    return was === is;
  };
  const [, encrypted, plain] = /^(?:sops:([^#]*)#|file:(.*))/s.exec(name) ?? [];
  if (encrypted !== undefined) return isSame(encrypted);
  if (plain !== undefined) return isSame(plain, true, withoutNewline);
  if (!name.startsWith(EXEC)) return true;
  const [was, is] = [before, after].map(([, { environment }]) => findProgram(name, environment));
  if (JSON.stringify(was) !== JSON.stringify(is)) return false;
  for (const word of was !== undefined && 'command' in was ? was.command : [])
    if (!(await isSame(word, false))) return false;
  return true;
}

/** Undefined for what is no file that the project has. Its bytes, since a program may be no text. */
async function contentOf(
  [host, { project }]: Side,
  file: string,
  folder = project.folder ?? '.',
): Promise<Buffer | undefined> {
  try {
    const path = pathFrom(folder, file);
    return Buffer.from(await host.readBytesWithin([project.root], path, host.maxInputBytes));
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
