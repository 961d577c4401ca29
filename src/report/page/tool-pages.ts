import { groupBy } from '../../model/collect.ts';
import { formatCount, cutWithin, listSome } from '../../model/text/list.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import type { MigratedCallRecord, MigrateReport, AreaRecord, ScanReport } from '../../outcome/migrate.ts';
import type { EnvironmentsReport } from '../../outcome/files.ts';
import type { TokenInspection, TokenReport } from '../../outcome/gateway.ts';
import { alignColumns, capitalise } from '../phrases.ts';
import type { Entry, Group, Note, Page } from './page.ts';
import type { DiffLine } from './edits.ts';
import {
  groupsOf,
  factOf,
  listSection,
  makeEntry,
  makePage,
  notesOf,
  plainLine,
  tableOf,
} from './make-page.ts';
import { printJson } from '../../model/json/json-text.ts';

/** For whom a token was issued, where it is, and how long it is valid. */
export function pageOfIssuedToken(report: TokenReport): Page {
  const { result, gateway, account, lifetimeSeconds, expiresAt, file } = report;
  const where = file === undefined ? '' : ` is in ${file}`;
  const until = expiresAt === undefined ? 'its end is not known' : `valid until ${expiresAt}`;
  const isIssued = result === 'ok';
  return makePage(report, {
    title: `Token for ${account}: ${isIssued ? 'issued' : result}`,
    facts: [
      ...factOf('Gateway', gateway),
      { label: 'Lifetime', text: formatDuration(lifetimeSeconds), isCode: false },
      ...factOf('File', file),
    ],
    closing: isIssued ? capitalise(until) : '',
    ending: isIssued ? { headline: '', rest: `Token for ${account}${where}; ${until}.` } : undefined,
  });
}

const LONGEST_CLAIM = 200;

/** What a token says, and how long it is valid. */
export function pageOfToken(report: TokenInspection): Page {
  const { result, claims, expiresAt, secondsLeft = 0 } = report;
  const rows = Object.entries(claims ?? {}).map(([name, value]) => {
    const text = typeof value === 'string' ? value : printJson(value);
    return [name, cutWithin(text, LONGEST_CLAIM)];
  });
  const ending =
    result === 'expired'
      ? `Expired ${formatDuration(-secondsLeft)} ago, at ${expiresAt ?? ''}.`
      : `Valid for ${formatDuration(secondsLeft)}, until ${expiresAt ?? ''}.`;
  const isDated = expiresAt !== undefined;
  return makePage(report, {
    title: `Token: ${result === 'ok' ? 'valid' : result}`,
    blocks:
      claims === undefined
        ? []
        : [
            { block: 'table', title: 'Claims', titles: ['Claim', 'Value'], rows, look: 'lines' },
            ...notesOf('Signature', 'note', 'sentences', [{ text: 'The signature is not checked.' }]),
          ],
    closing: isDated ? ending : '',
    ending: isDated ? { headline: '', rest: ending } : undefined,
  });
}

/** The uses of v1 in files, by the part of v1 that they belong to. */
export function pageOfScan(report: ScanReport): Page {
  const { result, summary, areas, skipped } = report;
  const { uses, files, read } = summary;
  const notes = Array.from(
    groupBy(skipped, (one) => one.why),
    ([why, ones]) => ({ text: `Skipped, ${why}: ${listSome(ones.map(({ path }) => path))}` }),
  );
  const found =
    uses === 0
      ? `No uses of v1 in ${formatCount(read, 'file')}.`
      : `${formatCount(uses, 'use')} of v1 in ${formatCount(files, 'file')}, of ${read} read.`;
  return makePage(report, {
    title: `${result === 'error' ? 'error: ' : ''}${found.slice(0, -1)}`,
    blocks: [
      {
        block: 'groups',
        list: areas.map((area) => ({ title: area.name, about: `: ${wordsOf(area)}`, lines: linesOf(area) })),
        sections: () => listSection('Uses of v1', '!', areas.map(entryOfArea)),
      },
      ...notesOf('Skipped', 'note', 'sentences', notes),
    ],
    ending: { headline: '', rest: found },
  });
}

