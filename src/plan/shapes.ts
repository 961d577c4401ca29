import { Type, type TUnsafe } from 'typebox';
import {
  address,
  anything,
  count,
  define,
  described,
  either,
  exactly,
  flag,
  integer,
  list,
  mapOf,
  maybe,
  nullable,
  numbers,
  object,
  oneBy,
  pointer,
  position,
  text,
  words,
  type Plain,
} from '../model/shape.ts';

import { PROTECTED } from '../model/strength.ts';
import type { ChangeId } from './change/change.ts';

// What plans, and what is told of plans, have in common.

export const action = words(['create', 'update', 'replace', 'delete']);

export const stage = Type.Unsafe<1 | 2>({
  description: '1 makes, 2 breaks; 2 starts when all of 1 has succeeded.',
  enum: [1, 2],
});

export const cause = define(
  'cause',
  words(
    ['branch', 'drift', 'base-or-drift', 'base', 'behind'],
    'Why the gateway is not as the files are. branch: this branch changed the files. base: the base did, and it is not applied yet. drift: somebody changed the gateway. base-or-drift: one of the last two; neither the history in this clone nor that of a variable tells which. behind: the base changed its files since this branch began, and this branch did not.',
  ),
);

export const causes = Type.Unsafe<Plain<typeof cause> | 'mixed'>({
  description:
    'Only with --base, and if it is known: its cause, or mixed where its fields have different ones.',
  anyOf: [cause, exactly('mixed')],
});

export const field = define(
  'field',
  oneBy(
    'op',
    [
      object({ op: exactly('add'), path: pointer, after: anything() }),
      object({ op: exactly('remove'), path: pointer, before: anything() }),
      object({ op: exactly('set'), path: pointer, before: anything(), after: anything() }),
    ],
    'One field that differs. Secrets stand as (hidden).',
  ),
);

/** What became of secrets. */
export const verdicts = mapOf(
  words(['changed', 'same']),
  'What became of each secret of what is updated or replaced, by its pointer.',
  { propertyNames: pointer },
);

export const counts = define(
  'counts',
  object(
    {
      ...numbers(['create', 'update', 'replace', 'delete']),
      unchanged: count(),
      unclaimed: count('Orphaned: managed by this project, but in no file. Only --prune deletes it.'),
      unmanaged: count(
        'On the gateway, in no file, and outside of what is managed, or nothing says what that is; left alone.',
      ),
      ignored: count('Differences and whole objects that gwconf.yaml says to ignore.'),
    },
    'Counts objects.',
  ),
);

export const undo = define(
  'undo',
  object({
    run: text('The run that is taken back.'),
    losses: list(
      object({
        address,
        leftOut: flag(
          'Whether the object stays as the run leaves it; else it comes back, but for what the reason says.',
        ),
        reason: text(),
      }),
      'What does not come back.',
    ),
  }),
);

export const priority = either([integer(), exactly('(hidden)')], '(hidden) where it is a secret.');

export const link = define(
  'link',
  object(
    {
      address,
      pluginClass: text(),
      priority,
    },
    'An interceptor in a chain.',
  ),
);

function changeId(description: string): TUnsafe<ChangeId> {
  return Type.Unsafe<ChangeId>(text(description));
}

/** Principals that something happens to. */
export const affected = {
  virtualCluster: text(),
  username: nullable('null: all other clients in the virtual cluster.'),
  groups: list(text(), 'The groups that it is in after the plan.'),
  externalGroup: maybe(text('The clients that the identity provider has in this group.')),
  identity: maybe(
    object(
      {
        externalName: maybe(text('Absent where moved renames the account.')),
        was: object({ virtualCluster: text(), username: text() }, 'The account before.'),
      },
      'Only of a client that has this account by the plan, and another one before: the plan renames it, or gives it the external name.',
    ),
  ),
};

/** Their interceptors. */
export const chains = {
  before: list(link, 'The interceptors that run for it now, in order.'),
  after: list(link, 'Those that run after the plan.'),
};

const protection = text(
  'encryption, masking, audit, access, safeguard, data-quality, or a name from protection in gwconf.yaml.',
);

const accepted = maybe(
  object(
    { reason: maybe(text()), until: maybe(text('The last day: YYYY-MM-DD.')) },
    'Set if the loss is accepted.',
  ),
);

