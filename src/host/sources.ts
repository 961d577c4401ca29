import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../model/collect.ts';
import { countValues } from '../model/json/extent.ts';
import { makeProblem, type Checked, type Problem, type SourceFile } from '../model/problem.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../model/text/file-ending.ts';
import type { SourceOptions, TooLarge } from '../workflow/host.ts';
import { unreadable } from '../workflow/system-error.ts';
import { isIgnoredLink } from './git-ignore.ts';
import {
  isFolder,
  limitTo,
  MOST_TEXT_BYTES,
  readNamed,
  readRegular,
  readStream,
  type Limit,
} from './files.ts';
import { realPath, resolveWithin } from './paths.ts';

/**
 * The files that paths name: a file as it is, a folder with all YAML and JSON below it (names that begin with a dot
 * and node_modules are skipped), `-` for `stdin`. Each file once, whatever names it has; each path is a layer
 * over those before it. `Host` describes the options.
 */
export async function readSources(
  paths: readonly string[],
  {
    root = '.',
    isConfined = false,
    places = [],
    ending = '',
    checkSize = () => undefined,
  }: SourceOptions = {},
  stdin: () => AsyncIterable<Uint8Array> = () => process.stdin,
): Promise<Checked<readonly SourceFile[]>> {
  const value: SourceFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const realRoot = realPath(root);
  let total = 0;
  let values = 0;
  const limit: Limit = (bytes) => {
    limitTo(MOST_TEXT_BYTES)(bytes);
    const tooLarge = checkSize(total + bytes, values);
    if (tooLarge !== undefined) throw new InputError(tooLarge);
  };
  const add = async (
    path: string,
    layer: number,
    named: boolean,
    read: () => Promise<Uint8Array> | Uint8Array,
  ): Promise<void> => {
    const bytes = await read();
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    values += countValues(bytes);
    limit(bytes.length);
    total += bytes.length;
    value.push({ path, text, layer, ...(named ? { named } : {}) });
  };
  /** `roots` are the folders that links may lead to; without them any. */
  const visit = async (
    path: string,
    layer: number,
    named: boolean,
    roots: readonly string[] | undefined,
  ): Promise<void> => {
    try {
      const real = roots === undefined ? realpathSync(path) : resolveWithin(path, roots);
      if (seen.has(real)) return; // a link back up would never end
      seen.add(real);
      if (isFolder(real)) {
        const inside = roots ?? [real, realRoot];
        for (const name of readdirSync(real).sort()) {
          if (isPassedOver(name)) continue;
          const below = join(path, name);
          const isRead = isYamlOrJson(name) && hasEnding(name, ending);
          // A link to nowhere may be meant for a folder: prune would delete what is declared there.
          if (isRead || isFolder(below) || !existsSync(below)) await visit(below, layer, false, inside);
        }
      } else {
        await add(path, layer, named, () =>
          roots === undefined ? readNamed(path, limit) : readRegular(real, limit),
        );
      }
    } catch (error) {
      if (error instanceof InputError) throw error;
      // What a build leaves behind. Resources behind a link are not passed over: prune would delete them.
      if (ending !== '' && !named && isIgnoredLink(path, realRoot)) return;
      problems.push({ ...unreadable(path, error), ...present({ at: places[layer] }) });
    }
  };
  try {
    for (const [layer, path] of paths.entries()) {
      if (path !== '-' || isConfined) await visit(path, layer, true, isConfined ? [realRoot] : undefined);
      else if (!seen.has(path)) await add('stdin', layer, true, () => readStream(stdin(), limit));
      seen.add(path);
    }
  } catch (error) {
    problems.push(
      error instanceof InputError
        ? makeProblem({ code: 'unreadable-file', ...error.tooLarge })
        : unreadable('stdin', error),
    );
  }
  return { value, problems };
}

/** No file is read after this one. */
class InputError extends Error {
  readonly tooLarge: TooLarge;
  constructor(tooLarge: TooLarge) {
    super(tooLarge.message);
    this.tooLarge = tooLarge;
  }
}
