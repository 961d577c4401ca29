import type { PlanOf } from '../../editor/plan-marks.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { list } from '../../model/text/list.ts';
import type { LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { snapshotSource, openSnapshot, takeSnapshot } from '../../workflow/live/live-source.ts';
import { planInput } from '../../workflow/plan/plan.ts';
import { openApart } from '../../workflow/project/open-workspace.ts';
import { leaveSecretsOpen } from '../../workflow/project/workspace.ts';
import { RequestError } from '../../workflow/system-error.ts';
import { tryConnectToRead } from '../connect/connect.ts';
import { readSettings, withoutFlags } from '../connect/settings.ts';
import type { Io } from '../io.ts';
import type { InputOf } from './look-at.ts';

export type ComparisonOptions = {
  /** The file with the snapshot of an environment; undefined if it has none. */
  readonly snapshotFor: (environment: string) => string | undefined;
  /** Told of a snapshot that cannot be read: once, and not with each letter that is typed. */
  readonly warn: (message: string) => void;
};

/** Compares files with snapshots, and with what gateways had when somebody asked. */
export class Comparison {
  readonly #io: Io;
  readonly #options: ComparisonOptions;
  /** What gateways had, by environment, and the URL that gwconf.yaml named. */
  readonly #live = new Map<string, { readonly snapshot: LiveSnapshot; readonly url: string | undefined }>();
  /** What was wrong with snapshots, by environment. */
  readonly #warned = new Map<string, string>();
  #turn = 0;
  #plans: readonly PlanOf[] = [];

  constructor(io: Io, options: ComparisonOptions) {
    this.#io = io;
    this.#options = options;
  }

  get hasGateways(): boolean {
    return this.#live.size > 0;
  }

  /** Those of the last comparison. */
  get plans(): readonly PlanOf[] {
    return this.#plans;
  }

  /**
   * What a plan of each environment would change; none where there is nothing to compare with, or no plan because of what is wrong with
   * the files. Returns undefined if another comparison has begun meanwhile.
   */
  async plan(inputs: readonly InputOf[]): Promise<readonly PlanOf[] | undefined> {
    const turn = ++this.#turn;
    const plans: PlanOf[] = [];
    for (const of of inputs) {
      const { name, workspace, input } = of;
      const snapshot = await this.#snapshotOf(of);
      if (snapshot === undefined) continue;
      const open = leaveSecretsOpen(this.#io, workspace);
      const source = snapshotSource(this.#io, open, snapshot);
      const { shown, cannotTell, problems } = await planInput(this.#io, open, source, input);
      if (shown === undefined) continue;
      const { declared, removals } = input;
      const isBlocked = hasErrors(problems);
      plans.push({
        ...{ name, plan: shown, isBlocked, cannotTell, declared, removals },
        takenAt: snapshot.takenAt,
      });
    }
    if (this.#turn !== turn) return undefined;
    this.#plans = plans;
    return plans;
  }

  /**
   * Reads the gateway of an environment with `io`, and compares with what it has from now on. Returns the name of the environment; throws
   * a RequestError if there is no such one, or its gateway cannot be read.
   */
  async readGateway(io: Io, inputs: readonly InputOf[], environment: unknown): Promise<string> {
    const of = inputs.find(({ name }) =>
      environment === undefined ? inputs.length === 1 : name === environment,
    );
    if (of === undefined)
      throw new RequestError(
        inputs.length === 0
          ? 'gwconf.yaml has no environment with files'
          : `name one of the environments: ${list(inputs.map(({ name }) => name))}`,
      );
    this.#live.set(of.name, { snapshot: await readGatewayOf(io, of), url: urlOf(of) });
    return of.name;
  }

  async #snapshotOf(of: InputOf): Promise<LiveSnapshot | undefined> {
    const live = this.#live.get(of.name);
    if (live !== undefined && live.url === urlOf(of)) return live.snapshot;
    const path = this.#options.snapshotFor(of.name);
    if (path === undefined) return undefined;
    try {
      const opened = await openSnapshot(this.#io, of.workspace, path, { mayBeOld: true });
      if ('failed' in opened) throw failure(opened.problems);
      this.#warned.delete(of.name);
      return opened.value;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (this.#warned.get(of.name) !== error.message) this.#options.warn(error.message);
      this.#warned.set(of.name, error.message);
      return undefined;
    }
  }
}

/** What a gateway has now: it is read, and nothing else. The connection is that of other commands. */
async function readGatewayOf(io: Io, { name, workspace }: InputOf): Promise<LiveSnapshot> {
  const own = openApart(io, workspace, name, io.masker);
  const { url } = await readSettings({}, io, own.gateway);
  if (url.problem === undefined && (url.value ?? '') === '')
    throw new RequestError(
      `no gateway URL: write gateway.url for ${name} in gwconf.yaml, or set GWCONF_URL where the editor is started`,
    );
  const opened = await tryConnectToRead({}, io, own);
  if ('problems' in opened) throw failure(opened.problems);
  const { gateway } = opened;
  try {
    const taken = await takeSnapshot(io, own, gateway);
    if ('failed' in taken) throw failure(taken.problems);
    return taken.value;
  } finally {
    await gateway.close();
  }
}

function failure(problems: readonly Problem[]): RequestError {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return new RequestError(
    errors
      .map(({ message, hint }) => (hint === undefined ? message : `${message}: ${withoutFlags(hint)}`))
      .join('; '),
  );
}

function urlOf({ workspace }: InputOf): string | undefined {
  return workspace.gateway?.settings.url;
}
