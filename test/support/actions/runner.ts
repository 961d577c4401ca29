import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Sandbox } from '../sandbox.ts';
import { holds, interpolate, type Contexts, type Status } from './expressions.ts';

type Texts = Readonly<Record<string, string>>;
type Scalars = Readonly<Record<string, string | number | boolean>>;

export type Step = {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string | boolean;
  readonly uses?: string;
  readonly with?: Scalars;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Scalars;
  readonly 'working-directory'?: string;
  readonly 'continue-on-error'?: boolean;
};
export type Job = {
  readonly if?: string;
  readonly env?: Scalars;
  readonly outputs?: Texts;
  readonly steps: readonly Step[];
};
export type Action = {
  readonly inputs?: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs?: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};

/** What became of a step; steps of an action stand before the step that uses it. */
export type StepRun = {
  readonly step: Step;
  /** `not run` is an action that this machine does not have; for the steps after it, it succeeded. */
  readonly outcome: 'success' | 'failure' | 'skipped' | 'not run';
  readonly outputs: Texts;
  /** What an action was given. */
  readonly with: Texts;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};
export type JobRun = {
  readonly result: 'success' | 'failure' | 'skipped';
  readonly outputs: Texts;
  readonly steps: readonly StepRun[];
};

export type Machine = {
  /** Its folder is the workspace of the job. */
  readonly sandbox: Sandbox;
  /** The context `github`; `event` is what the event says. */
  readonly github: Readonly<Record<string, unknown>> & { readonly event?: unknown };
  /** `vars`, `secrets`, `needs`, `matrix` and the like. */
  readonly contexts?: Contexts;
  /** More of the environment of each step, such as the addresses of servers. */
  readonly env?: Texts;
  /** Actions by their name, without the version: the folder of one to run, or what another does, with its outputs. */
  readonly actions?: Readonly<Record<string, string | ((given: Texts) => Texts)>>;
};

/** Runs a job as a GitHub runner does: each `run` in bash, actions made of steps, and other actions as the machine says. */
export async function runJob(job: Job, machine: Machine): Promise<JobRun> {
  const contexts = { ...baseContexts(machine), env: {} };
  if (!holds(job.if, contexts, statusOf(contexts))) return { result: 'skipped', outputs: {}, steps: [] };
  const env = { ...interpolateAll(job.env, contexts) };
  const run = await runSteps(job.steps, machine, { contexts: { ...contexts, env }, env, paths: [] });
  return { ...run, outputs: interpolateAll(job.outputs, run.contexts) };
}

/** How the jobs ended that this one needs. */
function statusOf({ needs }: Contexts): Status {
  const results = Object.values(needs as Readonly<Record<string, { readonly result?: string }>>); // as GitHub has it
  return results.some(({ result }) => result === 'failure') ? 'failure' : 'success';
}

/** Runs an action as the only step of a job. */
export async function runAction(folder: string, given: Scalars, machine: Machine): Promise<JobRun> {
  const step = { id: 'action', uses: 'the-action', with: given };
  const job = await runJob(
    { steps: [step] },
    { ...machine, actions: { ...machine.actions, 'the-action': folder } },
  );
  return { ...job, outputs: job.steps.at(-1)?.outputs ?? {} };
}

/** What has been added to the summary of the job. */
export function summaryOf({ sandbox }: Machine): string {
  return readIfThere(join(filesOf(sandbox), 'summary'));
}

type Scope = {
  readonly contexts: Contexts & { readonly env: Texts };
  /** What the steps before have exported too. */
  readonly env: Record<string, string>;
  /** Folders with programs, the last one first. */
  readonly paths: string[];
  readonly actionPath?: string;
};
type StepsRun = Omit<JobRun, 'outputs'> & { readonly contexts: Contexts };

async function runSteps(steps: readonly Step[], machine: Machine, scope: Scope): Promise<StepsRun> {
  const runs: StepRun[] = [];
  const ended: Record<string, unknown> = {};
  let status: Status = 'success';
  const contextsNow = (step: Step = {}): Scope['contexts'] => {
    const shared = { ...scope.contexts, steps: ended, job: { status }, env: scope.env };
    return { ...shared, env: { ...scope.env, ...interpolateAll(step.env, shared) } };
  };
  for (const step of steps) {
    const contexts = contextsNow(step);
    const all = holds(step.if, contexts, status)
      ? await runStep(step, machine, { ...scope, contexts })
      : [skip(step)];
    const run = all.at(-1) ?? skip(step);
    runs.push(...all);
    const outcome = run.outcome === 'not run' ? 'success' : run.outcome;
    const isForgiven = outcome === 'failure' && step['continue-on-error'] === true;
    if (outcome === 'failure' && !isForgiven) status = 'failure';
    if (step.id !== undefined)
      ended[step.id] = { outcome, conclusion: isForgiven ? 'success' : outcome, outputs: run.outputs };
  }
  return { result: status, steps: runs, contexts: contextsNow() };
}

function runStep(step: Step, machine: Machine, scope: Scope): Promise<readonly StepRun[]> {
  return step.run === undefined ? useAction(step, machine, scope) : runScript(step, machine, scope);
}

