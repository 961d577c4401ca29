// What a release is called and where it is. package.json says all of it: `private` until gwconf is published, then `repository`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const read = (path) => readFileSync(join(root, path), 'utf8');

/** What texts say until there is a repository and a registry. */
export const PLACEHOLDERS = { repository: 'OWNER/gwconf', image: 'registry.example/gwconf' };

/** What package.json says of a release. */
export function factsOf({ version, private: isPrivate = false, repository = {} }) {
  const [, name] = /github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository.url ?? '') ?? [];
  const isPublished = !isPrivate && name !== undefined;
  const where = isPublished
    ? {
        repository: name,
        image: `ghcr.io/${name.toLowerCase()}`,
        charts: `ghcr.io/${name.toLowerCase()}/charts`,
      }
    : { ...PLACEHOLDERS, charts: 'registry.example/charts' };
  return { version, isPublished, ...where, page: `https://github.com/${where.repository}` };
}

export const facts = factsOf(JSON.parse(read('package.json')));
