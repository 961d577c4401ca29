import { expect, it } from 'vitest';
import type { Problem } from '../../src/model/problem.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { savePlan } from '../../src/workflow/plan/saved-plan.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { memoryHost } from '../support/memory-host.ts';

it('a saved plan keeps the warnings that nothing else in it tells, without secrets', async () => {
  const host = memoryHost(new Map());
  const workspace = await openWorkspace(host);
  workspace.secrets.masker.learn('hvs.CAESIJ0123456789');
  const desired = new Map();
  const live = { resources: new Map(), unavailable: new Map() };
  const { value: plan } = makePlan(desired, live, catalog.kinds, { gateway: 'memory:' });
  const warning = (code: Problem['code'], about: Partial<Problem> = {}): Problem => ({
    ...{ code, severity: 'warning', message: code, ...about },
  });
  const problems = [
    warning('similar-names'),
    warning('shared-prefix'),
    warning('taken-over-loss'),
    warning('unknown-causes', { message: 'git says hvs.CAESIJ0123456789', hint: 'not hvs.CAESIJ0123456789' }),
    warning('policy/owned'),
    warning('policy/named', { inBase: true }),
    warning('policy/dated', { severity: 'info' }),
    warning('loosened-rule'),
  ];
  const { warnings = [] } = await savePlan(host, workspace, { desired, files: [], problems }, plan);
  expect(warnings.map(({ message, hint }) => [message, hint])).toEqual([
    ['similar-names', undefined],
    ['shared-prefix', undefined],
    ['taken-over-loss', undefined],
    ['git says (hidden)', 'not (hidden)'],
    ['policy/owned', undefined],
  ]);
});