async function useAction(step: Step, machine: Machine, scope: Scope): Promise<readonly StepRun[]> {
  const { uses = '' } = step;
  const given = interpolateAll(step.with, scope.contexts);
  const name = uses.split('@')[0] ?? '';
  const action = name.startsWith('./') ? join(machine.sandbox.folder, name) : machine.actions?.[name];
  const done = { ...skip(step), with: given };
  if (action === undefined) return [{ ...done, outcome: 'not run' }];
  if (typeof action !== 'string') return [{ ...done, outcome: 'success', outputs: action(given) }];
  const { result, outputs, steps } = await runComposite(action, given, machine, scope);
  return [...steps, { ...done, outcome: result, outputs }];
}

async function runComposite(folder: string, given: Texts, machine: Machine, scope: Scope): Promise<JobRun> {
  const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as Action; // GitHub's linter checks its shape
  const { inputs: declared = {}, outputs = {}, runs } = action;
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(', ')}`);
  const { secrets: _, ...outer } = scope.contexts as Contexts & { readonly secrets?: unknown };
  const defaults = Object.entries(declared).map(([name, { default: value = '' }]) => [
    name,
    interpolate(value, outer),
  ]);
  const inputs = { ...(Object.fromEntries(defaults) as Texts), ...given };
  const github = { ...(outer['github'] as object), action_path: folder };
  const env = { ...scope.contexts.env };
  const { paths } = scope;
  const inner = { contexts: { ...outer, github, inputs, env }, env, paths, actionPath: folder };
  const { contexts, ...run } = await runSteps(runs.steps, machine, inner);
  const values = Object.entries(outputs).map(([name, { value }]) => [name, interpolate(value, contexts)]);
  return { ...run, outputs: Object.fromEntries(values) as Texts };
}

async function runScript(step: Step, machine: Machine, scope: Scope): Promise<readonly StepRun[]> {
  const { sandbox } = machine;
  const files = filesOf(sandbox);
  const script = join(files, 'step.sh');
  const [output, exported, added] = [join(files, 'output'), join(files, 'env'), join(files, 'path')];
  for (const path of [output, exported, added]) writeFileSync(path, '');
  const { contexts } = scope;
  writeFileSync(script, interpolate(step.run ?? '', contexts));
  const folder = resolve(sandbox.folder, interpolate(step['working-directory'] ?? '.', contexts));
  // Without `shell`, a failure in the middle of a pipe goes unnoticed.
  const bash = step.shell === undefined ? 'bash -e' : 'bash --noprofile --norc -e -o pipefail';
  const path = [...scope.paths, '$PATH'].join(':');
  const line = `cd '${folder}' && PATH="${path}" ${bash} '${script}' 2> >(cat >&2)`;
  const { code, stdout, stderr } = await sandbox.bash(line, {
    ...environmentOf(machine),
    ...contexts.env,
    GITHUB_OUTPUT: output,
    GITHUB_ENV: exported,
    GITHUB_PATH: added,
    ...(scope.actionPath === undefined ? {} : { GITHUB_ACTION_PATH: scope.actionPath }),
  });
  Object.assign(scope.env, readVariables(exported));
  scope.paths.unshift(...readFileSync(added, 'utf8').split('\n').filter(Boolean).reverse());
  const outcome = code === 0 ? 'success' : 'failure';
  return [{ step, outcome, outputs: readVariables(output), with: {}, code, stdout, stderr }];
}

function skip(step: Step): StepRun {
  return { step, outcome: 'skipped', outputs: {}, with: {}, code: null, stdout: '', stderr: '' };
}

/** The lines `NAME=VALUE`, and values of several lines between `NAME<<END` and `END`. */
function readVariables(path: string): Texts {
  const found = readFileSync(path, 'utf8').matchAll(/^([^=<\n]+)(?:=(.*)|<<(\S+)\n((?:.*\n)*?)\3)$/gm);
  return Object.fromEntries(
    [...found].map(([, name = '', value, , lines]) => [name, value ?? (lines ?? '').replace(/\n$/, '')]),
  );
}

function environmentOf({ sandbox, github, env = {} }: Machine): Texts {
  const files = filesOf(sandbox);
  const event = join(files, 'event.json');
  writeFileSync(event, JSON.stringify(github.event ?? {}));
  const known = Object.entries(github).filter(([, value]) => typeof value === 'string');
  const named = known
    .filter(([name]) => name !== 'token')
    .map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value]);
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: sandbox.folder,
    GITHUB_EVENT_PATH: event,
    GITHUB_STEP_SUMMARY: join(files, 'summary'),
    RUNNER_TEMP: join(files, 'temp'),
    ...(Object.fromEntries(named) as Texts),
    ...env,
  };
}

function baseContexts({ sandbox, github, contexts = {} }: Machine): Contexts {
  const temp = join(filesOf(sandbox), 'temp');
  mkdirSync(temp, { recursive: true });
  return {
    vars: {},
    secrets: {},
    needs: {},
    matrix: {},
    inputs: {},
    ...contexts,
    github: { workspace: sandbox.folder, ...github },
    runner: { os: 'Linux', temp },
    steps: {},
  };
}

/** The runner's own folder, beside the workspace. */
function filesOf({ folder }: Sandbox): string {
  return join(dirname(folder), 'runner');
}

function interpolateAll(values: Scalars | undefined, contexts: Contexts): Texts {
  const texts = Object.entries(values ?? {}).map(([name, value]) => [
    name,
    interpolate(String(value), contexts),
  ]);
  return Object.fromEntries(texts) as Texts;
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

export function allOutput({ steps }: JobRun): string {
  return steps.map(({ stdout, stderr }) => stdout + stderr).join('');
}
