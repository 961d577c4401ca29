import { getOrAdd } from '../../model/collect.ts';

/** Why a part of a text is not known. */
export type Reason = {
  readonly why: string;
  /** Whether it is an answer of a gateway. */
  readonly isAnswer?: boolean;
  /** Whether it is the output of a command, the same in each run of the script. */
  readonly isOutput?: boolean;
  /** Whether it is a part of the shell language that is not read here: the calls of the script can be recorded instead. */
  readonly needsRecording?: boolean | undefined;
};

/** Why a call cannot be read. */
export type Fault = Pick<Reason, 'why' | 'needsRecording'>;

/** Stands for an unknown part in texts of a script: the number of its reason between two private-use characters. */
const [OPEN, CLOSE] = ['\uE002', '\uE003'];
const UNKNOWN = /\uE002(\d+)\uE003/g;

/** The reasons for all unknown parts of texts. */
export type Reasons = ReturnType<typeof makeReasons>;

export function makeReasons() {
  const reasons: Reason[] = [];
  const numbers = new Map<string, number>();
  return {
    /** What stands for an unknown part. */
    mark(reason: Reason): string {
      const key = `${String(reason.isAnswer)} ${String(reason.isOutput)} ${reason.why}`;
      const number = getOrAdd(numbers, key, () => reasons.push(reason) - 1);
      return `${OPEN}${number}${CLOSE}`;
    },
    /** The reason for the first unknown part of a text; undefined if all is known. */
    find(text: string): Reason | undefined {
      const from = text.indexOf(OPEN);
      if (from === -1) return undefined;
      return reasons[Number(text.slice(from + 1, text.indexOf(CLOSE, from)))];
    },
  };
}

export function hasUnknown(text: string): boolean {
  return text.includes(OPEN);
}

/** A text to show, with `…` for what is unknown. */
export function showUnknown(text: string): string {
  return text.replaceAll(UNKNOWN, '…');
}

/** Whether a text of a file has a character that stands for an unknown part, a variable or a use of v1. */
export function hasReserved(text: string): boolean {
  return /[\uE000-\uE004]/.test(text);
}
