import { kindOf, parseAddress, type Address } from '../../model/resource.ts';
import { printYaml } from '../../schema/yaml/print.ts';

/** What a gwconf.yaml with one environment says. */
export type ProjectText = {
  readonly name: string;
  readonly url: string;
  readonly user: string | undefined;
  readonly files: readonly string[];
  /** Globs over addresses; absent: everything. */
  readonly manages?: readonly string[];
};

/** The text of gwconf.yaml. The password comes from GWCONF_PASSWORD. */
export function printProject({ name, url, user, files, manages }: ProjectText): string {
  const gateway = url.startsWith('embedded:') || user === undefined ? { url } : { url, user };
  const environment = {
    gateway,
    files: [...files],
    ...(manages === undefined ? {} : { manages: [...manages] }),
  };
  // A name is filled in like any text.
  const environments = { [name.replaceAll('${', () => '$${')]: environment };
  return printYaml([{ apiVersion: 'gwconf/v1', kind: 'Project', environments }]);
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
