import { isAbsolute, relative } from 'node:path';
import type { Document } from '../../declare/declared.ts';
import { knownKind } from '../../model/kind.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import { kindOf, parseAddress, type Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { isBuiltIn } from '../../plan/change/select.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { printYaml } from '../../schema/yaml/print.ts';

/** What a gwconf.yaml with one environment says. */
export type ProjectText = {
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
    ...(manages === undefined ? {} : { manages: [...manages] }),
    ...(external.length === 0 ? {} : { external: [...external] }),
  };
  // A name is filled in like any text.
  const environments = { [name.replaceAll('${', () => '$${')]: environment };
  return printYaml([{ apiVersion: 'gwconf/v1', kind: 'Project', environments }]);
}

/** Live objects that the documents refer to and do not declare. */
export function findExternal(
  documents: readonly Document[],
  { resources }: Pick<LiveState, 'resources'>,
): readonly Address[] {
  const { kinds } = catalog;
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
export function urlFrom(folder: string, url: string): string {
  const [, file = ''] = /^embedded:(.*)$/s.exec(url) ?? [];
  return file === '' || isAbsolute(file) ? url : `embedded:${relative(folder, file).replaceAll('\\', '/')}`;
}

/** Globs for the kinds and virtual clusters of these objects. */
export function manageExported(addresses: readonly Address[]): readonly string[] {
  const globs = new Set<string>();
  for (const address of addresses) {
    const kind = kindOf(address);
    const vCluster = parseAddress(address)?.scope['vCluster'];
    const scope = address
      .slice(address.lastIndexOf('@') + 1)
      .split(',', 1)
      .join();
    if (typeof vCluster === 'string') {
      globs.add(`${kind}/*@${scope}`);
      if (address.endsWith(`@${scope}`)) continue;
      globs.add(`${kind}/*@${scope},*`);
    } else globs.add(address.endsWith('@global') ? `${kind}/*@global` : `${kind}/*`);
  }
  return [...globs].sort();
}
