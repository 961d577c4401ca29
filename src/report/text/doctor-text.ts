import type { DoctorReport, SettingRecord, FindingRecord } from '../../outcome/doctor.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { alignColumns, formatCount } from '../phrases.ts';
import { type TextOptions, wrap } from './layout.ts';

/** A table of settings: name, value, and where it comes from. */
export function renderSettings(settings: readonly SettingRecord[], paint: Paint): string {
  const cells = alignColumns(settings.map(({ name, value }) => [name, cut(onOneLine(value))]));
  return cells.map((row, at) => `${row.join('  ')}  ${paint.dim(settings[at]?.origin ?? '')}\n`).join('');
}

const LONGEST_VALUE = 160;

function cut(text: string): string {
  return text.length > LONGEST_VALUE
    ? `${text.slice(0, LONGEST_VALUE)}… (${formatCount(text.length, 'character')})`
    : text;
}

/** What the checks of the gateway found, their counts, and what it has. */
export function renderDoctor(
  { checks, summary, objects, unavailable }: DoctorReport,
  options: Pick<TextOptions, 'paint' | 'width'>,
): string {
  const { ok, warning, error, notChecked } = summary;
  const counts = `${ok} ok, ${formatCount(warning, 'warning')}, ${formatCount(error, 'error')}, ${notChecked} not checked`;
  return [
    ...(ok + warning + error === 0
      ? [`\nThe gateway was not checked: ${onOneLine(checks[0]?.message ?? '')}.\n`]
      : ['\n', renderFindings(checks, options), `\n${options.paint.bold('Checks')}: ${counts}.\n`]),
    ...(objects === undefined ? [] : [`The gateway answers: ${formatCount(objects, 'resource')}.\n`]),
    ...unavailable.map(({ kind, words }) => `It does not serve ${kind}: ${onOneLine(words)}\n`),
  ].join('');
}

const WORDS: Readonly<Record<FindingRecord['status'], readonly [word: string, colour: keyof Paint]>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  error: ['error', 'red'],
  'not-checked': ['not checked', 'dim'],
};

/** Findings, a line each, and below it what to do. The name of a check stands at its first. */
function renderFindings(
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
