/** Whether a number is still what was written once it is one of JavaScript's. */
export function isExact(value: number, written: string): boolean {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  const digits = significant(written);
  return digits === undefined || digits === significant(String(value));
}

/** A decimal number in one spelling: 1.50, 15e-1 and +1.5 are one. Undefined for what is no decimal number. */
function significant(written: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^[-+]?(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(written) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0
    ? '0'
    : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
