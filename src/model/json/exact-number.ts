/**
 * A number that JavaScript would round, such as 9007199254740993 or 1e400, with all its digits. There is one object for each
 * number, so `===` compares them; where it counts, in arithmetic, it is the nearest number.
 */
export class ExactNumber {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }

  /** Of a decimal number that `isRounded` says JavaScript would round: 1.50e400 and 15e399 are one. */
  static of(written: string): ExactNumber {
    const text = spellingOf(written);
    const found = known.get(text)?.deref();
    if (found !== undefined) return found;
    const made = new ExactNumber(text);
    known.set(text, new WeakRef(made));
    forgotten.register(made, text);
    return made;
  }

  /** Whether there is any: nearly always, there is none to look for. */
  static get isUsed(): boolean {
    return known.size > 0;
  }

  /** The digits as JSON. */
  toString(): string {
    return this.#text;
  }

  toJSON(): string {
    return this.#text;
  }

  valueOf(): number {
    return this.nearest;
  }

  /** The nearest of JavaScript's finite numbers. */
  get nearest(): number {
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(this.#text)));
  }
}

const known = new Map<string, WeakRef<ExactNumber>>();
/** A process that runs for long keeps no number that nothing holds any more. */
const forgotten = new FinalizationRegistry<string>((text) => {
  if (known.get(text)?.deref() === undefined) known.delete(text);
});

/** More digits than anybody means. */
export const MOST_DIGITS = 400;

/** Whether a decimal number becomes another one in JavaScript. */
export function isRounded(written: string): boolean {
  const value = Number(written);
  const meant = partsOf(written);
  if (meant === undefined) return false;
  const found = partsOf(String(value)); // undefined for Infinity
  return meant.digits !== found?.digits || meant.point !== found.point;
}

type Decimal = { readonly sign: string; readonly digits: string; readonly point: number };

/** The digits without zeros around them, and where the point is: 0.digits × 10^point. Undefined for what is no decimal number. */
function partsOf(written: string): Decimal | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(written) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  if (end === 0) return { sign: '', digits: '0', point: 0 };
  const point = Number(exponent) - fraction.length + digits.length;
  return { sign: sign === '-' ? '-' : '', digits: digits.slice(0, end), point };
}

/** Whole numbers of up to 40 digits are written out; small fractions, too. */
function spellingOf(written: string): string {
  const number = partsOf(written);
  if (number === undefined) throw new Error(`${written} is not a decimal number`);
  const { sign, digits, point } = number;
  if (!Number.isSafeInteger(point)) return written; // nobody means such an exponent: it stays as it is
  if (point >= digits.length && point <= 40) return `${sign}${digits.padEnd(point, '0')}`;
  if (point > -10 && point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point > 0 && point < digits.length) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  const rest = digits.length === 1 ? '' : `.${digits.slice(1)}`;
  return `${sign}${digits.slice(0, 1)}${rest}e${point - 1}`;
}
