import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

/** The files of a folder as a .tar.gz below a folder of that name; the same files give the same bytes. */
export async function archive(folder, name) {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const files = await Promise.all(
    paths.map(async (path) => {
      const body = await readFile(path);
      const header = {
        ...{
          name: `${name}/${relative(folder, path).replaceAll('\\', '/')}`,
          size: body.length,
          mode: 0o644,
        },
        ...{ mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' },
      };
      return { header, body };
    }),
  );
  const zipped = gzipSync(await packTar(files), { level: 9 });
  zipped[9] = 255; // the system that packed it: unknown, on each
  return zipped;
}
