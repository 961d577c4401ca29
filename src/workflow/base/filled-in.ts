import { memoize } from '../../model/collect.ts';
import { valueAt, type Pointer } from '../../model/json/json.ts';
import { placeOf, type Declared } from '../../model/state.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import type { SourceFile } from '../../model/problem.ts';

/** Something of the job: a variable, a file or a program. `$${…}` is none, and `${var.…}` is in gwconf.yaml. */
const OF_JOB = /(?<!\$)\$\{(?!var\.)/;

/** Tells which fields the job fills in, whose history is not in the files. Each file is parsed once, and only if it has any. */
export function makeFilledIn(): (declared: Declared | undefined, path: Pointer) => boolean {
  const documentsOf = memoize((file: SourceFile) => parseYaml(file, { keep: () => undefined }));
  return (declared, path) => {
    if (declared === undefined) return false;
    const place = placeOf(declared, path);
    if (!('document' in place) || !OF_JOB.test(place.document.file.text)) return false;
    const { file, index } = place.document;
    const document = documentsOf(file).find(({ ref }) => ref.index === index);
    const written = document === undefined ? undefined : valueAt(document.value, place.path);
    return written !== undefined && OF_JOB.test(JSON.stringify(written));
  };
}
