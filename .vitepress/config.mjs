// The site that `npm run site` builds into site/: docs, the pages beside README.md, and the READMEs of the examples.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where a page is on the site: docs is its top, and a README the page of its folder. */
const placeOf = (path) => path.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');

/** The anchor of a heading, as GitHub makes it: links work in both places. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Files that pages link to and that are no pages: examples and schemas. The site has a copy of each. */
const files = new Set();

/** Links are relative in the repository. On the site, they are from its top, because pages are elsewhere. */
function placeLinks(markdown) {
  // Braces in code are code, not expressions of the site's template language.
  markdown.renderer.rules.code_inline = (tokens, at) =>
    `<code v-pre>${markdown.utils.escapeHtml(tokens[at].content)}</code>`;
  const shown =
    markdown.renderer.rules.link_open ??
    ((tokens, at, options, _env, self) => self.renderToken(tokens, at, options));
  markdown.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const href = tokens[at].attrGet('href');
    if (href !== null && !/^([a-z]+:|#)/.test(href)) {
      const placed = placeLink(href, env.realPath ?? env.path);
      tokens[at].attrSet('href', placed);
      // The site's script follows links to pages only.
      if (placed.startsWith('/files/')) tokens[at].attrSet('target', '_blank');
    }
    return shown(tokens, at, options, env, self);
  };
}

function placeLink(href, page) {
  const [path, heading] = href.split('#');
  const from = relative(root, page).replaceAll('\\', '/');
  const target = posix.join(posix.dirname(from), decodeURI(path));
  const found = join(root, target);
  if (!existsSync(found) || statSync(found).isDirectory())
    throw new Error(`${from} links to ${href}, which is no file`);
  if (target.endsWith('.md')) return `/${placeOf(target)}${heading === undefined ? '' : `#${heading}`}`;
  files.add(target);
  return `/files/${target}`;
}

/** The sections of docs/README.md, with the pages that they list, in their order. */
function sidebarOf(index) {
  const [, ...sections] = readFileSync(join(root, index), 'utf8').split(/^## /m);
  return sections.map((section) => ({
    text: section.split('\n', 1)[0],
    items: [...section.matchAll(/\[([^\]]+)\]\(([\w./-]+)\)/g)].map(([, text, link]) => ({
      text,
      link: `/${placeOf(posix.join(posix.dirname(index), link))}`,
    })),
  }));
}

/** A page takes nothing from elsewhere, and runs the scripts that the build has put into it, and no others. */
function withPolicy(html) {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>(.*?)<\/script>/gs)];
  const hashes = new Set(
    scripts.map(([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`),
  );
  const policy = [
    `default-src 'none'; script-src 'self' ${[...hashes].join(' ')}; connect-src 'self'; font-src 'self'`,
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
  ].join('; ');
  return html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

export default defineConfig({
  title: 'gwconf',
  description: 'Manage the configuration of a Conduktor Gateway with YAML files.',
  srcDir: '.',
  srcExclude: ['README.md', 'test/**', 'bench/**', 'templates/**', 'coverage/**', 'site/**', 'release/**'],
  outDir: 'site',
  cacheDir: 'node_modules/.cache/vitepress',
  rewrites: placeOf,
  markdown: { config: placeLinks, anchor: { slugify } },
  // Copies of files are no pages; `placeLink` has looked for them.
  ignoreDeadLinks: [/^\/files\//],
  themeConfig: { search: { provider: 'local' }, sidebar: sidebarOf('docs/README.md'), outline: [2, 3] },
  transformHtml: withPolicy,
  buildEnd({ outDir }) {
    for (const file of files) {
      mkdirSync(dirname(join(outDir, 'files', file)), { recursive: true });
      copyFileSync(join(root, file), join(outDir, 'files', file));
    }
  },
});
