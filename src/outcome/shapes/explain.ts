import { count, define, list, maybe, object, pointer, position, text, words } from '../../model/shape.ts';
import { action, cause, stage } from '../../plan/shapes.ts';
import { environment, gateway, problems, report } from './shared.ts';
import { snapshot } from './plan.ts';

const neighbour = object({ change: text('As dependsOn of a plan names it.'), action: maybe(action) });

export const explained = define(
  'explained',
  object(
    {
      action,
      change: text('The address, with the extra step in parentheses where it is one.'),
      why: text('Why the plan has it.'),
      causes: maybe(
        list(object({ cause, path: maybe(pointer) }), 'Who caused it: once, or for each field that differs.'),
      ),
      order: maybe(text('Why it has its place, where another rule than what it depends on decides.')),
      at: maybe(position),
      position: count('From 1.', 1),
      stage,
      dependsOn: list(neighbour, 'What must have been done before.'),
      requiredBy: list(neighbour, 'What waits for it.'),
    },
    'A change of the object: why it is in the plan, and why at its place.',
  ),
);

export const explainReport = report(
  'explain-report',
  {
    title: 'Report of gwconf plan --explain and show --explain -o json',
    description: 'Why a plan changes an object, or leaves it alone.',
  },
  {
    result: words(['changes', 'no-changes', 'blocked', 'error', 'stale'], 'Of the plan.'),
    gateway,
    environment,
    snapshot,
    address: text('As it was asked for.'),
    summary: object(
      {
        changes: count('Of the whole plan.'),
        firstStage: count('Those of stage 1, before the deletes of stage 2.'),
      },
      'Numbers of changes, extra steps among them.',
    ),
    explained: list(explained, 'In their order; several where the order needs an extra step.'),
    unchanged: list(
      object({
        why: words(
          ['undeclared', 'unclaimed', 'ignored', 'unmanaged'],
          'undeclared: this branch does not declare it any more; unclaimed: managed by this project, and in no file (orphaned); ignored: by a rule; unmanaged: not managed by this project.',
        ),
        message: text('The same as a sentence.'),
      }),
      'Why the plan leaves it alone; empty if it does not.',
    ),
    problems,
  },
);
