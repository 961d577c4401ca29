import { getOrAdd } from '../../model/collect.ts';
import { compileAllowed } from '../../model/text/glob.ts';
import { valueAt, type Json } from '../../model/json/json.ts';
import { findPullRequest } from '../../forge/pull-request.ts';
import { readEvent } from '../ci.ts';
import type { Host } from '../host.ts';
import { reasonOf } from '../system-error.ts';
import { pathFrom } from './find-project.ts';
import { openSopsFile } from './sops.ts';
import { MOST_SECRET_BYTES, printedBy, type Resolved } from './printed.ts';
import { fieldOf, spellingsOf, storeOf, withMeant, type Store } from './stores.ts';
import type { SourceFault } from '../../schema/yaml/interpolate.ts';
import type { Workspace } from './workspace.ts';

/** Reads secrets from the stores that sources name, each secret once. */
export type StoreReader = (name: string) => Promise<Resolved>;

/** What was read of a secret, or why it cannot be. */
type Opened = { readonly value: Json } | { readonly fault: SourceFault };

export async function openStores(host: Host, workspace: Workspace): Promise<StoreReader> {
  const { allowedSources } = workspace.access;
  const isAllowed = allowedSources === undefined ? () => true : compileAllowed(withMeant(allowedSources));
  const isStrange = await isForPullRequest(host);
  const opened = new Map<string, Promise<Opened>>();
  const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  const inTurn = (open: () => Promise<Opened>): Promise<Opened> => {
    const lane = opened.size % AT_ONCE;
    const opening = (lanes[lane] ?? Promise.resolve()).then(open);
    lanes[lane] = opening.then(() => undefined);
    return opening;
  };
  return async (name) => {
    const found = storeOf(name);
    if ('fault' in found) return found;
    const { store, secret, field } = found;
    if (!isAllowed(name, spellingsOf(name, found))) return { fault: notAllowed(name) };
    if (isStrange) return { fault: inPullRequest(name) };
    const key = JSON.stringify(store.command(secret));
    const one = await getOrAdd(opened, key, () => inTurn(() => openSecret(host, workspace, store, secret)));
    if ('fault' in one) return one;
    try {
      const value = fieldOf(one.value, field);
      if ('text' in value) return { text: store.decode?.(value.text) ?? value.text };
      return { fault: { message: `\${${name}} ${value.why}`, hint: `the form is ${store.form}` } };
    } catch {
      return { fault: { message: `\${${name}} is not text`, hint: `the form is ${store.form}` } };
    }
  };
}

/** Each may be a program of a hundred megabytes. */
const AT_ONCE = 4;

async function openSecret(host: Host, workspace: Workspace, store: Store, secret: string): Promise<Opened> {
  const { folder = '.' } = workspace.project;
  if (store.isFile !== true) return runStore(host, workspace, store, { secret, folder });
  const path = pathFrom(workspace.access.secretRoot, secret);
  const fault = (why: string, hint: string): Opened => ({
    fault: { message: `the file ${secret} ${why}`, hint },
  });
  let text: string;
  try {
    text = await host.readWithin([workspace.access.secretRoot], path, MOST_SECRET_BYTES);
  } catch (error) {
    return fault(
      `cannot be read: ${reasonOf(error)}`,
      'check the path, which begins at the folder of gwconf.yaml, or where --secret-root says',
    );
  }
  const tooLarge = workspace.memory.note('file', path, text.length);
  if (tooLarge !== undefined) return { fault: tooLarge };
  const file = await openSopsFile(text, await findIdentities(host, workspace));
  if ('value' in file) return file;
  if (file.isForeign !== true)
    return fault(file.why, 'take it from git again, or encrypt it again with sops');
  if (!workspace.access.allowExec)
    return fault(
      file.why,
      'set SOPS_AGE_KEY or SOPS_AGE_KEY_FILE to the age key; or use --allow-exec, and the program sops opens it',
    );
  return runStore(host, workspace, store, { secret: path.startsWith('-') ? `./${path}` : path, folder: '.' });
}

async function runStore(
  host: Host,
  workspace: Workspace,
  store: Store,
  { secret, folder }: { readonly secret: string; readonly folder: string },
): Promise<Opened> {
  const command = store.command(secret);
  const called = `${command[0] ?? ''} for ${secret}`;
  if (!workspace.access.allowExec) {
    const hint = 'a pull request can change what files ask for; use --allow-exec only where you trust them';
    return { fault: { message: `${called} is not run: nothing allows it`, hint } };
  }
  const printed = await printedBy(
    host,
    workspace.secrets.masker,
    { command, folder, timeoutMs: TIMEOUT_MS },
    called,
  );
  if ('fault' in printed) return printed;
  try {
    return { value: store.read(printed.text) };
  } catch {
    const hint = `run it by hand: ${command.join(' ')}`;
    return { fault: { message: `${called} printed something that is no such secret`, hint } };
  }
}

const TIMEOUT_MS = 30_000;

/** The age keys of this machine, where the program sops looks for them. */
async function findIdentities(host: Host, { secrets }: Workspace): Promise<readonly string[]> {
  const { env } = host;
  const home = env('HOME') ?? '';
  const config = env('XDG_CONFIG_HOME') ?? (home === '' ? '' : `${home}/.config`);
  const named = env('SOPS_AGE_KEY_FILE') ?? '';
  const usual = [`${config}/sops/age/keys.txt`, `${home}/Library/Application Support/sops/age/keys.txt`];
  const path = named === '' ? usual.find((one) => one.startsWith('/') && host.exists(one)) : named;
  const file = path === undefined ? '' : await host.readNamedFile(path).catch(() => '');
  const keys = `${env('SOPS_AGE_KEY') ?? ''}\n${file}`.match(/^AGE-SECRET-KEY-\S+/gm) ?? [];
  for (const key of keys) secrets.note(key);
  return keys;
}

/** What build servers set in the jobs of pull requests alone; some set it to `false` in others. */
const OF_PULL_REQUESTS = [
  ...['CI_MERGE_REQUEST_IID', 'CI_EXTERNAL_PULL_REQUEST_IID'], // GitLab
  ...['BITBUCKET_PR_ID', 'SYSTEM_PULLREQUEST_PULLREQUESTID'], // Bitbucket, Azure
  ...['CHANGE_ID', 'BUILDKITE_PULL_REQUEST', 'TRAVIS_PULL_REQUEST', 'DRONE_PULL_REQUEST'], // CHANGE_ID: Jenkins
];

/** Whether a job runs for a pull request, whose author may have written what is asked for. */
async function isForPullRequest({ env, readFile }: Host): Promise<boolean> {
  if (/^pull_request/.test(env('GITHUB_EVENT_NAME') ?? '')) return true;
  if (OF_PULL_REQUESTS.some((name) => !['', 'false'].includes(env(name) ?? ''))) return true;
  const event = await readEvent({ env, readFile });
  // Of a pull request from a fork, the event of a later workflow has no number.
  const began = valueAt(event, '/workflow_run/event');
  if (typeof began === 'string' && began.startsWith('pull_request')) return true;
  return findPullRequest(env, event)?.number !== undefined;
}

function notAllowed(name: string): SourceFault {
  return {
    message: `\${${name}} is not read: nothing allows it`,
    hint: `if files can use it, add ${name} to GWCONF_ALLOWED_SOURCES where the variables of the job are set`,
  };
}

function inPullRequest(name: string): SourceFault {
  return {
    message: `\${${name}} is not read in the job of a pull request`,
    hint: 'plan a pull request against a snapshot, gwconf plan --snapshot FILE, which needs no secret',
  };
}
