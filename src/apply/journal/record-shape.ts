import {
  address,
  count,
  exactly,
  list,
  maybe,
  numbers,
  object,
  oneBy,
  text,
  time,
  words,
} from '../../model/shape.ts';

// A line of a journal has neither bodies nor messages of the gateway, so no secrets.

const ofProcess = { at: time(), tool: text(), pid: count(), host: text() };

/** A process that carries a run out, and since when. A run that is resumed has several. */
export const runProcess = object(ofProcess);

const ofAuthor = { by: maybe(text()), commit: maybe(text()), branch: maybe(text()) };

/** Who began a run, and the commit and branch that it was made of, as far as that is known. */
export const runAuthor = object(ofAuthor);

/** The first line of a journal. */
export const started = object({
  ...ofProcess,
  ...ofAuthor,
  type: exactly('started'),
  format: exactly('gwconf/journal@1'),
  run: text(),
  gateway: text(),
  environment: maybe(text()),
  undoes: maybe(text('The run that this one undoes.')),
  deleted: maybe(
    list(
      address,
      'The objects that the run deleted to create again, and may not have created: known however often this run is resumed.',
    ),
  ),
  plan: text('The digest of the saved plan beside the journal.'),
  changes: count('The number of changes in that plan.'),
  counts: maybe(
    object(numbers(['create', 'update', 'replace', 'delete']), 'How many objects the plan changes how.'),
  ),
});

export const record = oneBy('type', [
  started,
  object(
    { type: exactly('intent'), n: count(), call: words(['put', 'delete']), address, at: time() },
    'On disk before the call is sent; `n` counts the calls of a run from 1.',
  ),
  object({
    type: exactly('result'),
    n: count(),
    answer: words(
      ['done', 'unchanged', 'absent', 'refused', 'lost', 'unsent'],
      '`unsent` if it was never sent, `lost` if there was no response to tell.',
    ),
    status: maybe(count('The HTTP status of a refusal.')),
    at: time(),
  }),
  object(
    {
      type: exactly('ended'),
      address,
      step: maybe(words(['release', 'expand', 'bridge', 'unbridge'])),
      outcome: words(['done', 'already', 'failed', 'blocked', 'not-attempted']),
      why: maybe(text('Why it failed, without secrets.')),
    },
    'The outcome of a change, as in the ledger.',
  ),
  object({ type: exactly('resumed'), ...ofProcess }),
  object({
    type: exactly('finished'),
    result: words(['applied', 'no-changes', 'partial', 'failed', 'interrupted']),
    at: time(),
  }),
]);
