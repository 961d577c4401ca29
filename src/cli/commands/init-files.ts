import { basename, join } from 'node:path';
import { VERSION } from '../../workflow/tool.ts';
import { originOf } from '../../workflow/live/allowed-hosts.ts';
import type { FolderFile } from '../../workflow/host.ts';
import type { Io } from '../io.ts';

export type WorkflowInput = {
  readonly environment: string;
  readonly url: string;
  /** The variables that files and gwconf.yaml are filled from: those of secrets, and those that can be shown. */
  readonly secrets: readonly string[];
  readonly open: readonly string[];
  /** The variables of the login, as far as gwconf.yaml does not say it. */
  readonly login: readonly string[];
};

/** The package that npm pack makes, in the repository. */
export const PACKAGE = `tools/gwconf-${VERSION}.tgz`;

/**
 * A GitHub Actions workflow that gives no secret to what a pull request wrote, and applies the plan that was reviewed. It installs
 * gwconf from package.json, whose lock has the checksum: a package in the repository could be replaced in a change that nobody can
 * read. Texts are quoted as JSON, which is YAML.
 */
export function makeWorkflow({ environment, url, secrets, open, login }: WorkflowInput): string {
  const gwconf = 'npx --no-install gwconf';
  const name = JSON.stringify(environment);
  const shown = [
    ...(open.length === 0 ? [] : [`      GWCONF_PUBLIC_VARIABLES: "${open.join(',')}"\n`]),
    ...open.map((one) => `      ${one}: \${{ vars.${one} }}\n`),
  ].join('');
  const settings = `    env:
      GWCONF_ENV: ${name}
      # The URLs that gwconf.yaml may name, and the variables that files may use, such as "VAULT_TOKEN,TEAM_*".
      GWCONF_ALLOWED_HOSTS: ${JSON.stringify(allowedHostOf(url))}
      GWCONF_ALLOWED_VARIABLES: "${secrets.join(',')}"
${shown}`;
  // Only the steps that need them have them: whatever else runs in a job, and what it uploads, has not.
  const names = [...login, ...secrets];
  const lines = names.map((one) => `          ${one}: \${{ secrets.${one} }}\n`);
  const credentials = lines.length === 0 ? '' : `        env:\n${lines.join('')}`;
  const checkout = `      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
`;
  const node = `      - uses: ${SETUP_NODE}
        with:
          node-version: 22
      - run: npm ci --ignore-scripts # refuses a package that has not the checksum of package-lock.json
`;
  const tool = checkout + node;
  // Also after a plan or run that fails: the check of what mends it needs a snapshot.
  const saveSnapshot = (when: string): string => `      - if: \${{ !cancelled() }}
        run: ${gwconf} snapshot --out snapshot.json
${credentials}      - if: \${{ !cancelled() }}
        uses: ${SAVE}
        with:
          path: snapshot.json
          key: gateway-snapshot-\${{ github.run_id }}-\${{ github.run_attempt }}-${when}
`;
  return `# Checks each pull request. A push to main makes a plan; a reviewer approves it, and exactly that plan is applied.
name: gateway

on:
  pull_request:
  push:
    branches: [main]
  schedule:
    - cron: "17 3 * * *"

permissions: {}

jobs:
  # Has no secrets, because it runs what a pull request wrote. The plan compares with the newest snapshot of main.
  check:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    permissions:
      contents: read
    env:
      GWCONF_ENV: ${name}
${shown}    steps:
${checkout}          fetch-depth: 0 # --base needs the history
${node}      - run: rm -rf snapshot.json # one of the branch is not that of the gateway
      - id: snapshot
        uses: ${RESTORE}
        with:
          path: snapshot.json
          key: gateway-snapshot
          restore-keys: gateway-snapshot-
      - run: ${gwconf} validate
      - if: steps.snapshot.outputs.cache-matched-key == ''
        run: |
          echo "::warning::No plan was made, because there is no snapshot: the job plan of main takes one."
          # The pull request that adds this file passes without it.
          if git cat-file -e refs/remotes/origin/main:.github/workflows/gateway.yaml; then exit 1; fi
      - if: steps.snapshot.outputs.cache-matched-key != ''
        run: ${gwconf} plan --snapshot snapshot.json --base origin/main --fail-on loss -o human -o step-summary -o github=/dev/stderr

  # Reads the gateway. Keep the secrets in this environment of the repository, and limit it to main.
  plan:
    if: github.event_name != 'pull_request'
    runs-on: ubuntu-latest
    environment: ${JSON.stringify(`${environment}-plan`)}
    permissions:
      contents: read
${settings}    outputs:
      result: \${{ steps.plan.outputs.result }}
    steps:
${tool}      - id: plan
        run: ${gwconf} plan --out plan.json --fail-on loss -o human -o step-summary -o html=plan.html
${credentials}      - uses: ${UPLOAD}
        with:
          name: plan
          path: |
            plan.json
            plan.html
${saveSnapshot('planned')}
  # Waits for a reviewer: require one in this environment, and limit it to main. If the gateway or main has changed since the plan,
  # apply stops with exit code 4: the plan of an older commit would bring back what was reverted since.
  apply:
    needs: plan
    if: github.event_name == 'push' && needs.plan.outputs.result == 'changes'
    runs-on: ubuntu-latest
    environment: ${name}
    concurrency: gateway
    permissions:
      contents: read
${settings}    steps:
${checkout}          ref: refs/heads/main
${node}      - run: echo "GWCONF_EXPECT_COMMIT=$(git rev-parse HEAD)" >> "$GITHUB_ENV"
      - uses: ${DOWNLOAD}
        with:
          name: plan
      - run: ${gwconf} apply plan.json
${credentials}      # With the journal, gwconf undo takes the run back. Only files are kept: a link in the folder may lead anywhere.
      - if: always()
        run: |
          rm -rf gwconf-journal && mkdir gwconf-journal
          if [ -d .gwconf ]; then find .gwconf -path '.gwconf/journal/*' -type f -exec cp {} gwconf-journal \\; ; fi
      - if: always()
        uses: ${UPLOAD}
        with:
          name: journal
          path: gwconf-journal
          if-no-files-found: ignore
${saveSnapshot('applied')}`;
}

