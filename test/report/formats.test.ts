import fc from '../support/fast-check.ts';
import type { Log } from 'sarif';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/apply/events.ts';
import type { LocatedProblem } from '../../src/model/problem.ts';
import { idOf } from '../../src/plan/change/change.ts';
import { countChanges, type Plan } from '../../src/plan/change/plan.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { redact } from '../../src/plan/secrets/redact.ts';
import { FORMATS, type Format, type View } from '../../src/report/formats.ts';
import { NO_PAINT } from '../../src/report/text/layout.ts';
import { makeApplyReport, type ApplyReport } from '../../src/outcome/apply.ts';
import { makePlanReport, type PlanReport } from '../../src/outcome/plan.ts';
import { desiredOf, liveOf, toyKinds, type Toys } from '../support/toy-kinds.ts';
import { accounts, chain, effectOn, exposureOf } from '../support/effects.ts';
import { FULL, HOSTILE, INFO, PLACELESS, TOOL } from './hostile.ts';

/** What a reader finds in a printed report; a format leaves out what it does not print. */
type Found = {
  /** `create Thing/a`, in order. */
  readonly changes?: readonly string[];
  /** The same in any order. */
  readonly changed?: readonly string[];
  /** The fields of updates and replaces. */
  readonly fields?: readonly string[];
  readonly unclaimed?: readonly string[];
  readonly counts?: Readonly<Record<string, number>>;
  /** Codes, sorted. */
  readonly problems?: readonly string[];
};

const ACTIONS: Readonly<Record<string, string>> = {
  '+': 'create',
  '~': 'update',
  '±': 'replace',
  '-': 'delete',
};

/** One for each format: a new format does not compile without. */
const READERS: Readonly<Record<Format, (text: string) => Found>> = {
  human: (text) => ({
    changes: [...text.matchAll(/^ {2}([+~±-]) (\S+)/gm)].map(
      ([, symbol = '', name]) => `${ACTIONS[symbol]} ${name}`,
    ),
    fields: [...text.matchAll(/^ {6}[+~-] (\/\S*):/gm)].map(([, path = '']) => path),
    unclaimed: [...text.matchAll(/^ {4}(\S+)$/gm)].map(([, name = '']) => name),
    counts: countsIn(text),
  }),
  json: (text) => readReport(JSON.parse(text) as AnyReport), // written as one
  ndjson: (text) => {
    const records = text.split(/\n(?=.)/).map((line) => JSON.parse(line) as { readonly type: string });
    const of = (type: string): unknown => records.filter((record) => record.type === type);
    const lists = { changes: of('change'), ledger: of('entry'), problems: of('problem') };
    return readReport({ ...records.at(-1), ...lists } as unknown as AnyReport); // as the lines are made
  },
  'gitlab-quality': (text) => ({
    problems: (JSON.parse(text) as readonly { readonly check_name: string }[])
      .map(({ check_name: code }) => code)
      .sort(),
  }),
  'gitlab-terraform': () => ({}), // its numbers have a test in ci/gitlab.test.ts
  sarif: (text) => {
    const [run] = (JSON.parse(text) as Log).runs; // written as one
    const notifications = run?.invocations?.[0]?.toolExecutionNotifications ?? [];
    const codes = [
      ...(run?.results ?? []).map(({ ruleId }) => ruleId),
      ...notifications.map(({ descriptor }) => descriptor?.id),
    ];
    return { problems: codes.map(String).sort() };
  },
  junit: (text) => ({ problems: codesIn(text, /<testcase classname="[^"]*" name="([a-z-]+)(?:: | at )/g) }),
  github: (text) => ({ problems: codesIn(text, /title=gwconf ([a-z-]+)::/g) }),
  markdown: readMarkdown,
  'step-summary': readMarkdown,
  html: (text) => {
    const changed = text
      .split('<section class="objects ')
      .slice(1)
      .flatMap((section) => {
        const title = /^[a-z]+/.exec(section)?.[0] ?? '';
        const action = title === 'orphaned' ? 'unclaimed' : title;
        const items = section.split('role="listitem" data').slice(1);
        return items.flatMap((item) => {
          const isOutcome = !Object.values(ACTIONS).includes(action) && action !== 'unclaimed';
          const word = isOutcome ? (/class="note">(\w+)/.exec(item)?.[1] ?? '') : action;
          return [...item.matchAll(/<code>(Thing\/[^<:]*)<\/code>/g)].map(
            ([, name = '']) => `${word} ${name}`,
          );
        });
      });
    return {
      changed: changed.filter((one) => !one.startsWith('unclaimed ')).sort(),
      unclaimed: changed.flatMap((one) => (one.startsWith('unclaimed ') ? [one.slice(10)] : [])).sort(),
      problems: codesIn(text, /<b>\w+<\/b> <code>([a-z-]+)<\/code>: /g),
    };
  },
};

