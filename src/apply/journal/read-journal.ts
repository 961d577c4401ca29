import { getOrAdd, present } from '../../model/collect.ts';
import { hasDuplicateKeys } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import { isObject } from '../../model/json/json.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { idOf, type ChangeId } from '../../plan/change/change.ts';
import type { EntryOutcome } from '../events.ts';
import {
  isSuccess,
  JOURNAL_FORMAT,
  type CallResult,
  type Journal,
  type JournalCall,
  type JournalRecord,
  type RecordOf,
  type RunProcess,
  type StartRecord,
} from './journal.ts';
import { checks } from './record-checks.ts';

/**
 * Reads the journal of a run up to where its writer was killed. A line that was torn by that is ignored, at the end and
 * before a `resumed` record. Any other line that is not understood is a problem.
 */
export function readJournal(text: string, file: string): Checked<Journal | undefined> {
  const [first = ''] = text.split('\n', 1);
  const format = formatIn(first);
  if (format !== undefined && format !== JOURNAL_FORMAT)
    return unread(
      `${file} has the format ${format}; expected ${JOURNAL_FORMAT}`,
      'use the version of gwconf that made it, or plan again: a new plan needs no journal',
    );
  const reader = new JournalReader();
  let torn: number | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const record = parseRecord(line);
    if (record === undefined) {
      torn ??= at + 1;
      continue;
    }
    if (torn !== undefined && record.type !== 'resumed') return reportDamage(file, torn);
    torn = undefined;
    if (!reader.accept(record)) return reportDamage(file, at + 1);
  }
  const value = reader.finish();
  return value === undefined ? reportDamage(file, 1) : { value, problems: [] };
}

class JournalReader {
  #started: StartRecord | undefined;
  #finished: Journal['finished'];
  #calls = 0;
  readonly #processes: RunProcess[] = [];
  readonly #outcomes = new Map<ChangeId, { readonly outcome: EntryOutcome; readonly why?: string }>();
  readonly #open = new Map<Address, JournalCall[]>();
  readonly #deleted = new Set<Address>();
  readonly #written = new Map<Address, 'done' | 'unknown'>();
  readonly #called = new Set<Address>();
  #lastCallAt: string | undefined;
  /** Calls without a result, by number. */
  readonly #unanswered = new Map<
    number,
    {
      readonly address: Address;
      readonly place: number;
      readonly before: 'done' | 'unknown' | undefined;
      readonly isFirst: boolean;
    }
  >();

  /** Returns false for a record that cannot follow the ones before. */
  accept(record: JournalRecord): boolean {
    if ((this.#started === undefined) !== (record.type === 'started')) return false;
    switch (record.type) {
      case 'started':
        this.#started = record;
        this.#processes.push(record);
        for (const address of record.deleted ?? []) this.#deleted.add(address);
        return true;
      case 'intent':
        return this.#acceptIntent(record);
      case 'result':
        return this.#acceptResult(record);
      case 'ended':
        this.#acceptEnd(record);
        return true;
      case 'resumed':
        this.#processes.push(record);
        this.#finished = undefined;
        for (const [id, { outcome }] of this.#outcomes)
          if (!(outcome === 'done' || outcome === 'already')) this.#outcomes.delete(id);
        return true;
      case 'finished':
        this.#finished = { result: record.result, at: record.at };
        return true;
      default:
        return record satisfies never;
    }
  }

  finish(): Journal | undefined {
    if (this.#started === undefined) return undefined;
    return {
      started: this.#started,
      processes: this.#processes,
      calls: this.#calls,
      outcomes: this.#outcomes,
      open: this.#open,
      written: this.#written,
      called: this.#called,
      ...(this.#lastCallAt === undefined ? {} : { lastCallAt: this.#lastCallAt }),
      deleted: this.#deleted,
      ...(this.#finished === undefined ? {} : { finished: this.#finished }),
    };
  }

  #acceptIntent({ n, call, address, at }: RecordOf<'intent'>): boolean {
    if (n !== this.#calls + 1) return false;
    this.#calls = n;
    const calls = getOrAdd(this.#open, address, () => []);
    const before = this.#written.get(address);
    const isFirst = !this.#called.has(address);
    this.#unanswered.set(n, { address, place: calls.push({ call }) - 1, before, isFirst });
    this.#called.add(address);
    this.#written.set(address, 'unknown');
    this.#lastCallAt = at;
    if (call === 'delete') this.#deleted.add(address);
    return true;
  }

  #acceptResult({ n, answer }: RecordOf<'result'>): boolean {
    const pending = this.#unanswered.get(n);
    const calls = pending === undefined ? undefined : this.#open.get(pending.address);
    const call = pending === undefined ? undefined : calls?.[pending.place]?.call;
    if (pending === undefined || calls === undefined || call === undefined) return false;
    this.#unanswered.delete(n);
    calls[pending.place] = { call, answer };
    this.#acceptEffect(pending, answer);
    if (answer === 'unsent' && pending.isFirst) this.#called.delete(pending.address);
    const isThere = call === 'put' ? isSuccess(answer) : answer === 'refused' || answer === 'unsent';
    if (isThere) this.#deleted.delete(pending.address);
    return true;
  }

  #acceptEffect(
    { address, before }: { readonly address: Address; readonly before: 'done' | 'unknown' | undefined },
    answer: CallResult,
  ): void {
    if (answer === 'lost') return;
    if (answer === 'done' || (isSuccess(answer) && before !== undefined)) this.#written.set(address, 'done');
    else if (before === undefined) this.#written.delete(address);
    else this.#written.set(address, before);
  }

  #acceptEnd({ outcome, why, ...change }: RecordOf<'ended'>): void {
    const id = idOf(change);
    this.#open.delete(change.address);
    // Reading tells the effect of a call without an answer, and finds a confirmed one that has none.
    if (this.#written.has(change.address) && outcome !== 'not-attempted')
      this.#written.set(change.address, outcome === 'failed' ? 'unknown' : 'done');
    // What an earlier process of the run has done is `already` for a later one; the run did it.
    if (outcome === 'already' && this.#outcomes.get(id)?.outcome === 'done') return;
    this.#outcomes.set(id, { outcome, ...(why === undefined ? {} : { why }) });
  }
}

/** The format of the journal that begins with this line. */
function formatIn(line: string): string | undefined {
  const value = readJson(line);
  const format = isObject(value) ? value['format'] : undefined;
  return typeof format === 'string' && format.startsWith('gwconf/journal@') ? format : undefined;
}

function parseRecord(line: string): JournalRecord | undefined {
  const value = readJson(line);
  if (value === undefined || !checks[JOURNAL_FORMAT]()(value) || hasDuplicateKeys(line, value))
    return undefined;
  return value as unknown as JournalRecord; // its shape is checked
}

function reportDamage(file: string, line: number): Checked<undefined> {
  return unread(
    `${file}:${line} is not a journal record that this version can read`,
    'plan again: a new plan needs no journal and shows what is left to do',
  );
}

/** A journal that is not taken as it is. */
export function unread(message: string, hint?: string): Checked<undefined> {
  return { value: undefined, problems: [invalidJournal(message, hint)] };
}

export function invalidJournal(message: string, hint?: string): Problem {
  return makeProblem({ code: 'invalid-journal', message, ...present({ hint }) });
}
