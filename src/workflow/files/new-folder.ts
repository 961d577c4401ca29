import { dirname, join, relative, isAbsolute } from 'node:path';
import type { Document, SecretName, SecretVariable } from '../../declare/declared.ts';
import { knownKind } from '../../model/kind.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Problem } from '../../model/problem.ts';
import { axisOf, kindOf, type Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { isBuiltIn } from '../../plan/change/select.ts';
import { escapeText } from '../../schema/load/as-declared.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import type { FolderFile, Host } from '../host.ts';
import { PROJECT_FILE } from '../project/find-project.ts';
import { RequestError } from '../system-error.ts';
import {
  fileToWrite,
  openSecretsFile,
  secretsToWrite,
  writeAllOrNone,
  type SecretsFile,
} from '../write-file.ts';

/** A new folder of files, and what goes beside it. */
export type NewFolder = {
  /** The folder to make. */
  readonly out: string;
  /** The environment of a gwconf.yaml beside the folder, and the user of its gateway; absent: none is made. */
  readonly project?: { readonly name: string; readonly user: string | undefined } | undefined;
  /** The file that gets the values of secrets. */
  readonly secretsEnv?: string | undefined;
  readonly secretNames?: readonly SecretName[] | undefined;
};

/** Everything that is in the way is found before the gateway is read. Gives the file of secrets. */
export async function refuseToOverwrite(
  host: Host,
  { out, project, secretsEnv }: NewFolder,
  command: string,
): Promise<SecretsFile | undefined> {
  if ((await host.namesIn(out)).length > 0)
    throw new RequestError(
      `${out} is not empty, and ${command} overwrites nothing: name a new folder with --out`,
    );
  const path = projectPath(out);
  if (project !== undefined && host.exists(path))
    throw new RequestError(
      `${path} already exists: leave out --project, and add ${out} to the files of an environment`,
    );
  if (secretsEnv === undefined) return undefined;
  if (!/^\.\.(?:[\\/]|$)/.test(relative(out, secretsEnv)))
    throw new RequestError(
      `${secretsEnv} must not be in ${out}, whose files are for git: name another place`,
    );
  return openSecretsFile(host, secretsEnv);
}

function projectPath(out: string): string {
  return join(dirname(out), PROJECT_FILE);
}

/**
 * The files that go beside the folder: `globs` is what was asked for, or all that is managed. Throws a RequestError for a name that would
 * make more than its object managed, or external.
 */
export function makeBeside(
  catalog: Catalog,
  url: string,
  documents: readonly Pick<Document, 'address'>[],
  live: Pick<LiveState, 'resources'>,
  globs: readonly string[],
  { out, project }: NewFolder,
): readonly FolderFile[] {
  if (project === undefined) return [];
  const exported = globs.length > 0 ? [] : manageExported(documents.map(({ address }) => address));
  const manages = globs.length > 0 ? globs : exported;
  const files = [relative(dirname(out), out) || '.'];
  const path = projectPath(out);
  const external = findExternal(catalog, documents, live);
  // Of what is exported, the name of its virtual cluster alone.
  const wild =
    exported.find((glob) => /^[^@]*@[^,]*\*/.test(glob)) ?? external.find((one) => one.includes('*'));
  if (wild !== undefined)
    throw new RequestError(
      `--project cannot name ${wild}, whose * would match other objects, too: leave out --project`,
    );
  const text = printProject({ ...project, url: urlFrom(dirname(path), url), files, manages, external });
  return [{ path, text }];
}

export type NewFiles = {
  readonly out: string;
  readonly files: readonly FolderFile[];
  readonly beside: readonly FolderFile[];
  readonly secrets: SecretsFile | undefined;
  readonly variables: readonly SecretVariable[];
};

/** Writes all or nothing: the folder last, because it appears as a whole. */
export function writeNewFiles(
  host: Host,
  { out, files, beside, secrets, variables }: NewFiles,
): Promise<readonly Problem[]> {
  return writeAllOrNone([
    ...(secrets === undefined ? [] : [secretsToWrite(secrets, variables, host)]),
    ...beside.map(({ path, text }) => fileToWrite(path, text, host)),
    { path: out, write: () => host.createFolder(out, files).then(() => []) },
  ]);
}

/** What a gwconf.yaml with one environment says. */
type ProjectText = {
  readonly name: string;
  readonly url: string;
  readonly user: string | undefined;
  readonly files: readonly string[];
  /** Globs over addresses; absent: everything. */
  readonly manages?: readonly string[];
  /** What others manage. */
  readonly external?: readonly Address[];
};

/** The text of gwconf.yaml. The password comes from GWCONF_PASSWORD. */
export function printProject({ name, url, user, files, manages, external = [] }: ProjectText): string {
  const gateway = url.startsWith('embedded:') || user === undefined ? { url } : { url, user };
  const environment = {
    gateway,
    files: [...files],
    ...(manages === undefined ? {} : { manages: manages.map(escapeText) }),
    ...(external.length === 0 ? {} : { external: external.map(escapeText) }),
  };
  // Names are filled in like any text.
  const environments = { [escapeText(name)]: environment };
  return printYaml([{ apiVersion: 'gwconf/v1', kind: 'Project', environments }]);
}

/** Live objects that the documents refer to and do not declare. */
function findExternal(
  { kinds }: Catalog,
  documents: readonly Pick<Document, 'address'>[],
  { resources }: Pick<LiveState, 'resources'>,
): readonly Address[] {
  const declared = new Set(documents.map(({ address }) => address));
  const found = new Set<Address>();
  for (const address of declared) {
    const resource = resources.get(address);
    for (const { to } of resource === undefined ? [] : referencesOf(resource, knownKind(address, kinds)))
      if (!declared.has(to) && !isBuiltIn(to, kinds) && resources.has(to)) found.add(to);
  }
  return [...found].sort();
}

/** The URL for a project in another folder: that of an embedded gateway is relative to it. */
function urlFrom(folder: string, url: string): string {
  const [, file = ''] = /^embedded:(.*)$/s.exec(url) ?? [];
  return file === '' || isAbsolute(file) ? url : `embedded:${relative(folder, file).replaceAll('\\', '/')}`;
}

/** Globs for the kinds and virtual clusters of these objects. */
function manageExported(addresses: readonly Address[]): readonly string[] {
  const globs = new Set<string>();
  for (const address of addresses) {
    const kind = kindOf(address);
    const vCluster = axisOf(address, 'vCluster');
    const scope = address
      .slice(address.lastIndexOf('@') + 1)
      .split(',', 1)
      .join();
    if (vCluster !== undefined) {
      globs.add(`${kind}/*@${scope}`);
      if (address.endsWith(`@${scope}`)) continue;
      globs.add(`${kind}/*@${scope},*`);
    } else globs.add(address.endsWith('@global') ? `${kind}/*@global` : `${kind}/*`);
  }
  return [...globs].sort();
}
