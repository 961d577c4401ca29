import { addAll } from '../../model/collect.ts';
import { reasonOf } from '../../workflow/system-error.ts';
import { UsageError, type Io } from '../io.ts';

/**
 * The headers that `--header` names: `NAME: VALUE`, or `@FILE` with one a line, which keeps values out of the list of
 * processes. Throws a UsageError, which never contains a value.
 */
export async function readHeaders(
  flags: readonly string[],
  io: Io,
): Promise<Readonly<Record<string, string>>> {
  const headers: (readonly [name: string, value: string])[] = [];
  for (const flag of flags) {
    if (!flag.startsWith('@')) headers.push(parseHeader(flag, '--header'));
    else addAll(headers, await readHeaderFile(flag.slice('@'.length), io));
  }
  return Object.fromEntries(headers);
}

async function readHeaderFile(path: string, io: Io): Promise<ReturnType<typeof parseHeader>[]> {
  const text = await io.readNamedFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
  });
  return text
    .split(/\r?\n/)
    .flatMap((line, at) => (line.trim() === '' ? [] : [parseHeader(line, `${path}:${at + 1}`)]));
}

function parseHeader(text: string, place: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^:\s]+)\s*:(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`expected ${place} to be NAME: VALUE${place === '--header' ? ' or @FILE' : ''}`);
  return [name, value.trim()];
}