// A tag can be moved; a commit cannot.
const CHECKOUT = 'actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1';
const SETUP_NODE = 'actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0';
const RESTORE = 'actions/cache/restore@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0';
const SAVE = 'actions/cache/save@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0';
const UPLOAD = 'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2';
const DOWNLOAD = 'actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0';

function allowedHostOf(url: string): string {
  return URL.canParse(url) ? originOf(new URL(url)) : '';
}

/** The first resource; in comments where the gateway may have others. */
export function firstFile(
  folder: string,
  schemaFor: (path: string) => string,
  isComment: boolean,
): FolderFile {
  const text = isComment ? FIRST_RESOURCE.replaceAll(/^(?!#)/gm, '# ').replace(/# $/, '') : FIRST_RESOURCE;
  const path = 'topics.yaml';
  return { path: join(folder, path), text: `# yaml-language-server: $schema=${schemaFor(path)}\n${text}` };
}

const FIRST_RESOURCE = `# An alias of a topic, for clients of the passthrough virtual cluster.
apiVersion: gateway/v2
kind: AliasTopic
metadata:
  name: orders
spec:
  physicalName: orders-v1
`;

/** .gitignore with what git must not have; undefined if it has all of it already. */
export async function gitignore(url: string, io: Io): Promise<FolderFile | undefined> {
  const path = IGNORE_FILE;
  const before = io.exists(path) ? await io.readFile(path) : '';
  const there = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const state = /^embedded:([\w./-]+)$/.exec(url)?.[1];
  const missing = [...(state === undefined ? [] : [state]), ...IGNORED].filter((line) => !there.has(line));
  if (missing.length === 0) return undefined;
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' ? '' : before.endsWith('\n') ? end : `${end}${end}`;
  return { path, text: `${before}${gap}${[HEADING, ...missing, ''].join(end)}` };
}

export const IGNORE_FILE = '.gitignore';
const HEADING =
  '# gwconf: journals, saved plans, snapshots, embedded gateways, keys, secrets and what npm installs';
const IGNORED = [
  '.gwconf/*',
  '!.gwconf/schema.json',
  'plan.json',
  '*.plan.json',
  'snapshot.json',
  '*.snapshot.json',
  'plan-key.pem',
  '.env',
  'node_modules/',
];

/** The folders of these files, or this one if some are in it. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  if (paths.some((path) => basename(path) === path)) return ['.'];
  return [...new Set(paths.map((path) => path.split(/[\\/]/)[0] ?? path))].sort();
}
