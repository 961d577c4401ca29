import { join, relative } from 'node:path';
import type { Document, SecretVariable, Layout } from '../../declare/declared.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, applyLint, hasErrors, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { ExportReport } from '../../outcome/gateway.ts';
import type { Told } from '../../outcome/outcome.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { type NotOpened, gatewayProblem } from '../live/read-live.ts';
import { type LiveSource, readTemplates } from '../live/live-source.ts';
import type { Wanted, Term } from '../live/wanted.ts';
import type { Workspace } from '../project/workspace.ts';
import { draftFiles, isNameless, type DraftedFiles, type DraftOptions } from './draft-files.ts';
import { findSchema } from './find-schema.ts';
import { isDeeper } from '../../model/json/extent.ts';
import { makeBeside, refuseToOverwrite, writeNewFiles, type NewFolder } from './new-folder.ts';

type ExportOptions = NewFolder & {
  /** Files that tell which fields hold secrets because variables fill them; default: those of the project. */
  readonly paths?: readonly string[];
  readonly layout?: Layout | undefined;
  readonly userMappings?: boolean | undefined;
  readonly tell?: (doing: string) => void;
};

export type Exported = {
  /** With an error, nothing was written; so it is without documents. */
  readonly result: 'ok' | 'incomplete' | 'error';
  readonly documents: readonly Document[];
  readonly variables: readonly SecretVariable[];
  /** The files that were written, by path. */
  readonly written: readonly string[];
  /** How many of them declare objects. */
  readonly files: number;
  /** Kinds that the gateway does not serve, with its message. */
  readonly unavailable: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
};

/**
 * Writes files that declare what is live, once a plan of them against it is empty; else nothing. Throws a RequestError, before
 * anything is read, if something is in the way of the files.
 */
export async function exportLive(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  wanted: Wanted,
  options: ExportOptions,
): Promise<Exported> {
  const secrets = await refuseToOverwrite(host, options, 'export');
  const nothing = {
    documents: [],
    variables: [],
    written: [],
    files: 0,
    unavailable: new Map<string, string>(),
  };
  // gwconf.yaml may name the folder that is about to be made.
  const isToBeMade = (path: string): boolean => /^(?!\.\.(?:$|[\\/]))/.test(relative(options.out, path));
  const { value: desired, problems: faults } = await readTemplates(
    host,
    workspace,
    options.paths ?? [],
    isToBeMade,
  );
  if (hasErrors(faults)) return { ...nothing, result: 'error', problems: [...faults, UNKNOWN_SECRETS] };
  const { out, layout, userMappings, secretNames, tell } = options;
  const schema = findSchema(host, workspace.catalog, out);
  const readAndDraft = async (): Promise<Writable> => {
    tell?.('reading');
    const { live, sealed } = await readState(source);
    return draftWritable(live, workspace, {
      url: source.url,
      schemaFor: schema.schemaFor,
      layout,
      userMappings,
      secretNames,
      secrets,
      desired,
      isSelected: (address) => wanted.match(address).isWanted,
      isSealed: sealed === undefined ? undefined : (text) => sealed.has(text),
      tell,
    });
  };
  let writable: Writable;
  try {
    writable = await readAndDraft();
    if (writable.drafted.problems.some(isDangling)) writable = await readAndDraft();
  } catch (error) {
    return { ...nothing, result: 'error', problems: [gatewayProblem(error)] };
  }
  const { live, drafted, left } = writable;
  const { documents, variables, files } = drafted;
  const unread = applyLint(workspace.catalog.problems, workspace.project.lint);
  const problems = [
    ...unread,
    ...drafted.problems,
    ...findUnmatched(workspace.catalog, documents, live, wanted),
  ];
  const found = { ...nothing, documents, variables, unavailable: live.unavailable, problems };
  if (hasErrors(problems)) return { ...found, result: 'error' };
  const result = left > 0 ? 'incomplete' : 'ok';
  if (documents.length === 0) return { ...found, result };
  tell?.('writing files');
  const project = makeBeside(workspace.catalog, source.url, documents, live, wanted.globs, options);
  const beside = [...schema.files, ...project];
  const told = await writeNewFiles(host, { out, files, beside, secrets, variables });
  if (hasErrors(told)) return { ...found, result: 'error', problems: [...problems, ...told] };
  const others = [...(secrets === undefined ? [] : [secrets]), ...beside].map(({ path }) => path);
  const written = [...files.map(({ path }) => join(out, path)), ...others];
  return { ...found, result, written, files: files.length, problems: [...problems, ...told] };
}

/** What is live, its files, and how many objects they leave out. */
type Writable = { readonly live: LiveState; readonly drafted: DraftedFiles; readonly left: number };

/** A reference to what is not there: no gateway has one, so the lists are of different moments. */
function isDangling({ code }: Problem): boolean {
  return code === 'dangling-reference';
}

