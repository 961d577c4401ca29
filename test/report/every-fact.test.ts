import { describe, expect, it } from 'vitest';
import {
  changeAt,
  entriesOf,
  isList,
  isObject,
  joinPointer,
  parsePointer,
  printPointer,
  valueAt,
  type Json,
  type Pointer,
} from '../../src/model/json/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { Page } from '../../src/report/page/page.ts';
import { FORMATS } from '../../src/report/formats.ts';
import { pageOfGet } from '../../src/report/page/get-page.ts';
import { pageOfMigrate } from '../../src/report/page/tool-pages.ts';
import { joinParts, partPage } from '../../src/report/text/text.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { NO_PAINT } from '../../src/report/text/layout.ts';
import type { GetReport } from '../../src/outcome/gateway.ts';
import type { MigrateReport } from '../../src/outcome/migrate.ts';
import type { Report } from '../../src/outcome/outcome.ts';
import { TOOL } from './hostile.ts';
import { get, migrate, SAMPLES } from './samples.ts';

/** The formats that people read. */
const READ = ['human', 'markdown', 'html'] as const;
type Read = (typeof READ)[number];
const DOCUMENTS = ['markdown', 'html'] as const;

/** Whether a fact may be left out, by what holds it, and by the item that this is in a list of. */
type When = (holder: Json, owner: Json) => boolean;

