// The pictures of docs/pictures: a plan of examples/github-repo as a comment, as the summary of a job, and as a page. It needs a build
// and Chromium. The pull request removes a topic and a masking interceptor, moves a topic and adds a client; meanwhile another change was
// merged and not applied, and somebody changed a limit on the gateway.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { marked } from 'marked';
import { chromium } from 'playwright-core';

const GATEWAY = 'https://gateway.prod.acme.example:8888';
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gwconf-pictures-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  GWCONF_ENV: 'prod',
  VAULT_TOKEN: 'practice',
  GIT_AUTHOR_NAME: 'one',
  GIT_AUTHOR_EMAIL: 'one@acme.example',
  GIT_COMMITTER_NAME: 'one',
  GIT_COMMITTER_EMAIL: 'one@acme.example',
};

/** Like GitHub's. */
const STYLE = `
  body { margin: 12px; background: #fff; color: #1f2328; font: 14px/1.5 "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif; }
  .box { border: 1px solid #d0d7de; border-radius: 6px; }
  .head { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; border-radius: 6px 6px 0 0; color: #59636e; }
  .body { padding: 16px; overflow-wrap: anywhere; }
  h2, h3 { margin: 20px 0 12px; line-height: 1.25; } h2:first-child, h3:first-child { margin-top: 0; }
  h2 { font-size: 20px; padding-bottom: 6px; border-bottom: 1px solid #d8dee4; } h3 { font-size: 17px; } h4 { margin: 16px 0 8px; }
  p, ul, ol, table, pre, details, blockquote { margin: 0 0 12px; } ul, ol { padding-left: 28px; }
  code { padding: 2px 5px; background: #eff1f3; border-radius: 6px; font: 12px "Liberation Mono", "DejaVu Sans Mono", monospace; }
  pre { padding: 12px; background: #f6f8fa; border-radius: 6px; overflow: hidden; } pre code { padding: 0; background: none; }
  del, ins { text-decoration: none; } del { background: #ffebe9; color: #82071e; } ins { background: #dafbe1; color: #116329; }
  blockquote.WARNING { border-color: #9a6700; color: inherit; } blockquote.CAUTION { border-color: #cf222e; color: inherit; }
  .alert { font-weight: 600; text-transform: capitalize; } .WARNING .alert { color: #9a6700; } .CAUTION .alert { color: #cf222e; }
  table { border-collapse: collapse; } th, td { padding: 5px 12px; border: 1px solid #d0d7de; text-align: left; }
  blockquote { padding: 0 14px; border-left: 4px solid #d0d7de; color: #59636e; }
  a { color: #0969da; text-decoration: none; } summary { cursor: pointer; } hr { border: 0; border-top: 3px solid #d0d7de; }
`;

makePullRequest();
const plan = ['plan', '--base', 'main'];
gwconf(...plan, '-o', 'json=plan.json', '-o', 'html=page.html', '-o', 'step-summary=summary.md');
const comment = gwconf('comment', 'plan.json', '--dry-run');
await takePictures();