/** The files of all that can be written. What cannot is left out, and a warning says why; but what `isDangling` is an error. */
function draftWritable(live: LiveState, workspace: Workspace, options: DraftOptions): Writable {
  const { isSelected = () => true } = options;
  const left = new Map<Address, Problem>();
  for (const [address, resource] of live.resources)
    if (isDeeper(resource, MOST_LEVELS) && isSelected(address)) left.set(address, tooDeep(address));
  for (;;) {
    const wanted = (address: Address): boolean => isSelected(address) && !left.has(address);
    const drafted = draftFiles(live, workspace, { ...options, isSelected: wanted, leavesOut: true });
    const faults = drafted.problems.filter(({ severity }) => severity === 'error');
    const before = left.size;
    for (const fault of faults)
      if (fault.address !== undefined && !isDangling(fault) && wanted(fault.address))
        left.set(fault.address, fault);
    if (left.size > before) continue;
    const problems = drafted.problems.map((one) => (isNameless(one) ? leftOut(one) : one));
    return {
      live,
      drafted: { ...drafted, problems: [...problems, ...[...left.values()].map(leftOut)] },
      left: left.size + faults.filter(isNameless).length,
    };
  }
}

const OTHER_CLIENT = 'manage it with another client';

function leftOut(problem: Problem): Problem {
  const isBug = problem.code === 'phantom-difference';
  const hint = !isBug && problem.hint?.includes('please report') === true ? OTHER_CLIENT : problem.hint;
  return { ...problem, severity: 'warning', message: `${problem.message}; the files leave it out`, hint };
}

/** Files can be less deep than answers of a gateway. */
const MOST_LEVELS = 190;

function tooDeep(address: Address): Problem {
  return makeProblem({
    code: 'invalid-value',
    message: `${address} is nested deeper than ${MOST_LEVELS} levels`,
    address,
    hint: OTHER_CLIENT,
  });
}

const UNKNOWN_SECRETS: Problem = {
  code: 'cannot-tell',
  severity: 'error',
  message: 'the files have errors, so it is unknown which fields hold secrets of variables',
  hint: 'correct the files, which gwconf validate checks',
};

async function readState({
  read,
  readSealed,
}: LiveSource): Promise<{ readonly live: LiveState; readonly sealed?: ReadonlySet<string> }> {
  return readSealed === undefined ? { live: await read(new Map()) } : readSealed();
}

/** What was asked for and is not exported, with the reason. */
function findUnmatched(
  { kinds }: Catalog,
  documents: readonly Document[],
  { resources, unavailable }: LiveState,
  { terms, match }: Wanted,
): readonly Problem[] {
  const matched = new Set<Term>();
  for (const { address } of documents) for (const term of match(address).by) matched.add(term);
  const builtIn = [...kinds.values()].flatMap(({ name, builtIn: names }) =>
    names.map((one) => `${name}/${one}` as Address),
  );
  return terms
    .filter((term) => !matched.has(term))
    .map((term, at): Problem => {
      const { written, kind, isExact } = term;
      const severity = isExact || matched.size === 0 ? 'error' : 'warning';
      if (kind !== undefined && kind.removal === undefined)
        return {
          code: 'read-only-kind',
          severity,
          message: `${written} is not exported: only the gateway creates a ${kind.name}`,
          hint: `gwconf get ${kind.name} lists them`,
        };
      if (builtIn.some((address) => match(address).by.includes(term)))
        return {
          code: 'reserved-name',
          severity,
          message: `${written} is not exported: it always exists, and no file can declare it`,
          hint: 'leave it out',
        };
      const refused = kind === undefined ? undefined : unavailable.get(kind.name);
      if (kind !== undefined && refused !== undefined)
        return makeProblem({
          code: 'kind-unavailable',
          message: `the gateway does not serve ${kind.name}: ${refused}`,
          hint: 'check the version and security mode of the gateway',
        });
      const near = at < MOST_SUGGESTIONS ? suggest(written, resources.keys()) : undefined;
      return {
        code: 'unmatched-target',
        severity,
        message: `nothing on the gateway matches ${written}`,
        hint: near === undefined ? 'gwconf get -o name lists all addresses' : `did you mean ${near}?`,
      };
    });
}

/** A search for a similar address takes time, and the first few are enough. */
const MOST_SUGGESTIONS = 10;

/** Makes the outcome of an export, or of a failure before there was one. */
export function tellExport(
  exported: Exported | NotOpened,
  gateway: string,
  folder: string,
  others: readonly Problem[] = [],
): Told<ExportReport> {
  const isMade = 'documents' in exported;
  const problems = locateProblems([...others, ...exported.problems]);
  const outcome: ExportReport = {
    format: 'gwconf/export-report@1',
    ...{ result: exported.result, gateway, folder },
    summary: {
      objects: isMade ? exported.documents.length : 0,
      files: isMade ? exported.files : 0,
    },
    written: isMade ? exported.written : [],
    variables: isMade ? exported.variables.map(describeVariable) : [],
    unavailable: isMade ? Array.from(exported.unavailable, ([kind, words]) => ({ kind, words })) : [],
    problems: problems.map(describeProblem),
  };
  return { outcome, problems };
}

function describeVariable({ name, value, at }: SecretVariable): ExportReport['variables'][number] {
  return { name, places: at.map(({ address, path }) => ({ address, path })), known: value !== undefined };
}