/** What a format does not tell of an outcome, by the place in any of them, and why. `*` stands for each item of a list. */
const UNTOLD: readonly (readonly [place: RegExp, where: readonly Read[], why: string, when?: When])[] = [
  [
    /^\w+\/(environments\/\*\/outcome\/)?problems\//,
    ['human'],
    'a terminal shows problems below the report, with the lines of the files',
  ],
  [
    /^\w+\/(environments\/\*\/outcome\/)?problems\/\*\/(address|path|column)$/,
    DOCUMENTS,
    'the message names the object, the place its line',
  ],
  [/\/(at|was)\/(\w+\/)?column$|^test\/cases\/\*\/column$/, READ, 'the line is enough to find it'],
  [/\/kind$/, READ, 'the address begins with it'],
  [/\/manages\//, READ, 'what it leaves out is counted as not managed by this project'],
  [/\/groups\//, READ, 'who it is about is told by name'],
  [
    /\/(before|after|declared|live|principals\/\*\/chain)\/\*\/pluginClass$/,
    READ,
    'effective --why tells the classes of a chain',
  ],
  [/^(plan|caused)\/summary\/unclaimed$/, DOCUMENTS, 'their section has the number'],
  [/^caused\/summary\/(create|update|replace|delete)$/, DOCUMENTS, 'the title has the numbers by cause'],
  [
    /\/(weakenings|weaker)\/\*\/parts\/\*\/pattern$/,
    READ,
    'the topics that it matches are told where they are known',
    (part) => lengthOf(valueAt(part, '/topics')) > 0,
  ],
  [
    /\/(weakenings|weaker)\/\*\/parts\/\*\/loss$/,
    READ,
    'of what cannot be told it is not known whether anything is lost',
    (_, weakening) => valueAt(weakening, '/certainty') !== 'weaker',
  ],
  [/^(plan|caused)\/risks\/\*\/risk$/, READ, 'the message says it in a sentence'],
  [
    /^(plan|caused)\/changes\/\*\/(stage|dependsOn\/\*)$/,
    READ,
    '--explain tells the order of one change, and HTML draws it',
  ],
  [/^(plan|caused)\/changes\/\*\/step$/, ['human', 'markdown'], 'its reason says what an extra step is for'],
  [/^caused\/changes\/\*\/cause$/, READ, 'where fields have causes of their own, these are told'],
  [/^(plan|caused)\/changes\/\*\/fields\/\*\/(before|after)$/, READ, 'secrets are not told'],
  [/^(plan|caused)\/(unmanaged|ignored)\//, READ, 'they are counted; --explain tells of each'],
  [
    /^explanation\/(gateway|environment|address)$/,
    ['human'],
    'the command line or gwconf.yaml has chosen it',
  ],
  [/^explanation\/unchanged\/\*\/why$/, READ, 'the message says it in a sentence'],
  [/^apply\/(gateway|environment)$/, ['human'], 'a terminal has shown the plan'],
  [/^apply\/ledger\/\*\/at\//, ['human'], 'a terminal has shown the plan'],
  [
    /^apply\/summary\/(create|update|replace|delete|unchanged|unclaimed|unmanaged|ignored)$/,
    READ,
    'the plan tells what was to be done, a run what was done',
  ],
  [/^apply\/ledger\/\*\/reason$/, READ, 'the plan tells why it is needed'],
  [/^apply\/ledger\/\*\/problem\/(?!message)/, READ, 'it stands among the problems as a whole'],
  [/^apply\/ledger\/\*\/problem\/message$/, ['human'], 'a terminal shows problems below the report'],
  [/^apply\/undo\//, ['human'], 'the command tells of losses before the run, and of the way back below'],
  [/^\w+\/result$/, ['human'], 'the last line of a command is its result'],
  [
    /^(drift|diff)\/summary\/(accepted|unchecked|expected|uncompared)$/,
    ['markdown', 'html'],
    'their section has the number',
  ],
  [/^diff\/expected\//, ['human'], 'a terminal counts what is meant to differ, by reason'],
  [
    /^(effective|compared|coverage)\/environment$/,
    ['human'],
    'the command line or gwconf.yaml has chosen it',
  ],
  [
    /\/chain\/\*\/overrides\/\*$/,
    READ,
    'interceptors override others of their own name: only the scopes are told',
  ],
  [/^(compared|coverage)\/principals\//, READ, 'a comparison tells what differs, coverage what is missing'],
  [/^compared\/(source|summary\/drift)$/, READ, 'files are compared; the principals are counted'],
  [/^coverage\/summary\/chains$/, READ, 'it is about topics'],
  [/^selftest\/gateway$/, ['human'], 'doctor has named it'],
  [/^selftest\/summary\/normalised$/, READ, 'it is the sum of a table'],
  [/^selftest\/changes\/\*\/stage$/, READ, 'nothing is carried out'],
  [/^test\/summary\/cases$/, DOCUMENTS, 'it is the sum of the title'],
  [
    /^test\/cases\/\*\/principals$/,
    READ,
    'a terminal has a line for each case; what was not run was for nobody',
  ],
  [/^test\/cases\/\*\/problems\//, READ, 'they stand among the problems as a whole'],
  [/^run\/run\/(startedAt|changes|done|failed|inFlight)$/, READ, 'each process and each change is told'],
  [/^fleet\/command$/, ['human'], 'it has been typed'],
  [/^fleet\/result$/, DOCUMENTS, 'the results are counted, the worst first'],
  [/^validate\/summary\/environments\//, ['human'], 'a terminal counts them'],
  [/^resolve\/interceptors\/\*\/address$/, READ, 'its name, and the part of its scope that counts, are told'],
  [/^resolve\/interceptors\/\*\/pluginClass$/, READ, 'the last part of the class is enough'],
  [/^resolve\/interceptors\/\*\/scope\/vCluster$/, READ, 'the narrowest part of a scope is why it runs'],
  [
    /^resolve\/interceptors\/\*\/overrides\/\*$/,
    READ,
    'interceptors override others of their own name: only the scopes are told',
  ],
  [/^plugins\/plugins\/\*\/(parent|description)$/, READ, '-o wide tells them'],
  [/^plugins\/plugins\/\*\/(deprecated|removed)$/, READ, 'the note tells it'],
  [/^switched\/(from|to)$/, ['human'], 'the question before the switch names them'],
  [/^switched\/instances\/\*\/version$/, READ, 'the question before the switch names it'],
  [/^doctor\/(gateway|settings\/.*)$/, ['human'], 'a terminal has shown the settings before the checks'],
  [/^doctor\/checks\/\*\/values\//, READ, 'the message says it'],
  [/^exported\/gateway$/, ['human'], 'the command line or gwconf.yaml has chosen it'],
  [/^exported\/written\//, ['human'], 'a terminal names their folder, and counts them'],
  [/^issued\/(gateway|lifetimeSeconds)$/, ['human'], 'the command line has chosen it'],
  [/^token\/signatureChecked$/, READ, 'it never is, and a sentence says so'],
  [/^token\/header\//, READ, 'it is about the signature, which is not checked'],
  [/^get\/snapshot\/ageSeconds$/, ['human'], 'the day of the snapshot is told'],
  [/^get\/summary\//, ['human'], 'each object has a row in the table of its kind'],
  [/^get\/resources\/\*\/address$/, ['human'], 'the table has its name and its scope'],
  [/^get\/resources\/\*\/apiVersion$/, ['human'], 'all objects of a kind have the same'],
  [/^migrate\/variables\//, ['human'], 'the command tells them below the page'],
  [/^migrate\/calls\/\*\/gateway$/, ['human'], 'the gateways are told, and where the call is written'],
  [
    /^migrate\/calls\/\*\/file$/,
    ['human'],
    'of what was read from a gateway, the object is told',
    (call) => valueAt(call, '/object') !== undefined,
  ],
  [/^migrate\/calls\/\*\/to\//, ['human'], 'the files that were written have them'],
];

/** Words that are not free, with another one of each sort, by the last part of their place. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  action: ['create', 'update', 'replace', 'delete'],
  outcome: ['done', 'already', 'failed', 'blocked', 'not-attempted'],
  drift: ['changed', 'missing', 'unclaimed', 'remaining'],
  difference: ['differs', 'only-from', 'only-to'],
  known: ['done', 'already', 'in-flight', 'half', 'failed', 'blocked', 'not-attempted'],
  finding: ['unmatched', 'overridden', 'tied'],
  covers: ['yes', 'unknown'],
  because: ['variable', 'digest'],
  state: ['ended', 'not-begun', 'failed', 'interrupted'],
  side: ['from', 'to'],
  source: ['files', 'gateway'],
  type: ['live', 'snapshot'],
  severity: ['warning', 'error'],
  cause: ['branch', 'drift', 'base', 'mixed'],
  moved: ['gateway', 'files', 'mixed'],
  risk: ['everyone', 'chaos'],
  status: ['ok', 'warning', 'switched', 'failed'],
  certainty: ['weaker', 'hidden', 'cannot-tell'],
  what: ['field', 'rule', 'payload', 'config'],
  loss: ['whole', 'part'],
  lacks: ['project', 'environment'],
};
const RESULTS: Readonly<Record<string, readonly string[]>> = {
  'gwconf/plan-report@1': ['changes', 'no-changes', 'blocked', 'stale', 'error'],
  'gwconf/explain-report@1': ['changes', 'error'],
  'gwconf/apply-report@1': ['partial', 'applied', 'failed', 'interrupted'],
  'gwconf/drift-report@1': ['drift', 'blocked', 'error'],
  'gwconf/diff-report@1': ['differs', 'blocked', 'error'],
  'gwconf/effective-report@1': ['ok', 'drift', 'uncovered', 'error'],
  'gwconf/selftest-report@1': ['differences', 'no-differences'],
  'gwconf/test-report@1': ['tests-failed', 'passed'],
  'gwconf/validate-report@1': ['error', 'valid'],
  'gwconf/resolve-report@1': ['ok', 'error'],
  'gwconf/plugins-report@1': ['ok', 'error'],
  'gwconf/switch-report@1': ['partial', 'ok'],
  'gwconf/doctor-report@1': ['error', 'ok'],
  'gwconf/export-report@1': ['ok', 'incomplete', 'error'],
  'gwconf/token-report@1': ['ok', 'error'],
  'gwconf/token-inspection@1': ['expiring', 'ok'],
  'gwconf/scan-report@1': ['v1-used', 'error'],
  'gwconf/environments-report@1': ['ok', 'error'],
  'gwconf/fleet-report@1': ['valid', 'error'],
  'gwconf/get-report@1': ['incomplete', 'not-found'],
  'gwconf/migrate-report@1': ['not-converted', 'ok'],
};

const MARK = 'Zqzq';

function lengthOf(value: Json | undefined): number {
  return isList(value) ? value.length : 0;
}

/** The value that holds a place, so many steps up. */
function above(report: Json, at: Pointer, steps: number): Json {
  return valueAt(report, printPointer(parsePointer(at).slice(0, -steps))) ?? null;
}

/** The pages of outcomes that have only a form for a terminal. */
const ON_TERMINAL: Readonly<Record<string, (outcome: Json) => Page>> = {
  'gwconf/get-report@1': (outcome) => {
    const found = outcome as unknown as GetReport; // changed, but of its shape
    const ofKind = (kind: Kind) =>
      Array.from(found.resources)
        .filter((one) => one.kind === kind.name)
        .map((one) => ({ address: one.address, show: () => one as unknown as Resource }));
    return pageOfGet(
      found,
      [...catalog.kinds.values()].map((kind) => ({ kind, resources: ofKind(kind) })),
    );
  },
  'gwconf/migrate-report@1': (outcome) => pageOfMigrate(outcome as unknown as MigrateReport), // the same
};

function formatsOf(report: Json): readonly Read[] {
  return (valueAt(report, '/format') as string) in ON_TERMINAL ? ['human'] : READ;
}

function printed(report: Json, format: Read): string {
  const options = { paint: NO_PAINT, tool: TOOL, detail: 'full' } as const;
  const makePage = ON_TERMINAL[valueAt(report, '/format') as string];
  if (makePage !== undefined) return [...joinParts(partPage(makePage(report), options))].join('');
  return [...FORMATS[format]({ report: report as unknown as Report, problems: [] }, options)].join(''); // changed, but of its shape
}

/** The places of all values that are no lists or maps. */
function leavesOf(value: Json | undefined, at: Pointer = ''): readonly Pointer[] {
  if (isList(value)) return value.flatMap((item, place) => leavesOf(item, joinPointer(at, String(place))));
  if (isObject(value)) return entriesOf(value).flatMap(([key, item]) => leavesOf(item, joinPointer(at, key)));
  return value === undefined ? [] : [at];
}

/** Another value for a place; undefined for what is a format or the sort of a union. */
function otherFor(report: Json, at: Pointer, value: Json): Json | undefined {
  const key = parsePointer(at).at(-1) ?? '';
  if (key === 'format' || key === 'op') return undefined;
  if (typeof value === 'number') return value * 2 + 3600;
  if (typeof value === 'boolean') return key === 'secret' ? undefined : !value;
  if (typeof value !== 'string') return undefined;
  const words =
    key === 'result' && parsePointer(at).length === 1
      ? RESULTS[valueAt(report, '/format') as string]
      : WORDS[key];
  if (words?.includes(value) === true) return words.find((word) => word !== value);
  if (/^\/secrets\//.test(at.replace(/^.*(?=\/secrets\/)/, ''))) return 'same';
  if (key === 'result') return value === 'passed' ? 'failed' : value === 'partial' ? 'failed' : 'passed';
  if (key === 'reason' && ['unavailable', 'cannot-tell'].includes(value)) return undefined;
  if (key === 'outcome' && value === 'cannot') return 'imperative';
  if (key === 'outcome' && value === 'converted with a choice') return 'cannot';
  if (key === 'reason' && value === 'order') return 'case';
  if (value.startsWith('/')) return `${value}${MARK}`;
  return value.replace(/^([A-Z]\w+\/)?/, `$1${MARK}`);
}

const cases = Object.entries({ ...SAMPLES, get, migrate }).flatMap(([name, sample]) => {
  const report = JSON.parse(JSON.stringify(sample)) as Json;
  return leavesOf(report).flatMap((at) => {
    const value = valueAt(report, at);
    const other = value === undefined ? undefined : otherFor(report, at, value);
    return other === undefined ? [] : [{ name, report, at, other }];
  });
});

describe('every fact of an outcome', () => {
  const originals = new Map<string, string>();
  const original = (name: string, report: Json, format: Read): string => {
    const key = `${name} ${format}`;
    const text = originals.get(key) ?? printed(report, format);
    originals.set(key, text);
    return text;
  };
  const needed = new Set<string>();

  it('is told by all that people read', () => {
    const untold = cases.flatMap(({ name, report, at, other }) => {
      const changed = changeAt(report, parsePointer(at), () => other);
      const place = `${name}${at.replace(/\/\d+(?=\/|$)/g, '/*')}`;
      return formatsOf(report).flatMap((format) => {
        const text = printed(changed, format);
        const isTold =
          typeof other === 'string' && other.includes(MARK)
            ? text.includes(MARK)
            : text !== original(name, report, format);
        if (isTold) return [];
        const exception = UNTOLD.find(
          ([known, where, , when]) =>
            known.test(place) &&
            where.includes(format) &&
            when?.(above(report, at, 1), above(report, at, 3)) !== false,
        );
        if (exception === undefined) return [`${place} ${format}`];
        needed.add(`${String(exception[0])} ${format}`);
        return [];
      });
    });
    expect([...new Set(untold)]).toEqual([]);
  });

  it('or there is a reason why not, which still holds', () => {
    const listed = UNTOLD.flatMap(([place, where]) => where.map((format) => `${String(place)} ${format}`));
    expect(listed.filter((one) => !needed.has(one))).toEqual([]);
  });
});
