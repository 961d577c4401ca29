// Writes the part of GitHub's published OpenAPI description that the tests of `gwconf comment` hold requests and responses to.
// The package has 385 MB, so it is not a dependency:
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//   node scripts/github-openapi.mjs package/generated/api.github.com.json
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'oxfmt';

const PATHS = {
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch', 'delete'],
};
const WORDS = new Set(['description', 'summary', 'examples', 'example', 'externalDocs', 'tags']);

const api = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const used = { components: {} };

/** Without the words, and with what it refers to. */
function take(value) {
  if (Array.isArray(value)) return value.map(take);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') takeReference(value.$ref);
  const entries = Object.entries(value);
  // A property may have the name of a word.
  return Object.fromEntries(
    entries.flatMap(([key, item]) =>
      key === 'properties'
        ? [[key, Object.fromEntries(Object.entries(item).map(([name, schema]) => [name, take(schema)]))]]
        : WORDS.has(key) || key.startsWith('x-')
          ? []
          : [[key, take(item)]],
    ),
  );
}

function takeReference(reference) {
  const [, , group, name] = reference.split('/');
  used.components[group] ??= {};
  if (name in used.components[group]) return;
  used.components[group][name] = null; // it may refer to itself
  used.components[group][name] = take(api.components[group][name]);
}

const paths = Object.fromEntries(
  Object.entries(PATHS).map(([path, methods]) => [
    path,
    Object.fromEntries(methods.map((method) => [method, take(api.paths[path][method])])),
  ]),
);
const { title, version, license } = api.info;
const text = JSON.stringify({ openapi: api.openapi, info: { title, version, license }, paths, ...used });
const path = 'test/support/forge/github-openapi.json';
writeFileSync(path, (await format(path, text, { printWidth: 110 })).code);