/** The protection that they lose. */
export const loss = {
  protection,
  lasting: flag('Whether the protection does not come back with this plan.'),
  lost: list(address, 'The interceptors that gave the protection before.'),
  from: changeId('The change that takes the protection away; named as in dependsOn.'),
  until: maybe(changeId('The change that brings it back; absent if it is lasting.')),
  seconds: maybe(count('How long it lasts at the pace of the gateway; absent if that is unknown.', 1)),
  accepted,
};

const weakenedPart = object({
  what: words(PROTECTED),
  names: list(text(), 'Of fields, requests or rules; (hidden) where a name is a secret.'),
  loss: words(
    ['whole', 'part', 'undone'],
    'Whether nothing protects it any more, there; undone: an interceptor takes the protection off.',
  ),
  topics: either(
    [list(text()), Type.Unsafe<null>({ type: 'null' })],
    'The known topics where that is so; none: all that match, beside those that other parts name; null if it has nothing to do with topics.',
  ),
  pattern: nullable('The pattern of the topics that it was for.'),
});

/** A sort of protection that does less. */
export const weaker = {
  protection,
  certainty: words(
    ['weaker', 'hidden', 'cannot-tell'],
    'hidden: a value that is hidden, or cannot be judged in the place of one that could, decides which of both protects more, and it counts as weaker. cannot-tell: that is not documented.',
  ),
  by: described('The interceptor that gave the protection before.', address),
  fields: list(pointer, 'What of it makes the difference; empty where it no longer runs.'),
  parts: list(weakenedPart, 'What is less protected.'),
};

/** The protection of theirs that does less. */
export const weakness = {
  ...weaker,
  from: list(changeId('A change that does it; named as in dependsOn.')),
  until: maybe(changeId('The change that makes it good; absent if it is lasting.')),
  accepted,
};

/** Where the branch of a plan starts. */
export const base = {
  ref: text('As --base names it.'),
  commit: text('The newest commit that HEAD and the ref have in common.', { pattern: '^[0-9a-f]{40,64}$' }),
  behind: count('How many commits of the ref HEAD does not have.'),
  lacks: maybe(
    words(
      ['project', 'environment'],
      'What the base does not have here: rules are compared with the usual ones.',
    ),
  ),
  undeclared: maybe(
    list(
      object({
        address,
        was: described('Where the base declares it.', position),
        managed: flag('Whether the branch still manages it.'),
        to: maybe(described('What looks like it under another name or in another scope.', address)),
        removed: maybe(flag('Whether the base does not declare it, but deletes it by name.')),
      }),
      'Objects that the base declares and the branch does not, and that stay on the gateway. Absent if there are none.',
    ),
  ),
  removal: maybe(text('Documents of kind Removal that delete or rename them, to paste.')),
  ruleChanges: maybe(
    list(
      object({
        rule: text('What it is called, such as limits.deletes.'),
        at: maybe(described('Where the branch has it, or what is around it.', position)),
        before: maybe(text('Its value on the base; absent if there is none.')),
        after: maybe(text('Its value on the branch; absent if there is none.')),
        loosens: flag('Whether it may allow more than before.'),
      }),
      'Rules of gwconf.yaml, policies and tests that the branch has otherwise than the base. Absent if there are none.',
    ),
  ),
};

/** What a run covers, and may do. */
export const bounds = {
  manages: maybe(
    list(text(), 'The globs of the objects that this project manages; absent if manages is not set.'),
  ),
  prune: maybe(list(text(), 'Only with --prune: the globs of the orphaned objects that this run deletes.')),
  limits: maybe(
    object(
      { deletes: maybe(limit()), updates: maybe(limit()) },
      'What this run was allowed, where that is not what the project says.',
    ),
  ),
};

function limit() {
  return object(
    { objects: maybe(count()), percent: maybe(count('Of what is managed.')) },
    'A run is over a limit when it is over each of its bounds.',
  );
}

/** An address, which may be compared with any text. */
const name = Type.Unsafe<string>(address);

/** Objects that a plan leaves alone. */
export const leftAlone = {
  unclaimed: list(name, 'Orphaned: managed by this project, but in no file. Only --prune deletes it.'),
  unmanaged: list(
    name,
    'On the gateway, in no file, left alone; empty where manages says what is managed: others are only counted.',
  ),
  ignored: list(
    object({
      address,
      path: maybe(described('Only the field there; absent for the whole object.', pointer)),
      reason: text(),
    }),
    'Left as it is on the gateway, as gwconf.yaml says.',
  ),
};
