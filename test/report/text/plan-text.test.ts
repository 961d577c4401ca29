import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import type { FieldDifference } from '../../../src/model/field-difference.ts';
import type { Change, ChangeId } from '../../../src/plan/change/change.ts';
import { redact, type PlanView } from '../../../src/plan/secrets/redact.ts';
import { NO_PAINT, type Paint, type TextOptions } from '../../../src/report/text/layout.ts';
import { formatCounts } from '../../../src/report/phrases.ts';
import { renderText } from '../../../src/report/formats.ts';
import { makePlanReport } from '../../../src/outcome/plan.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { accounts, chain, effectOn, exposureOf, principal } from '../../support/effects.ts';
import { resource } from '../../support/kinds.ts';

const counts = {
  create: 0,
  update: 0,
  replace: 0,
  delete: 0,
  unchanged: 0,
  unclaimed: 0,
  unmanaged: 0,
  ignored: 0,
};
const prod = resource('VirtualCluster', { name: 'prod' });
const about = { address: 'VirtualCluster/prod' as Change['address'], dependsOn: [], stage: 1 } as const;

function shown(view: Partial<PlanView>, paint = NO_PAINT, options: Partial<TextOptions> = {}): string {
  const plan: PlanView = {
    gateway: 'https://gateway.example',
    selection: { target: [], exclude: [] },
    changes: [],
    counts,
    unclaimed: [],
    unmanaged: [],
    ignored: [],
    unselected: 0,
    ...view,
  };
  return [
    ...renderText(makePlanReport(redact(plan, catalog.kinds), plan.gateway), { paint, ...options }),
  ].join('');
}

/** The lines below an update with these fields. */
function fieldsShown(...fields: readonly FieldDifference[]): readonly string[] {
  const change: Change = { ...about, action: 'update', before: prod, after: prod, fields };
  const lines = shown({ changes: [change], counts: { ...counts, update: 1 } }).split('\n');
  return lines.slice(3, lines.indexOf('', 3));
}

describe('what a plan means for principals, as text', () => {
  const [before, after] = [chain('audit', 'mask'), chain('audit')];
  const effects = accounts(12).map((one) => effectOn(one, before, after));

  it('stands below the changes, and what is lost above them', () => {
    const returning = { lasting: false, until: 'Interceptor/other@vCluster=prod' as ChangeId };
    const exposures = [
      ...accounts(12).map((one) => exposureOf(one)),
      exposureOf(principal(null), { ...returning, accepted: { reason: 'agreed', until: '2026-12-31' } }),
    ];
    expect(shown({ effects, exposures })).toBe(
      [
        'Gateway https://gateway.example',
        '',
        'Lost protection:',
        '  ! 12 clients of prod lose masking permanently: Interceptor/mask@vCluster=prod',
        '      user-1, user-2, user-3, user-4, user-5 and 7 more',
        '      To accept it, use --accept-exposure Interceptor/mask@vCluster=prod, or exposures in gwconf.yaml',
        '',
        'Accepted losses of protection:',
        '  ~ all other clients in prod have no masking between Interceptor/mask@vCluster=prod and Interceptor/other@vCluster=prod',
        '      Accepted until 2026-12-31: agreed',
        '',
        'Affected clients:',
        '  ~ 12 clients of prod lose mask',
        '      user-1, user-2, user-3, user-4, user-5 and 7 more',
        '      - before: 1 audit (vCluster=prod) → 1 mask (vCluster=prod)',
        '      + after: 1 audit (vCluster=prod)',
        '',
        'No changes. 0 objects up to date.',
        '',
      ].join('\n'),
    );
  });

  it('has as many details as --detail asks for', () => {
    expect(shown({ effects }, NO_PAINT, { detail: 'full' })).toContain('user-11, user-12\n');
    const summary = shown({ effects }, NO_PAINT, { detail: 'summary' });
    expect(summary).toContain('lose mask');
    expect(summary).not.toMatch(/user-1|before/);
    expect(shown({}, NO_PAINT, { detail: 'summary' })).not.toContain('--detail fields');
  });

  it('is short for 10,000 clients, each with an effect of its own', () => {
    const many = accounts(10_000).map((one, at) => effectOn(one, chain(`own-${at}`), []));
    const text = shown({ effects: many });
    expect(text.length).toBeLessThan(5000);
    expect(text).toContain('  and 9980 more groups of 9980 clients; -o json lists all\n');
  });

  it('fits the terminal, and gives it no orders', () => {
    const hostile = principal('\u001b[31mred\n! fake');
    const text = shown({ effects: [...effects, effectOn(hostile, before, after)] }, NO_PAINT, {
      width: 40,
      detail: 'full',
    });
    for (const line of text.split('\n').slice(2, -2)) expect(line.length).toBeLessThanOrEqual(40);
    expect(text).toContain('"\\u001b[31mred\\n!');
  });
});

