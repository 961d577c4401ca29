import { dirname } from 'node:path';
import { makeKeyPair } from '../../plan/saved/signature.ts';
import { onOneLine } from '../../report/escape.ts';
import { PROJECT_FILE } from '../../workflow/project/find-project.ts';
import type { Run } from '../given.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import { unwritable, writeAllOrNone, type ToWrite } from '../../workflow/write-file.ts';

/** Writes a new key pair for saved plans to two files. Never overwrites one. */
export const run: Run<'keygen'> = async ({ args: { out }, io }) => {
  const files = { private: out, public: `${out}.pub` };
  const there = Object.values(files).filter((path) => io.exists(path));
  if (there.length > 0)
    throw new UsageError(
      `${there.join(' and ')} already ${there.length > 1 ? 'exist' : 'exists'}; keygen does not overwrite files`,
    );
  const isInRepository = ['.git', PROJECT_FILE].some(
    (name) => io.findUpwards(name, dirname(out)) !== undefined,
  );
  if (isInRepository && (await io.wouldBeTracked(out)))
    throw new UsageError(
      `${out} would be a private key that git does not ignore: add it to .gitignore, or name a file outside of this folder with --out`,
    );
  const { privateKey, publicKey } = makeKeyPair();
  // Half of a pair is of no use.
  const unwritten = await writeAllOrNone([
    toCreate(files.public, publicKey, io),
    toCreate(files.private, privateKey, io),
  ]);
  if (unwritten.length > 0) throw new ProblemsError(unwritten);
  const roles = { private: 'the job that plans', public: 'the job that applies' };
  for (const one of ['private', 'public'] as const) {
    const variable = `GWCONF_PLAN_${one.toUpperCase()}_KEY`;
    io.out(`${onOneLine(`The ${one} key is in ${files[one]}. Set ${variable} to it in ${roles[one]}.`)}\n`);
  }
  return undefined;
};

function toCreate(path: string, text: string, io: Io): ToWrite {
  return {
    path,
    write: async () => ((await io.createFile(path, text)) ? [] : [unwritable(path, 'it already exists')]),
    takeBack: () => io.removeFile(path),
  };
}
