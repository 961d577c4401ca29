import { VERSION } from '../../workflow/tool.ts';
import { originOf } from '../connect/allowed-hosts.ts';

/** A GitHub Actions workflow that gives no secret to what a pull request wrote. Texts are quoted as JSON, which is YAML. */
export function makeWorkflow(environment: string, url: string): string {
  const name = JSON.stringify(environment);
  const password = url.startsWith('embedded:') ? '' : PASSWORD;
  return `# Checks each pull request, and delivers each push to main.
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
    steps:
      - run: npm install --global gwconf@${VERSION}
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
      - id: snapshot
        uses: ${RESTORE}
        with:
          path: snapshot.json
          key: gateway-snapshot
          restore-keys: gateway-snapshot-
      - run: gwconf validate
      - if: steps.snapshot.outputs.cache-matched-key != ''
        run: gwconf plan --snapshot snapshot.json -o human -o github=/dev/stderr

  # Keep the secrets in this environment of the repository, and limit it to main: then no other branch can use them.
  deliver:
    if: github.event_name != 'pull_request'
    runs-on: ubuntu-latest
    environment: ${name}
    concurrency: gateway
    permissions:
      contents: read
    env:
      GWCONF_ENV: ${name}
${password}      # The URLs that gwconf.yaml may name, and the variables that files may use, such as "VAULT_TOKEN,TEAM_*".
      GWCONF_ALLOWED_HOSTS: ${JSON.stringify(allowedHostOf(url))}
      GWCONF_ALLOWED_VARIABLES: ""
    steps:
      - run: npm install --global gwconf@${VERSION}
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
      - if: github.event_name == 'push'
        run: gwconf plan --out plan.json && gwconf apply plan.json
      - run: gwconf snapshot --out snapshot.json
      - uses: ${SAVE}
        with:
          path: snapshot.json
          key: gateway-snapshot-\${{ github.run_id }}-\${{ github.run_attempt }}
`;
}

// A tag can be moved; a commit cannot.
const CHECKOUT = 'actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1';
const RESTORE = 'actions/cache/restore@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0';
const SAVE = 'actions/cache/save@0057852bfaa89a56745cba8c7296529d2fc39830 # v4.3.0';

const PASSWORD = '      GWCONF_PASSWORD: ${{ secrets.GWCONF_PASSWORD }}\n';

function allowedHostOf(url: string): string {
  if (url.startsWith('embedded:')) return 'embedded:';
  return URL.canParse(url) ? originOf(new URL(url)) : '';
}
