import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import type { FindingRecord } from '../../outcome/doctor.ts';
import type { TextOptions } from './text-options.ts';
import { wrap } from './wrap.ts';
import { alignColumns } from '../phrases.ts';

const WORDS: Readonly<Record<FindingRecord['status'], readonly [word: string, colour: keyof Paint]>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  error: ['error', 'red'],
  'not-checked': ['not checked', 'dim'],
};

/** Findings, a line each, and below it what to do. The name of a check stands at its first. */
export function renderFindings(
  findings: readonly FindingRecord[],
  { paint, width }: Pick<TextOptions, 'paint' | 'width'>,
): string {
  const cells = alignColumns(
    findings.map(({ check, status }, at) => [
      findings[at - 1]?.check === check ? '' : check,
      WORDS[status][0],
    ]),
  );
  return findings
    .map(({ status, message, hint }, at) => {
      const [name = '', word = ''] = cells[at] ?? [];
      const indent = name.length + word.length + 4;
      const [first = '', ...rest] = wrap(`${' '.repeat(indent)}${onOneLine(message)}`, width, indent);
      const head = `${name}  ${paint[WORDS[status][1]](word)}  ${first.slice(indent)}`;
      const below =
        hint === undefined ? [] : wrap(`${' '.repeat(indent)}= ${onOneLine(hint)}`, width, indent + 2);
      return [head, ...rest, ...below].map((line) => `${line}\n`).join('');
    })
    .join('');
}
