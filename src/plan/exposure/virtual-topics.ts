import { linksIn } from '../../effective/effective-state.ts';
import { variantsOf } from '../../effective/topics.ts';
import { doSame } from '../../effective/weakening.ts';
import { groupBy } from '../../model/collect.ts';
import { valueOf } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Chain, ChainLink } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { hasHidden, HIDDEN } from '../../model/secrets/hidden.ts';
import { keyOf } from './named-topics.ts';

/** A virtual topic that an interceptor shows to those for whom it runs, and what it reads for that. */
export type Shown = {
  readonly is: string;
  readonly text: string;
  /** The virtual cluster where it does; null: in all. */
  readonly within: string | null;
};

/** Reads which virtual topic an interceptor shows. */
export function shownReader(kinds: KindSet): (link: ChainLink) => Shown | undefined {
  const variantOf = variantsOf(kinds);
  return ({ pluginClass, config, scope }) => {
    const shows = variantOf(pluginClass)?.shows;
    const [is, text] = [shows?.name, shows?.of].map((key) => key && valueOf(config, key));
    if (typeof is !== 'string' || typeof text !== 'string') return undefined;
    const { vCluster } = scope;
    return { is, text, within: typeof vCluster === 'string' ? vCluster : null };
  };
}

/** The interceptors that show clients a virtual topic after changes, which none shows them before. */
export function newlyShowing({ before, after }: Sides, kinds: KindSet): readonly ChainLink[] {
  const variantOf = variantsOf(kinds);
  return after.flatMap(({ one }) => {
    const isNew =
      variantOf(one.pluginClass)?.shows !== undefined && !before.some((own) => doSame(own.one, one));
    return isNew ? [one] : [];
  });
}
type Sides = { readonly before: Chain; readonly after: Chain };

/** As many names are followed from a virtual topic to those that it reads, which may be virtual, too. */
const MOST_FOLLOWED = 20;

/** The virtual topics that clients of each virtual cluster have, with each topic that they read. */
export function readVirtual(
  resources: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  clusters: ReadonlySet<string>,
) {
  const read = shownReader(kinds);
  const all = [...resources].flatMap(([address, one]) =>
    linksIn(address, one, kinds).flatMap((link) => {
      const shown = read(link);
      if (shown === undefined || hasHidden(shown.is)) return [];
      const sources = sourcesOf(shown).flatMap((source) => (source === HIDDEN ? [] : [source]));
      const within = shown.within === null ? [...clusters] : [shown.within];
      return within.flatMap((of) => sources.map((source) => ({ of, is: shown.is, address, source })));
    }),
  );
  const byName = groupBy(all, ({ of, is }) => keyOf(of, is));
  /** A topic, and what is read to show it. */
  const namesOf = (of: string, name: string): readonly string[] => {
    const names = new Set([name]);
    for (const one of names)
      for (const { source } of byName.get(keyOf(of, one)) ?? [])
        if (names.size < MOST_FOLLOWED) names.add(source);
    return [...names];
  };
  return { all, namesOf };
}

/** The topics that a virtual one reads; a hidden one may be any. */
export function sourcesOf({ text }: Shown): readonly string[] {
  return hasHidden(text) ? [HIDDEN] : topicsOfQuery(text);
}

/** A topic, or those that a SQL query reads. */
function topicsOfQuery(text: string): readonly string[] {
  const found = text
    .replace(QUOTED_OR_COMMENT, (part) => (/^["'`]/.test(part) ? part : ' '))
    .split(/\b(?:FROM|JOIN)\b/i)
    .slice(1)
    .flatMap(sourcesIn);
  return found.length === 0 ? [text] : [...new Set(found)];
}

const QUOTED_OR_COMMENT = /"[^"]*"|'[^']*'|`[^`]*`|\/\*[^]*?(?:\*\/|$)|--.*/g;

/** The topics at the start of what follows a FROM: `a, b AS c WHERE …`. */
function sourcesIn(text: string): readonly string[] {
  const items = text
    .split(',')
    .map((item) => /^[\s(]*["'`]?([\w.-]+)["'`]?(?:\s+(?:AS\s+)?\w+)?\s*(\S?)/i.exec(item));
  const last = items.findIndex((item) => item === null || item[2] !== '');
  return items.slice(0, last === -1 ? items.length : last + 1).flatMap((item) => item?.[1] ?? []);
}
