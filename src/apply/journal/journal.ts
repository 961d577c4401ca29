import { isObject, type JsonObject } from '../../model/json/json.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { idOf, type ChangeId } from '../../plan/change/plan.ts';
import type { Ledger, Outcome } from '../events.ts';

export const JOURNAL_FORMAT = 'gwconf/journal@1';

/** Who carries a run out, from when on (ISO 8601). A run that is resumed has several. */
export type RunProcess = {
  readonly at: string;
  readonly tool: string;
  readonly pid: number;
  readonly host: string;
};

/** The first line of a journal. */
export type StartRecord = RunProcess & {
  readonly type: 'started';
  readonly format: typeof JOURNAL_FORMAT;
  readonly run: string;
  readonly gateway: string;
  readonly environment?: string;
  /** The run that this one takes back. */
  readonly undoes?: string;
  /** What that run has deleted to create it anew, and may not have: so it is found, however often this run is resumed. */
  readonly deleted?: readonly Address[];
  /** The digest of the saved plan beside the journal. */
  readonly plan: string;
  /** How many changes that plan has. */
  readonly changes: number;
};

/** What came of a call: `unsent` when it never left, `lost` when nobody knows. */
export type CallResult = 'done' | 'unchanged' | 'absent' | 'refused' | 'lost' | 'unsent';

/** One line of a journal. No body and no word of the gateway's is in it, so no secret can be. */
export type JournalRecord =
  | StartRecord
  /** On disk before the call leaves; `n` counts the calls of a run from 1. */
  | {
      readonly type: 'intent';
      readonly n: number;
      readonly call: 'put' | 'delete';
      readonly address: Address;
      readonly at: string;
    }
  | {
      readonly type: 'result';
      readonly n: number;
      readonly answer: CallResult;
      /** HTTP status of an answer that says no. */
      readonly status?: number;
      readonly at: string;
    }
  /** What the ledger says of a change. */
  | {
      readonly type: 'ended';
      readonly address: Address;
      readonly step?: 'release';
      readonly outcome: Outcome;
      /** Of failed, without secrets. */
      readonly why?: string;
    }
  | (RunProcess & { readonly type: 'resumed' })
  | { readonly type: 'finished'; readonly result: Ledger['result']; readonly at: string };

/** One call of which nothing but the intent may be known. */
export type JournalCall = {
  readonly call: 'put' | 'delete';
  readonly answer?: CallResult;
};

/** What a journal tells of its run. */
export type Journal = {
  readonly started: StartRecord;
  /** The last is the one that wrote the last lines. */
  readonly processes: readonly RunProcess[];
  /** How many calls it has intents of. */
  readonly calls: number;
  /** What became of changes; a later sitting tries again what was not done. */
  readonly outcomes: ReadonlyMap<ChangeId, { readonly outcome: Outcome; readonly why?: string }>;
  /** The calls for each object since something was last said of it. */
  readonly open: ReadonlyMap<Address, readonly JournalCall[]>;
  /** What this run, or the one that it takes back, has deleted and not created anew for certain. */
  readonly deleted: ReadonlySet<Address>;
  readonly finished?: { readonly result: Ledger['result']; readonly at: string };
};

/** A record as a line. One that resumes a run begins a new line: the last one may be torn. */
export function encodeRecord(record: JournalRecord): string {
  return `${record.type === 'resumed' ? '\n' : ''}${JSON.stringify(record)}\n`;
}

/**
 * Reads what was written of a run, up to wherever its writer was killed: a line that was torn by that is passed over, at
 * the end and before a sitting that went on. Any other line that is not understood is a problem.
 */
export function readJournal(text: string, file: string): Checked<Journal | undefined> {
  const reading = new JournalReader();
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
    if (!reading.take(record)) return reportDamage(file, at + 1);
  }
  const value = reading.journal();
  return value === undefined ? reportDamage(file, 1) : { value, problems: [] };
}

class JournalReader {
  #started: StartRecord | undefined;
  #finished: Journal['finished'];
  #calls = 0;
  readonly #sittings: RunProcess[] = [];
  readonly #outcomes = new Map<ChangeId, { readonly outcome: Outcome; readonly why?: string }>();
  readonly #open = new Map<Address, JournalCall[]>();
  readonly #deleted = new Set<Address>();
  /** Calls without a result, by their number. */
  readonly #unanswered = new Map<number, { readonly address: Address; readonly place: number }>();

