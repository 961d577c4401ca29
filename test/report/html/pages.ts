import type { Block, Entry, Page, Section } from '../../../src/report/page/page.ts';
import type { Consequence } from '../../../src/report/page/principals.ts';
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
/** No page of one environment is narrowed. */
const narrow = (): never => {
  throw new Error('a page of one environment is not narrowed');
};

function consequenceOf(text: string): Consequence {
  const lines = [{ sign: '+', text } as const];
  return { count: 2, text, names: [text, text], notes: [text], lines };
}

/** A page with this many changes of each sort, in two virtual clusters. */
export function pageWith(count: number, names: readonly string[] = []): Page {
  return pageOf(count, names, (sections) => sections);
}

/** The same with the changes of others folded. */
export function foldedPage(): Page {
  return pageOf(4, [], ([first, ...others]) => {
    const aside = 'merged, but not applied yet';
    return [...others, ...(first === undefined ? [] : [{ ...first, title: 'Pending on the base', aside }])];
  });
}

function pageOf(
  count: number,
  names: readonly string[],
  arranged: (sections: readonly Section[]) => readonly Section[],
): Page {
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
  const [, second = 'Interceptor/a'] = names;
  const steps = [
    { id: 'VirtualCluster/prod', name: 'VirtualCluster/prod', section: 'Create', after: [] },
    { id: 'Interceptor/a', name: second, section: 'Update', after: ['VirtualCluster/prod'] },
    ...names.map((name) => ({ id: name, name, section: 'Update', after: ['Interceptor/a'] })),
  ];
  return {
    title: 'Plan: some to update',
    tone: 'warning',
    facts: [{ label: 'Gateway', text: names[0] ?? 'https://gateway.example:8888', isCode: true }],
    next: 'Nothing is changed until this plan is applied.',
    problems: names.map((name) => ({
      code: name,
      severity: 'warning',
      message: name,
      hint: name,
      file: name,
      line: 1,
    })),
    blocks: [
      {
        block: 'consequences',
        title: 'Lost protection',
        weight: 'loss',
        consequences: names.map(consequenceOf),
      },
      {
        block: 'notes',
        title: 'Risks',
        noun: 'risk',
        notes: names.map((name) => ({ name, path: name, text: name })),
        style: 'marked',
      },
      {
        block: 'changes',
        list: [],
        hasCauses: false,
        narrow,
        steps,
        sections: () =>
          arranged([
            { block: 'section', title: 'Update', sign: '~', count: updated.length, entries: updated },
            { block: 'section', title: 'Create', sign: '+', count: created.length, entries: created },
          ]),
      },
      { block: 'table', title: 'Numbers', titles: ['Name'], rows: names.map((name) => [name]) },
      {
        block: 'consequences',
        title: 'Affected clients',
        weight: 'effect',
        consequences: names.map(consequenceOf),
      },
    ] satisfies readonly Block[],
    totals: () => ({
      rows: Object.entries(kinds).flatMap(([kind, title]) =>
        ['prod', 'stage'].map((virtualCluster) => ({
          kind,
          virtualCluster,
          counts: { [title]: count / 2 },
        })),
      ),
    }),
    closing: '7 unchanged',
    ending: undefined,
  };
}