function entryOfArea(area: AreaRecord): Entry {
  const lines = (): readonly DiffLine[] => linesOf(area).map(plainLine);
  return makeEntry(area.name, { notes: [wordsOf(area)], isRisky: true, lines });
}

function wordsOf({ deprecated, removed, replacement }: AreaRecord): string {
  return `deprecated since ${deprecated}, removed in ${removed}; use ${replacement}`;
}

function linesOf({ uses }: AreaRecord): readonly string[] {
  const rows = uses.map(({ file, line, column, text }) => [`${file}:${line}:${column}`, text]);
  return alignColumns(rows).map((row) => row.join('  ').trimEnd());
}

/** Most that is listed of the places with the same reason. */
const MOST_PLACES = 5;

/** What became of each call to v1: how many have each outcome, and the reasons. */
export function pageOfMigrate(report: MigrateReport): Page {
  const { result, calls, summary, gateways } = report;
  const isWritten = result === 'ok' || result === 'not-converted';
  const isLive = calls.every(({ line }) => line === undefined);
  const count = formatCount(calls.length, isLive ? 'object' : 'call');
  const about = isLive ? ' on the gateway' : '';
  const numbers = alignColumns(Object.entries(summary).map(([outcome, number]) => [outcome, String(number)]));
  const byOutcome = groupBy(calls, ({ outcome }) => outcome);
  const outcomes = Object.keys(summary) as readonly MigratedCallRecord['outcome'][]; // its keys
  const told = outcomes.flatMap((outcome): readonly Group[] => {
    const ones = (byOutcome.get(outcome) ?? []).filter(({ why }) => why !== undefined);
    return ones.length === 0 ? [] : [{ title: capitalise(outcome), lines: linesOfCalls(ones) }];
  });
  return makePage(report, {
    title: `Migration of ${count}${about}${result === 'ok' ? '' : `: ${result}`}`,
    blocks:
      calls.length === 0
        ? []
        : [
            {
              ...groupsOf('Calls', '!', told, true),
              list: [{ title: count, about, lines: numbers.map((row) => row.join('  ').trimEnd()) }, ...told],
            },
            ...(isWritten ? notesOf('Written', 'gateway', 'sentences', gateways.map(noteOfGateway)) : []),
          ],
  });
}

function noteOfGateway({ gateway, objects, folder, files }: MigrateReport['gateways'][number]): Note {
  return {
    text: `${formatCount(objects, 'object')} of ${gateway} in ${formatCount(files, 'file')} in ${folder}`,
  };
}

/** Each reason once, with the calls that it is for. */
function linesOfCalls(calls: readonly MigratedCallRecord[]): readonly string[] {
  return Array.from(groupBy(calls, (call) => call.why ?? '')).flatMap(([why, alike]) => [
    ...alike.slice(0, MOST_PLACES).map(wordCall),
    ...(alike.length > MOST_PLACES ? [`and ${alike.length - MOST_PLACES} more`] : []),
    ...why.split('; ').map((reason) => `  - ${reason}`),
  ]);
}

function wordCall({ file, line, method, path, object }: MigratedCallRecord): string {
  if (object !== undefined) return object;
  const place = line === undefined ? '' : `${file}:${line}`;
  return [place, method, path].filter((part) => part !== undefined && part !== '').join(' ');
}

export function pageOfEnvironments(report: EnvironmentsReport): Page {
  const { result, since, environments } = report;
  const isTold = since !== undefined;
  const count = formatCount(environments.length, 'environment');
  const title = isTold ? `${count} touched since ${since}` : count;
  const rows = environments.map(({ environment, files, changed = [] }) => [
    environment,
    files.length === 0 ? '-' : files.join(', '),
    ...(isTold ? [changed.join(', ')] : []),
  ]);
  return makePage(report, {
    title: `${result === 'error' ? 'error: ' : ''}${title}`,
    blocks: tableOf('Environments', ['Environment', 'Files', ...(isTold ? ['Changed'] : [])], rows),
    ending: { headline: `${title}.`, rest: '' },
  });
}
