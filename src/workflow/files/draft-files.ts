import { declareLive } from '../../declare/declare-live.ts';
import {
  type Declared,
  type SecretName,
  chooseLayout,
  fileOf,
  type Layout,
  isPlaceholder,
  makePlaceholder,
  placeholdersIn,
  withVariables,
} from '../../declare/declared.ts';
import { mapTexts, type JsonObject } from '../../model/json/json.ts';
import { printDocuments } from '../../declare/write-out.ts';
import { proveFiles, RENAME, type Odd, type Proof } from '../../declare/prove.ts';
import { byKey, groupBy, present } from '../../model/collect.ts';
import { listSome } from '../../model/text/list.ts';
import { knownKind } from '../../model/kind.ts';
import { makeProblem, hasErrors, type Problem } from '../../model/problem.ts';
import { asValid, type Address } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { liveSecretPlaces, makeSecretFinder } from '../../plan/change/former-secrets.ts';
import type { FolderFile } from '../host.ts';
import { contextOf } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import { TOOL } from '../tool.ts';
import type { SecretsFile } from '../write-file.ts';

/** Files that declare what is live; with errors among the problems they do not express all of it. */
export type DraftedFiles = Pick<Declared, 'documents' | 'variables'> & {
  readonly files: readonly FolderFile[];
  readonly problems: readonly Problem[];
};

export type DraftOptions = {
  /** The URL that `live` comes from. */
  readonly url: string;
  /** The path of the JSON Schema for a file, for editors. */
  readonly schemaFor: (path: string) => string;
  /** Default: the one that fits. */
  readonly layout?: Layout | undefined;
  readonly isSelected?: ((address: Address) => boolean) | undefined;
  /** What files declare already, which tells what is secret. */
  readonly desired?: DesiredState;
  readonly isSealed?: ((text: string) => boolean) | undefined;
  readonly userMappings?: boolean | undefined;
  readonly secretNames?: readonly SecretName[] | undefined;
  /** The file that will have their values. */
  readonly secrets?: SecretsFile | undefined;
  /** Says in each file where it comes from; default: that it was exported. */
  readonly origin?: string;
  /** Names of variables that stand in `live` as placeholders, and names of secrets that are taken. */
  readonly open?: { readonly names: readonly string[]; readonly taken: ReadonlySet<string> };
  /** What to do when the files cannot be planned; default: to export again. */
  readonly again?: string;
  /** Whether objects whose address would tell a secret can be left out; they are in no file either way. */
  readonly leavesOut?: true;
  /** Told before each part of the work. */
  readonly tell?: ((doing: string) => void) | undefined;
};