function readMarkdown(text: string): Found {
  const sections = text.split(/^#### /m).slice(1);
  const changed = sections.flatMap((section) => {
    const action = MARKDOWN_ACTIONS[/^\w+/.exec(section)?.[0] ?? ''];
    const lists =
      /(?:^- `.` |<\/summary>\n\nAlso )((?:`[^`]+`(?:, )?)+)|<summary>.*?<code>(Thing.*?)<\/code>/gm;
    const names = [...section.matchAll(lists)].flatMap(([, list = '', name]) =>
      name === undefined ? [...list.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one) : [name],
    );
    const notes = [...section.matchAll(/^- `.` `[^`]+`: (\w+)/gm)].map(([, word = '']) => word);
    return names.map((name, at) => `${action ?? notes[at] ?? ''} ${name}`);
  });
  return {
    changed: changed.filter((one) => !one.startsWith('unclaimed ')).sort(),
    unclaimed: changed.flatMap((one) => (one.startsWith('unclaimed ') ? [one.slice(10)] : [])).sort(),
    problems: codesIn(text, /^> - \*\*\w+\*\* `([a-z-]+)`: /gm),
  };
}

const MARKDOWN_ACTIONS: Readonly<Record<string, string>> = {
  Create: 'create',
  Update: 'update',
  Replace: 'replace',
  Delete: 'delete',
  Orphaned: 'unclaimed',
};

type AnyReport = Partial<Pick<PlanReport, 'changes' | 'unclaimed'> & Pick<ApplyReport, 'ledger'>> & {
  readonly summary: Readonly<Record<string, number>>;
  readonly problems: PlanReport['problems'];
};

function readReport({ changes = [], ledger = [], unclaimed = [], summary, problems }: AnyReport): Found {
  const changed = changes.filter(({ action }) => action === 'update' || action === 'replace');
  return {
    changes: [...changes, ...ledger].map(({ action, address }) => `${action} ${address}`),
    fields: changed.flatMap(({ fields }) => fields.map(({ path }) => path)),
    unclaimed,
    counts: summary,
    problems: problems.map(({ code }) => code).sort(),
  };
}

function countsIn(text: string): Readonly<Record<string, number>> {
  const words = [
    'to create',
    'to update',
    'to replace',
    'to delete',
    'orphaned',
    'done',
    'failed',
    'not attempted',
  ];
  const counts = words.map((word) => [
    word === 'orphaned' ? 'unclaimed' : word.replace('to ', '').replace(' ', '-'),
    Number(new RegExp(`(\\d+) ${word}\\b`).exec(text)?.[1] ?? 0),
  ]);
  const unchanged = Number(/(\d+) (?:unchanged|objects? up to date)\./.exec(text)?.[1] ?? 0);
  return { ...(Object.fromEntries(counts) as Record<string, number>), unchanged };
}

function codesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, code = '']) => code).sort();
}

/** Holds every format to what it prints of `expected`. */
function expectEverywhere(
  report: View['report'],
  problems: readonly LocatedProblem[],
  expected: Found,
): void {
  const all: Found = {
    ...expected,
    changed: [...(expected.changes ?? [])].sort(),
    problems: problems.map(({ code }) => code).sort(),
  };
  for (const [format, read] of Object.entries(READERS) as [Format, (text: string) => Found][]) {
    const pieces = FORMATS[format]({ report, problems }, { paint: NO_PAINT, tool: TOOL });
    const found = read([...pieces].join(''));
    const printed = Object.keys(found) as (keyof Found)[];
    const wanted = Object.fromEntries(printed.map((part) => [part, all[part]]));
    expect(found, format).toMatchObject(wanted);
  }
}

