import type { Entry, Page } from '../../../src/report/page/page.ts';
import type { Fate } from '../../../src/report/page/fates.ts';
import { NASTY } from '../hostile.ts';

/** Text that tries to leave its place. */
export const TRICKS = [
  NASTY,
  '</code></summary></details></li></ol><script>document.title="owned"</script>',
  '<img src="https://evil.example/x" onerror="document.title=1">',
  '" onmouseover="x" data-k="',
  "' autofocus onfocus=alert(1) '",
  '&lt;b&gt; &amp; &#60;script&#62;',
  '</style></script></svg><svg onload=alert(1)>',
  'javascript:alert(1)',
];

/** What happens to two principals, in these words. */
function fateOf(text: string): Fate {
  const lines = [{ sign: '+', text } as const];
  return { count: 2, text, names: [text, text], notes: [text], lines };
}

/** A page with this many changes of each sort, in two virtual clusters. */
export function pageWith(count: number, names: readonly string[] = []): Page {
  const entry = (name: string, at: number): Entry => ({
    names: [name],
    at: { file: names.length > 0 ? name : 'teams/a.yaml', line: at + 1, column: 1 },
    notes: at % 2 === 0 ? [] : [`needs a look ${name}`],
    isRisky: at === 0,
    lines: () => [
      { sign: '-', text: `/spec/x: ${name}` },
      { sign: '+', text: `/spec/x: new ${at}` },
      { sign: '!', text: '/spec/password: (hidden), changed' },
    ],
  });
  const objects = (kind: string): readonly Entry[] =>
    Array.from({ length: count }, (_, at) =>
      entry(`${kind}/object-${at}@vCluster=${at % 2 === 0 ? 'prod' : 'stage'}`, at),
    );
  const odd = names.map((name, at) => entry(`AliasTopic/${name}`, at));
  const updated = [...objects('Interceptor'), ...odd];
  const created = objects('AliasTopic');
  const kinds = { Interceptor: 'Update', AliasTopic: 'Create' };
  return {
    title: 'Plan: some to update',
    tone: 'warning',
    facts: [{ label: 'Gateway', text: names[0] ?? 'https://gateway.example:8888', isCode: true }],
    next: 'Nothing is changed until this plan is applied.',
    losses: [{ title: 'Lost protection', fates: names.map(fateOf) }],
    risks: names.map((name) => ({ name, text: name })),
    problems: names.map((name) => ({
      code: name,
      severity: 'warning',
      message: name,
      hint: name,
      file: name,
      line: 1,
    })),
    sections: [
      { title: 'Update', sign: '~', count: updated.length, entries: updated },
      { title: 'Create', sign: '+', count: created.length, entries: created },
    ],
    effects: { title: 'Effects on principals', fates: names.map(fateOf) },
    totals: Object.entries(kinds).flatMap(([kind, title]) =>
      ['prod', 'stage'].map((virtualCluster) => ({ kind, virtualCluster, counts: { [title]: count / 2 } })),
    ),
    steps: [
      { id: 'VirtualCluster/prod', name: 'VirtualCluster/prod', section: 'Create', sign: '+', after: [] },
      {
        id: 'Interceptor/a',
        name: names[1] ?? 'Interceptor/a',
        section: 'Update',
        sign: '~',
        after: ['VirtualCluster/prod'],
      },
      ...names.map((name) => ({
        id: name,
        name,
        section: 'Update',
        sign: '~' as const,
        after: ['Interceptor/a'],
      })),
    ],
    closing: '7 unchanged',
  };
}

/** The same with the changes of others folded. */
export function foldedPage(): Page {
  const { sections, ...page } = pageWith(4);
  const [first, ...others] = sections;
  const aside = 'merged, but not applied yet';
  return {
    ...page,
    sections: [
      ...others,
      ...(first === undefined ? [] : [{ ...first, title: 'Pending on the base', aside }]),
    ],
  };
}