function makePullRequest() {
  cpSync(join(root, 'examples', 'github-repo'), folder, { recursive: true });
  edit('gwconf.yaml', GATEWAY, 'embedded:prod.json');
  edit('gwconf.yaml', '    pin: { host: gateway.prod.acme.example }\n', '');
  git('init', '--quiet', '--initial-branch', 'main');
  edit('payments/interceptors.yaml', 'maximumBytesPerSecond: 1000000', 'maximumBytesPerSecond: 5000000');
  gwconf('apply', '--auto-approve'); // with a limit that somebody raised by hand
  edit('payments/interceptors.yaml', 'maximumBytesPerSecond: 5000000', 'maximumBytesPerSecond: 1000000');
  commit('The gateways');
  edit('logistics/topics.yaml', 'logistics-carriers-v1', 'logistics-carriers-v2');
  commit('Carriers are on a new topic');
  git('switch', '--quiet', '--create', 'orders-v3');
  edit('payments/topics.yaml', 'payments-orders-v2', 'payments-orders-v3');
  cut('payments/topics.yaml', 'refunds');
  cut('payments/interceptors.yaml', 'payments-holders-masked');
  add(
    'payments/clients.yaml',
    `---
apiVersion: gwconf/v1
kind: UserMapping
metadata:
  name: invoicing
  vCluster: payments
spec:
  principal: 6a5d9f0e-3b1c-4f57-8d2e-0c9b7a41e2d3
  groups: [payments-services]
`,
  );
  add(
    'payments/topics.yaml',
    `---
apiVersion: gwconf/v1
kind: Removal
metadata:
  name: refunds-moved-out
spec:
  remove:
    - AliasTopic/refunds@vCluster=payments
    - Interceptor/payments-holders-masked@vCluster=payments,group=payments-support
  reason: the ledger team has taken over refunds and support
`,
  );
  commit('Refunds move out');
}

function gwconf(...args) {
  return execFileSync(process.execPath, [join(root, 'dist', 'gwconf.cjs'), ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function git(...args) {
  execFileSync('git', args, { cwd: folder, env });
}

function commit(message) {
  git('add', '--all', '--', ':!prod.json');
  git('commit', '--quiet', '--message', message);
}

function edit(path, before, after) {
  const text = readFileSync(join(folder, path), 'utf8');
  if (!text.includes(before)) throw new Error(`${path} has no ${before}`);
  writeFileSync(join(folder, path), text.replace(before, after));
}

function add(path, text) {
  writeFileSync(join(folder, path), readFileSync(join(folder, path), 'utf8') + text);
}

/** Takes the document with this name out of a file. */
function cut(path, name) {
  const documents = readFileSync(join(folder, path), 'utf8').split('---\n');
  const kept = documents.filter((text) => !text.includes(`\n  name: ${name}\n`));
  if (kept.length !== documents.length - 1) throw new Error(`${path} has no ${name}`);
  writeFileSync(join(folder, path), kept.join('---\n'));
}

async function takePictures() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const summary = readFileSync(join(folder, 'summary.md'), 'utf8');
    await take(browser, 'comment', frame(comment, 'comment'), { width: 860, height: 1000 });
    await take(browser, 'step-summary', frame(summary, 'summary'), { width: 1000, height: 760 });
    await take(browser, 'page', readFileSync(join(folder, 'page.html'), 'utf8'), {
      width: 1180,
      height: 900,
    });
  } finally {
    await browser.close();
  }
}

async function take(browser, name, html, viewport) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, html.replaceAll('embedded:prod.json', GATEWAY));
  const tab = await browser.newPage({ viewport });
  await tab.goto(pathToFileURL(path).href);
  mkdirSync(join(root, 'docs', 'pictures'), { recursive: true });
  await tab.screenshot({ path: join(root, 'docs', 'pictures', `${name}.png`) });
  await tab.close();
}

/** Markdown as GitHub shows it: with coloured diffs and alerts. */
function frame(markdown, place) {
  const heading = place === 'comment' ? '<b>github-actions</b> bot commented' : 'plan (prod) summary';
  const body = marked
    .parse(markdown)
    .replaceAll(
      /<blockquote>\s*<p>\[!(\w+)\]\s*/g,
      (_, name) => `<blockquote class="${name}"><p class="alert">${name}</p><p>`,
    )
    .replaceAll(/<code class="language-diff">(.*?)<\/code>/gs, (_, text) => {
      const lines = text.split('\n').map((line) => {
        const sort = { '-': 'del', '+': 'ins' }[line[0]];
        return sort === undefined ? line : `<${sort}>${line}</${sort}>`;
      });
      return `<code>${lines.join('\n')}</code>`;
    });
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><div class="box"><div class="head">${heading}</div><div class="body">${body}</div></div>`;
}