/** Makes files of a live state, and proves that a plan of them against that state is empty. */
export function draftFiles(live: LiveState, workspace: Workspace, options: DraftOptions): DraftedFiles {
  const { url, schemaFor, isSelected, isSealed, tell = () => undefined } = options;
  const isSecret = makeSecretFinder(workspace.secrets.values);
  const { names = [], taken = new Set<string>() } = options.open ?? {};
  const declared = declareLive(live, workspace.catalog, {
    isSecret,
    isOpen: isPlaceholder,
    isTaken: (name, value) => {
      const set = workspace.variables.valueOf(name);
      const kept = options.secrets?.values;
      const isOther =
        (set !== undefined && set !== value) || (kept?.has(name) === true && kept.get(name) !== value);
      return names.includes(name) || taken.has(name) || isOther;
    },
    secretNames: options.secretNames,
    ...present({ isSelected, isSealed }),
    hidden: (address, value) => {
      const declared = options.desired?.get(address);
      if (declared === undefined) return [];
      const kind = knownKind(address, workspace.catalog.kinds);
      return [...liveSecretPlaces(asValid(value), kind, declared, undefined)];
    },
    ownKinds: options.userMappings === true,
  });
  const { documents, variables, problems } = names.length === 0 ? declared : fillPlaceholders(declared);
  workspace.secrets.masker.learn(() => variables.flatMap(({ value }) => value ?? []));
  const layout = options.layout ?? chooseLayout(documents.map(({ address }) => address));
  const byFile = groupBy(documents, ({ address }) => fileOf(address, layout, workspace.catalog));
  const { origin = `Exported from ${url} by ${TOOL}`, again = AGAIN } = options;
  tell(`writing ${documents.length} objects`);
  const files = [...byFile].sort(byKey).map(([path, inIt]): FolderFile => {
    const head = [`yaml-language-server: $schema=${schemaFor(path)}`, origin];
    return { path, text: printDocuments(inIt, head, workspace.catalog) };
  });
  const isLeft = (one: Problem): boolean => options.leavesOut === true && isNameless(one);
  if (hasErrors(problems.filter((one) => !isLeft(one)))) return { documents, variables, files, problems };
  tell('checking that the plan is empty');
  const prove = (made: readonly FolderFile[]): Proof =>
    proveFiles(made, live, workspace.catalog, {
      gateway: url,
      context: contextOf(workspace),
      variables: [...variables, ...names.map((name) => ({ name, value: makePlaceholder(name), at: [] }))],
      isSecret,
      expected: documents.map(({ address }) => address),
      acceptsOdd: true,
    });
  const first = prove(files);
  const { odd } = first;
  const explained = odd.length === 0 ? files : files.map((file) => withComments(file, odd));
  const proof = odd.length === 0 ? first : prove(explained);
  const refusals = proof.refusals.map((problem) => ({ ...problem, hint: again }));
  return {
    ...{ documents, variables, files: explained },
    problems: [
      ...problems,
      ...proof.problems,
      ...proof.odd.map(({ problem }) => problem).filter(({ severity }) => severity === 'error'),
      ...refusals,
      ...tellOdd(odd),
    ],
  };
}

/** Whether it is about an object that has no place in files, and no name that can be told. */
export function isNameless({ code, address }: Problem): boolean {
  return code === 'exposed-secret' && address === undefined;
}

/** The file with a comment above each place that gwconf finds wrong and the gateway has. */
function withComments(file: FolderFile, odd: readonly Odd[]): FolderFile {
  const byLine = groupBy(
    odd.filter(({ at }) => at.file === file.path),
    ({ at }) => at.line,
  );
  const lines = file.text.split('\n').flatMap((line, at) => {
    const codes = new Set((byLine.get(at + 1) ?? []).map(({ problem }) => problem.code));
    const [indent = ''] = /^ */.exec(line) ?? [];
    return [...[...codes].map((code) => `${indent}# gwconf-ignore ${code}: the gateway has it`), line];
  });
  return { ...file, text: lines.join('\n') };
}

const MOST_SHOWN = 10;

/** Names apart from other values: for these there is a cure. */
export function tellOdd(odd: readonly Odd[]): readonly Problem[] {
  const isName = ({ problem }: Odd): boolean => problem.hint === RENAME;
  const names = odd.filter(isName);
  const values = odd.filter((one) => !isName(one));
  return [
    ...(names.length === 0 ? [] : [oddValues(names, RENAME)]),
    ...(values.length === 0 ? [] : [oddValues(values, CHECK)]),
  ];
}

const CHECK = 'check these places; a gateway may refuse to change such an object';

function oddValues(odd: readonly Odd[], hint: string): Problem {
  const places = [...new Set(odd.map(({ problem: { address, path } }) => `${address} ${path}`))];
  return makeProblem({
    code: 'unusual-value',
    message: `the gateway has what gwconf does not know, or finds wrong: ${listSome(places, MOST_SHOWN)}; the files have it, below comments`,
    hint,
  });
}

/** Documents with `${NAME}` in the place of each placeholder; a secret with a placeholder in it has no known value. */
function fillPlaceholders({ documents, variables, problems }: Declared): Declared {
  return {
    documents: documents.map((document) => ({
      ...document,
      value: mapTexts(document.value, withVariables) as JsonObject,
    })),
    variables: variables.map((variable) =>
      placeholdersIn(variable.value ?? '').length === 0 ? variable : { ...variable, value: undefined },
    ),
    problems,
  };
}

const AGAIN =
  'the gateway may have been changed while it was read: export again; if that does not help, leave the object out';
