import { addAll } from '../../model/collect.ts';
import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { Context } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Removal } from '../../model/rules.ts';
import { checkDocument } from './check.ts';
import { expand } from './expand.ts';
import { looksOurs } from './looks-ours.ts';
import { isOtherFile } from './other-kinds.ts';
import { variablesFrom, type Variables } from '../yaml/interpolate.ts';
import { overlay } from './overlay.ts';
import { formNamed } from './recognise.ts';
import { resolve, type Resolved } from './resolve.ts';
import { isOurs } from '../yaml/ours.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';

/** The desired state in files, and objects to remove. */
export type Loaded = Resolved & {
  readonly removals: readonly Removal[];
  /** The files that contain resources, also invalid ones. */
  readonly declaring: ReadonlySet<SourceFile>;
};

/**
 * Loads the desired state: parse, check, expand, resolve. Returns all valid resources and all problems. The order of files and
 * documents does not matter.
 */
export function load(
  files: readonly SourceFile[],
  catalog: Catalog,
  variables: Variables,
  context: Context = {},
): Loaded {
  const problems: Problem[] = [];
  const parsed = [...files].sort(byLayerAndPath).flatMap((file) => documentsOf(file, catalog, variables));
  const documents = parsed.some(isLayered) ? overlay(parsed, catalog) : parsed;
  const recognised = documents.flatMap((document) => {
    const checked = checkDocument(document, catalog, context, variables);
    addAll(problems, checked.problems);
    return checked.value === undefined ? [] : [checked.value];
  });
  const expanded = expand(recognised, catalog, context);
  const resolved = resolve(expanded.value, catalog.kinds);
  return {
    ...resolved,
    removals: expanded.removals,
    declaring: new Set(parsed.map(({ ref }) => ref.file)),
    problems: [...problems, ...expanded.problems, ...resolved.problems],
  };
}

/** The names of all `${file:PATH}` and `${exec:NAME}` in files: `file:PATH`, `exec:NAME`. */
export function sourcesIn(files: readonly SourceFile[], catalog: Catalog): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (name: string): 'open' => {
    names.add(name);
    return 'open';
  };
  const variables = variablesFrom(() => undefined, { source: note });
  for (const file of files) if (/\$\{(?:file|exec):/.test(file.text)) documentsOf(file, catalog, variables);
  return names;
}

function byLayerAndPath(one: SourceFile, other: SourceFile): number {
  const layers = (one.layer ?? 0) - (other.layer ?? 0);
  return layers !== 0 ? layers : one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

function isLayered({ value }: ParsedDocument): boolean {
  return isObject(value) && valueOf(value, 'overlay') !== undefined;
}

/**
 * Of a file that was found in a folder, the documents if one of them looks like a resource, or if it cannot be read and
 * its text looks like one. Other files belong to other tools. Project files and tests are read elsewhere.
 */
function documentsOf(file: SourceFile, catalog: Catalog, variables: Variables): readonly ParsedDocument[] {
  if (file.named === true) return parseYaml(file, variables);
  if (!MENTIONS.test(file.text)) return [];
  const isProjectFile = /(?:^|[\\/])gwconf\.yaml$/.test(file.path);
  const isOther = isOtherFile(file.path);
  const documents = parseYaml(file, variables).filter(
    ({ value }) => !(isProjectFile && isProject(value)) && !(isOther && !hasForm(value, catalog)),
  );
  const isBroken = documents.some(({ problems }) => problems.some(({ code }) => code === 'invalid-yaml'));
  return (isBroken && isOurs(file)) || documents.some(({ value }) => looksOurs(value, catalog))
    ? documents
    : [];
}

const MENTIONS = /\b(?:apiVersion|kind|metadata)\b/i;

/** In a file for another command, a resource is still a resource: a prune would delete it. */
function hasForm(value: Json, catalog: Catalog): boolean {
  return isObject(value) && formNamed(valueOf(value, 'kind'), catalog) !== undefined;
}

function isProject(value: Json): boolean {
  return isObject(value) && valueOf(value, 'kind') === 'Project';
}