const spec = fc.record(
  {
    size: fc.constantFrom(1, 2),
    key: fc.constantFrom('x', 'y', 'z'),
    born: fc.constantFrom('here', 'there'),
    needs: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const toys: fc.Arbitrary<Toys> = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), spec), { selector: ([name]) => name })
  .map((things) => Object.fromEntries(things.map(([name, one]) => [`Thing/${name}`, one])));

describe('every format', () => {
  it('of a plan has the same changes, fields, counts and problems', () => {
    fc.assert(
      fc.property(toys, toys, fc.boolean(), fc.boolean(), (wanted, there, isManaged, isPruned) => {
        const { value: plan } = makePlan(desiredOf(wanted), liveOf(there), toyKinds, {
          gateway: 'here',
          rules: isManaged ? { manages: ['*/a', '*/b', '*/c'] } : {},
          ...(isPruned ? { prune: ['*/a'] } : {}),
        });
        const problems = [FULL, INFO, PLACELESS, HOSTILE];
        expectEverywhere(makePlanReport(redact(plan, toyKinds), 'here', problems), problems, foundIn(plan));
      }),
    );
  });

  it('of a plan has the principals whose interceptors change, and what they lose', () => {
    const effects = accounts(3).map((one) => effectOn(one, chain('mask', 'audit'), chain('audit')));
    const exposures = accounts(3).map((one) => exposureOf(one, { accepted: { reason: 'agreed' } }));
    const wanted = desiredOf({ 'Thing/changed': {} });
    const { value: plan } = makePlan(wanted, liveOf({}), toyKinds, { gateway: 'here' });
    const report = makePlanReport(redact({ ...plan, effects, exposures }, toyKinds), 'here');
    const plain = (text: string): string => text.replace(/[`>*\n]|<[^<>]+>/g, '').replaceAll(/ +/g, ' ');
    for (const format of ['human', 'markdown', 'step-summary', 'html'] as const) {
      const text = plain(
        [...FORMATS[format]({ report, problems: [] }, { paint: NO_PAINT, tool: TOOL })].join(''),
      );
      expect(text, format).toContain('3 clients of prod lose masking permanently: Interceptor/mask');
      expect(text, format).toContain('Accepted: agreed');
      // Also what is accepted is told before the changes, of which there may be many.
      expect(text.split('Thing/changed')[0], format).toContain('lose masking permanently');
      expect(text, format).toContain('3 clients of prod lose mask');
      expect(text, format).toContain('user-1, user-2, user-3');
      expect(text, format).toContain('before: 1 mask (vCluster=prod) → 1 audit (vCluster=prod)');
      expect(text, format).toContain('after: 1 audit (vCluster=prod)');
    }
    const json = JSON.parse(
      [...FORMATS.json({ report, problems: [] }, { paint: NO_PAINT, tool: TOOL })].join(''),
    ) as unknown;
    expect(json).toMatchObject({ effects, exposures });
  });

  it('of a run has the same changes, counts and problems', () => {
    const { value: plan } = makePlan(
      desiredOf({ 'Thing/a': { size: 1 }, 'Thing/b': { needs: ['a'] }, 'Thing/c': {} }),
      liveOf({ 'Thing/b': {} }),
      toyKinds,
      { gateway: 'here' },
    );
    const entries = plan.changes.map((change, index): Entry => {
      const about = { id: idOf(change), address: change.address, action: change.action };
      if (index === 0) return { ...about, outcome: 'failed', problem: PLACELESS };
      return { ...about, outcome: index === 1 ? 'done' : 'not-attempted' };
    });
    const report = makeApplyReport('partial', 'here', undefined, entries, [PLACELESS]);
    const { changes = [] } = foundIn(plan);
    expect(changes).toHaveLength(3);
    expectEverywhere(report, [PLACELESS], {
      changes,
      fields: [],
      unclaimed: [],
      counts: { done: 1, failed: 1, 'not-attempted': 1 },
    });
  });
});

function foundIn(plan: Plan): Found {
  const { create, update, replace, delete: deleted, unchanged, unclaimed } = countChanges(plan);
  return {
    changes: plan.changes.map(({ action, address }) => `${action} ${address}`),
    fields: plan.changes.flatMap((change) =>
      'fields' in change ? change.fields.map(({ path }) => path) : [],
    ),
    unclaimed: plan.unclaimed,
    counts: { create, update, replace, delete: deleted, unchanged, unclaimed },
  };
}