describe('a plan as text', () => {
  it('has a symbol for each action', () => {
    const changes: readonly Change[] = [
      { ...about, action: 'create', after: prod },
      { ...about, action: 'update', before: prod, after: prod, fields: [] },
      { ...about, action: 'replace', before: prod, after: prod, fields: [], because: ['/spec/a', '/spec/b'] },
      { ...about, action: 'delete', before: prod },
    ];
    expect(shown({ changes, counts: { ...counts, create: 1, update: 1, replace: 1, delete: 1 } })).toBe(
      [
        'Gateway https://gateway.example',
        '',
        'Risks:',
        '  ! VirtualCluster/prod is deleted with the topics, ACLs and consumer groups inside it',
        '  ! VirtualCluster/prod is deleted with the topics, ACLs and consumer groups inside it',
        '',
        '  + VirtualCluster/prod',
        '  ~ VirtualCluster/prod',
        '  ± VirtualCluster/prod  deleted and recreated: /spec/a, /spec/b cannot be changed in place',
        '  - VirtualCluster/prod',
        '',
        'Plan: 1 to create, 1 to update, 1 to replace, 1 to delete. 0 unchanged.',
        '',
      ].join('\n'),
    );
  });

  it('shows the place of a change, and the reason of an extra step', () => {
    const at = { file: 'a.yaml', line: 3, column: 1 };
    const step = { step: 'release', reason: 'drops x first' } as const;
    const change: Change = { ...about, at, action: 'update', before: prod, after: prod, fields: [], ...step };
    expect(shown({ changes: [change] })).toContain('  ~ VirtualCluster/prod  drops x first  a.yaml:3\n');
  });

  it('shows added, removed and changed fields', () => {
    expect(
      fieldsShown(
        { op: 'add', path: '/spec/a', after: [1, { b: null }] },
        { op: 'remove', path: '/spec/b', before: 'x' },
        { op: 'set', path: '/spec/c~1d', before: true, after: 'true' },
      ),
    ).toEqual([
      '      + /spec/a: [1,{"b":null}]',
      '      - /spec/b: "x"',
      '      ~ /spec/c~1d: true → "true"',
    ]);
  });

  it('truncates long values and shows their length', () => {
    const [line = ''] = fieldsShown({ op: 'add', path: '/spec/a', after: 'x'.repeat(5000) });
    expect(line).toMatch(/^ {6}\+ \/spec\/a: "x{1999}… \(5002 characters\)$/);
  });

  it('shows multiline texts by the lines that differ', () => {
    const text = (...lines: readonly string[]): Json => lines.join('\n');
    expect(
      fieldsShown({
        op: 'set',
        path: '/spec/a',
        before: text('1', '2', '3', '4', '5'),
        after: text('1', '2', 'x', 'y', '4', '5'),
      }),
    ).toEqual([
      '      ~ /spec/a:',
      '            2',
      '          - 3',
      '          + x',
      '          + y',
      '            4',
    ]);
    expect(
      fieldsShown({ op: 'set', path: '/spec/a', before: text('a', 'b'), after: text('b', 'a') }),
    ).toEqual(['      ~ /spec/a:', '          - a', '          - b', '          + b', '          + a']);
    expect(
      fieldsShown({ op: 'set', path: '/spec/a', before: text('a', 'a'), after: text('a', 'a', 'a') }),
    ).toEqual(['      ~ /spec/a:', '            a', '          + a']);
  });

  it('ends with what stays unchanged', () => {
    expect(shown({ counts: { ...counts, unchanged: 1 } })).toMatch(/\nNo changes\. 1 object up to date\.\n$/);
    expect(shown({ counts: { ...counts, unchanged: 2, unclaimed: 0, unmanaged: 1, ignored: 0 } })).toMatch(
      /\nNo changes\. 2 objects up to date\. 1 object on the gateway is in no file and stays unchanged\.\n$/,
    );
  });

  it('does not print "no changes" for a narrowed plan', () => {
    const text = shown({ selection: { target: ['a*'], exclude: ['!b'] }, unselected: 7 });
    expect(text).toContain('Narrowed by --target a* --exclude !b: 7 objects not selected\n');
    expect(text).toContain('Nothing to do for the 0 selected objects; 7 not selected.\n');
    expect(text).not.toMatch(/no changes/i);
  });

  it('shows what prune deletes', () => {
    expect(shown({ prune: ['*a*', '!b'] })).toContain('Prune deletes orphaned objects that match *a*, !b\n');
  });

  it('is painted by the caller', () => {
    const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
    const paint: Paint = {
      bold: tag('b'),
      dim: tag('d'),
      red: tag('r'),
      green: tag('g'),
      yellow: tag('y'),
      cyan: tag('c'),
    };
    const changes: readonly Change[] = [{ ...about, action: 'delete', before: prod }];
    expect(shown({ changes }, paint)).toContain('  <r>-</r> VirtualCluster/prod\n');
  });

  it('formats counts', () => {
    expect(formatCounts({ ...counts, create: 3, delete: 1 })).toBe(
      '3 to create, 0 to update, 0 to replace, 1 to delete',
    );
  });
});
