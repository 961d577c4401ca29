import { expect, it } from 'vitest';
import { REQUESTS, requestOf } from '../../src/controller/resource.ts';
import { summaryOf } from '../../src/controller/plan-summary.ts';
import type { ShownPlan } from '../../src/plan/secrets/redact.ts';
import { makeMetrics } from '../../src/controller/metrics.ts';
import { statusAfter } from '../../src/controller/status.ts';
import { present } from '../../src/model/collect.ts';

const APP = {
  metadata: { name: 'app' },
  spec: { source: { folder: 'files' }, gateway: { url: 'http://gateway' }, mode: 'apply' },
} as const;

it('a new value of either annotation is a new request, whatever the other one says', () => {
  const asked = (annotations: Record<string, string>): string | undefined =>
    requestOf({ metadata: { name: 'app', annotations } });
  const [own = '', flux = ''] = REQUESTS;
  expect(asked({})).toBeUndefined();
  expect(asked({ [flux]: 'noon' })).toBe('noon');
  expect(asked({ [own]: 'dawn', [flux]: 'noon' })).not.toBe(asked({ [own]: 'dawn', [flux]: 'night' }));
  expect(asked({ [own]: 'dawn', [flux]: 'noon' })).not.toBe(asked({ [own]: 'dusk', [flux]: 'noon' }));
});

it('a long request is told apart from others by its digest, and no message is cut within a character', () => {
  const [own = ''] = REQUESTS;
  const asking = (asked: string): Parameters<typeof statusAfter>[0] => ({
    metadata: { name: 'app', annotations: { [own]: asked } },
    spec: { source: { folder: 'files' }, gateway: { url: 'http://gateway' } },
  });
  const now = new Date(0);
  const resource = asking(`${'a'.repeat(100_000)}1`);
  const { lastHandledReconcileAt: handled, conditions = [] } = statusAfter(
    resource,
    { state: 'failed', reason: 'GatewayError', message: '😀'.repeat(1000), made: 0, calls: 0 },
    { start: now, end: now, by: 'me' },
  );
  expect(handled).toMatch(/^[0-9a-f]{64}$/);
  expect(handled).toBe(requestOf(resource));
  expect(handled).not.toBe(requestOf(asking(`${'a'.repeat(100_000)}2`)));
  for (const { message = '' } of conditions) expect(message).toMatch(/^\P{Surrogate}{10,}…$/u);
});

it('losses and risks that have no room in the status are counted', () => {
  const resource: Parameters<typeof statusAfter>[0] = {
    metadata: { name: 'app' },
    spec: { source: { folder: 'files' }, gateway: { url: 'http://gateway' }, mode: 'approve' },
  };
  const many = Array.from({ length: 12 }, (_, at) => `loss ${at}`);
  const plan = {
    ...{ digest: 'sha256:0', counts: { create: 0, update: 12, replace: 0, delete: 0 } },
    ...{ changes: many, addresses: many, losses: many, risks: many.slice(0, 10) },
  };
  const now = new Date(0);
  const { pendingPlan } = statusAfter(
    resource,
    { state: 'waiting', reason: 'PlanPending', message: '', made: 0, calls: 0, plan },
    { start: now, end: now, by: 'me' },
  );
  expect(pendingPlan?.losses).toEqual([...many.slice(0, 10), 'and 2 more']);
  expect(pendingPlan?.risks).toEqual(many.slice(0, 10));
});

it('those whom unfinished runs left without a protection are counted, the newest first, and have a metric', async () => {
  const now = new Date(0);
  let status: ReturnType<typeof statusAfter> | undefined;
  const look = (...unprotected: readonly string[]): typeof status => {
    status = statusAfter(
      {
        ...APP,
        ...(status === undefined ? {} : { status }),
      },
      { state: 'failed', reason: 'ApplyFailed', message: 'refused', made: 0, calls: 0, unprotected },
      { start: now, end: now, by: 'me' },
    );
    return status;
  };
  const many = Array.from({ length: 12 }, (_, at) => `app-${at} without masking`);
  const told = [...many.slice(0, 10), 'and 2 more'];
  expect(look(...many)?.unprotected).toEqual(told);
  expect(look()?.unprotected).toEqual(told);
  expect(look()?.conditions?.[0]?.message).toBe(`an unfinished run left ${told.join(', ')}; refused`);
  expect(look('web without auditing')?.unprotected?.slice(0, 2)).toEqual(['web without auditing', many[0]]);
  const metricsOf = (resource: Parameters<typeof statusAfter>[0]): Promise<string> =>
    makeMetrics({ resources: () => [resource], depth: () => 0 }).registry.metrics();
  expect(await metricsOf({ ...APP, ...present({ status }) })).toMatch(/^gwconf_unprotected\{.*\} 10$/m);
  expect(await metricsOf(APP)).toMatch(/^gwconf_unprotected\{.*\} 0$/m);
});

it('an order that was not looked at for gaps is a risk of the plan', () => {
  const shown = { changes: [], risks: [], counts: {} } as unknown as ShownPlan; // the parts that are read
  const about = { url: '', environment: undefined, versions: [], files: '' };
  const warnings = (['unjudged-order', 'lost-protection'] as const).map((code) => ({
    ...{ code, severity: 'warning' as const, message: `about ${code}` },
  }));
  expect(summaryOf(shown, { ...about, warnings }).risks).toEqual(['about unjudged-order']);
});

it('an approval counts no more once nothing is left to change, also where the status of its run was lost', () => {
  const now = new Date(0);
  const planOf = (mode: 'approve' | 'apply', state: 'done' | 'failed'): string | undefined => {
    const { lastAppliedPlan } = statusAfter(
      {
        metadata: { name: 'app' },
        spec: {
          source: { folder: 'files' },
          gateway: { url: 'http://gateway' },
          mode,
          approvedPlan: 'sha256:1',
        },
        status: { lastAppliedPlan: 'sha256:0' },
      },
      { state, reason: '', message: '', made: 0, calls: 0 },
      { start: now, end: now, by: 'me' },
    );
    return lastAppliedPlan;
  };
  expect(planOf('approve', 'done')).toBe('sha256:1');
  expect(planOf('approve', 'failed')).toBe('sha256:0'); // it is tried again
  expect(planOf('apply', 'done')).toBe('sha256:0');
});
