import { canonicalText, isList, type Json } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Checked, SourceFile } from '../../model/problem.ts';
import { looksOurs } from '../load/looks-ours.ts';
import { printYaml } from '../yaml/print.ts';
import { parseYaml } from '../yaml/parse.ts';
import { asWritten, formatFile, notFormatted } from './fmt.ts';

/**
 * The resources of a JSON file as YAML in canonical order, each item of a list as a document; undefined for other files, and
 * with problems for what cannot be read.
 */
export function toYaml(file: SourceFile, catalog: Catalog): Checked<string | undefined> {
  const [document] = parseYaml(file, asWritten);
  if (document === undefined) return { value: undefined, problems: [] };
  const problems = document.problems.filter(({ code }) => ['invalid-yaml', 'inexact-number'].includes(code));
  if (problems.length > 0 || !looksOurs(document.value, catalog)) return { value: undefined, problems };
  const value = parseJson(file.text);
  if (value === undefined)
    return {
      value: undefined,
      problems: [
        notFormatted(file, 'the file is YAML already, so it is not turned into YAML', 'rename it to .yaml'),
      ],
    };
  // In quotes, ${…} stays text, as it is in JSON.
  const text = printYaml(isList(value) ? value : [value], (one) => one.includes('${'));
  const made = { ...file, path: yamlPath(file.path), text };
  const read = parseYaml(made, asWritten).map((one) => one.value);
  if (canonicalText(isList(value) ? read : (read[0] ?? null)) !== canonicalText(document.value))
    throw new Error('JSON and YAML differ');
  return { value: formatFile(made, catalog).value ?? text, problems: [] };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch {
    return undefined;
  }
}

/** The name of the YAML file that takes the place of a JSON file. */
export function yamlPath(path: string): string {
  return path.replace(/\.json$/i, '.yaml');
}