  /** False for a record that cannot stand there. */
  take(record: JournalRecord): boolean {
    if ((this.#started === undefined) !== (record.type === 'started')) return false;
    switch (record.type) {
      case 'started':
        this.#started = record;
        this.#sittings.push(record);
        for (const address of record.deleted ?? []) this.#deleted.add(address);
        return true;
      case 'intent':
        return this.#intend(record);
      case 'result':
        return this.#answer(record);
      case 'ended':
        this.#end(record);
        return true;
      case 'resumed':
        this.#sittings.push(record);
        this.#finished = undefined;
        for (const [id, { outcome }] of this.#outcomes) if (!isComplete(outcome)) this.#outcomes.delete(id);
        return true;
      case 'finished':
        this.#finished = { result: record.result, at: record.at };
        return true;
      default:
        return record satisfies never;
    }
  }

  journal(): Journal | undefined {
    if (this.#started === undefined) return undefined;
    return {
      started: this.#started,
      processes: this.#sittings,
      calls: this.#calls,
      outcomes: this.#outcomes,
      open: this.#open,
      deleted: this.#deleted,
      ...(this.#finished === undefined ? {} : { finished: this.#finished }),
    };
  }

  #intend({ n, call, address }: Extract<JournalRecord, { type: 'intent' }>): boolean {
    if (n !== this.#calls + 1) return false;
    this.#calls = n;
    const calls = this.#open.get(address) ?? [];
    this.#open.set(address, calls);
    this.#unanswered.set(n, { address, place: calls.push({ call }) - 1 });
    if (call === 'delete') this.#deleted.add(address);
    return true;
  }

  #answer({ n, answer }: Extract<JournalRecord, { type: 'result' }>): boolean {
    const asked = this.#unanswered.get(n);
    const calls = asked === undefined ? undefined : this.#open.get(asked.address);
    const call = asked === undefined ? undefined : calls?.[asked.place]?.call;
    if (asked === undefined || calls === undefined || call === undefined) return false;
    this.#unanswered.delete(n);
    calls[asked.place] = { call, answer };
    const isThere = call === 'put' ? isSuccess(answer) : answer === 'refused' || answer === 'unsent';
    if (isThere) this.#deleted.delete(asked.address);
    return true;
  }

  #end({ outcome, why, ...change }: Extract<JournalRecord, { type: 'ended' }>): void {
    const id = idOf(change);
    this.#open.delete(change.address);
    // What an earlier sitting did is already so for a later one, and was done by this run all the same.
    if (outcome === 'already' && this.#outcomes.get(id)?.outcome === 'done') return;
    this.#outcomes.set(id, { outcome, ...(why === undefined ? {} : { why }) });
  }
}

/** Whether a change that ended so needs nothing more. */
function isComplete(outcome: Outcome): boolean {
  return outcome === 'done' || outcome === 'already';
}

/** Whether a call that was answered so has brought about what it was for. */
export function isSuccess(answer: CallResult | undefined): boolean {
  return answer === 'done' || answer === 'unchanged' || answer === 'absent';
}

const FIELDS: { readonly [type in JournalRecord['type']]: Readonly<Record<string, 'string' | 'number'>> } = {
  started: {
    ...{ format: 'string', run: 'string', gateway: 'string', plan: 'string', changes: 'number' },
    ...{ at: 'string', tool: 'string', pid: 'number', host: 'string' },
  },
  intent: { n: 'number', call: 'string', address: 'string', at: 'string' },
  result: { n: 'number', answer: 'string', at: 'string' },
  ended: { address: 'string', outcome: 'string' },
  resumed: { at: 'string', tool: 'string', pid: 'number', host: 'string' },
  finished: { result: 'string', at: 'string' },
};

function parseRecord(line: string): JournalRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isObject(value) && isRecord(value) ? value : undefined;
}

function isRecord(value: JsonObject): value is JsonObject & JournalRecord {
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) return false;
  if (type === 'started' && value['format'] !== JOURNAL_FORMAT) return false;
  if (type === 'started' && !Array.isArray(value['deleted'] ?? [])) return false;
  const fields = Object.entries(FIELDS[type as JournalRecord['type']]); // it has one for this
  return fields.every(([name, expected]) => typeof value[name] === expected);
}

function reportDamage(file: string, line: number): Checked<undefined> {
  const problem: Problem = {
    code: 'invalid-journal',
    severity: 'error',
    message: `${file}:${line} is not a line of a journal that this version can read`,
    hint: 'plan again: a plan finds out what is left to do without a journal',
  };
  return { value: undefined, problems: [problem] };
}
