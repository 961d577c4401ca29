import { expect, it } from 'vitest';
import { date } from '../../src/schema/closed.ts';

it('a date is a day that there is', () => {
  const pattern = new RegExp(date['pattern'] as string, 'u');
  const two = (value: number): string => String(value).padStart(2, '0');
  const exists = (text: string): boolean => {
    const day = new Date(`${text}T00:00:00Z`);
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  };
  for (const year of [1900, 2000, 2023, 2024, 2026, 2027, 2028, 2096, 2100])
    for (let month = 0; month <= 13; month += 1)
      for (let day = 0; day <= 32; day += 1) {
        const text = `${String(year)}-${two(month)}-${two(day)}`;
        expect([text, pattern.test(text)]).toEqual([text, exists(text)]);
      }
  for (const text of ['2027-1-31', '2027-01-31T00:00:00Z', ' 2027-01-31', ''])
    expect(pattern.test(text)).toBe(false);
});
