import { EXIT, type ExitCode } from '../outcome/verdict.ts';
import type { Run } from './given.ts';
import type { Io } from './io.ts';
import { VERSION } from '../workflow/tool.ts';
import type { Args, Name, Operand } from './table/commands.ts';

type Old<N extends Name> = (
  operand: Operand<N>,
  args: Args<N> & { readonly output?: readonly string[] },
  io: Io,
) => ExitCode | Promise<ExitCode>;

function old<N extends Name>(_: N, load: () => Promise<Old<N>>): () => Promise<{ readonly run: Run<N> }> {
  return async () => {
    const run = await load();
    return { run: async (given) => run(given.operand, given.args, given.io) };
  };
}
function bare<N extends Name>(
  _: N,
  load: () => Promise<
    (args: Args<N> & { readonly output?: readonly string[] }, io: Io) => ExitCode | Promise<ExitCode>
  >,
): () => Promise<{ readonly run: Run<N> }> {
  return async () => {
    const run = await load();
    return { run: async (given) => run(given.args, given.io) };
  };
}
function noFlags<N extends Name>(
  _: N,
  load: () => Promise<(operand: Operand<N>, io: Io) => ExitCode | Promise<ExitCode>>,
): () => Promise<{ readonly run: Run<N> }> {
  return async () => {
    const run = await load();
    return { run: async (given) => run(given.operand, given.io) };
  };
}

/** What each command does, loaded when it runs. */
export const RUNS: { readonly [name in Name]: () => Promise<{ readonly run: Run<name> }> } = {
  init: () => import('./commands/init.ts'),
  validate: old('validate', async () => (await import('./commands/validate.ts')).validate),
  test: old('test', async () => (await import('./commands/test.ts')).test),
  plan: () => import('./commands/plan.ts'),
  diff: () => import('./commands/diff.ts'),
  apply: old('apply', async () => (await import('./commands/apply.ts')).apply),
  undo: old('undo', async () => (await import('./commands/undo.ts')).undo),
  journal: old('journal', async () => (await import('./commands/journal.ts')).journal),
  show: old('show', async () => (await import('./commands/show.ts')).show),
  comment: old('comment', async () => (await import('./commands/comment.ts')).comment),
  import: old('import', async () => (await import('./commands/import.ts')).importCommand),
  drift: () => import('./commands/drift.ts'),
  get: old('get', async () => (await import('./commands/get.ts')).get),
  plugins: bare('plugins', async () => (await import('./commands/plugins.ts')).plugins),
  effective: old('effective', async () => (await import('./commands/effective.ts')).effective),
  resolve: bare('resolve', async () => (await import('./commands/resolve.ts')).resolve),
  'token issue': old('token issue', async () => (await import('./commands/token-issue.ts')).issue),
  'token inspect': old('token inspect', async () => (await import('./commands/token-inspect.ts')).inspect),
  'cluster switch': bare(
    'cluster switch',
    async () => (await import('./commands/cluster-switch.ts')).switchCluster,
  ),
  export: old('export', async () => (await import('./commands/export.ts')).exportFiles),
  migrate: old('migrate', async () => (await import('./commands/migrate.ts')).migrate),
  snapshot: bare('snapshot', async () => (await import('./commands/snapshot.ts')).snapshot),
  render: old('render', async () => (await import('./commands/render.ts')).render),
  doctor: bare('doctor', async () => (await import('./commands/doctor.ts')).doctor),
  keygen: bare('keygen', async () => (await import('./commands/keygen.ts')).keygen),
  schema: noFlags('schema', async () => (await import('./commands/schema.ts')).schema),
  gateway: bare('gateway', async () => (await import('./commands/gateway.ts')).gateway),
  fmt: old('fmt', async () => (await import('./commands/fmt.ts')).fmt),
  explain: noFlags('explain', async () => (await import('./commands/explain.ts')).explain),
  template: noFlags('template', async () => (await import('./commands/template.ts')).template),
  version: () =>
    Promise.resolve({
      run: ({ io }) => {
        io.out(`gwconf ${VERSION}\n`);
        return Promise.resolve(EXIT.ok);
      },
    }),
  completion: noFlags('completion', async () => (await import('./present/completion.ts')).completion),
};
