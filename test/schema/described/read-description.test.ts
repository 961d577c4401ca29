import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryGateway, openMemoryGateway } from '../../../src/emulator/memory.ts';
import { addressIn } from '../../../src/model/identity.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { findDisagreements } from '../../../src/schema/described/compare-forms.ts';
import { readDescription, type Described } from '../../../src/schema/described/read-description.ts';
import { TOPIC_VIEWS } from '../../support/described.ts';
import { sharedFolder } from '../../support/shared.ts';

function read(text: string): Described {
  const found = readDescription(text);
  if ('fault' in found) throw new Error(found.fault);
  return found;
}

describe('a description of kinds', () => {
  const { kinds, refused, description } = read(TOPIC_VIEWS);
  const [view, plan] = kinds;

  it('makes a form like those of our own: identity, references, defaults, secrets, sets', () => {
    expect([refused.size, kinds.map(({ name, collection }) => [name, collection])]).toEqual([
      0,
      [
        ['TopicView', '/gateway/v2/topic-view'],
        ['QuotaPlan', '/gateway/v2/quota-plan'],
      ],
    ]);
    const bare = { metadata: { name: 'a' }, spec: { sourceTopic: 'b' } };
    expect(view && addressIn(view, bare)).toBe('TopicView/a@vCluster=passthrough');
    expect([view?.removal, plan?.removal]).toEqual(['body', 'path']);
    expect(view?.references({ metadata: { name: 'a', vCluster: 'prod' }, spec: {} })).toEqual([
      { to: 'VirtualCluster/prod', path: '/metadata/vCluster' },
    ]);
    const members = [{ name: 'app', vCluster: 'prod' }];
    expect(plan?.references({ metadata: { name: 'a' }, spec: { members } })).toEqual([
      { to: 'GatewayServiceAccount/app@vCluster=prod', path: '/spec/members/0' },
    ]);
    expect(view?.secrets({})).toEqual([['spec', 'signingKey']]);
    expect(view?.sets({})).toEqual([['spec', 'columns']]);
    expect(view?.example.spec).toEqual({ sourceTopic: 'orders', filter: 'amount < 10' });
    expect(plan?.example).toMatchObject({ kind: 'QuotaPlan', spec: { bytesPerSecond: 1 } });
  });

  it('reads the same when it is written with nothing but these kinds', () => {
    expect(read(JSON.stringify(description)).description).toEqual(description);
  });

  it('reads the same from the embedded gateway that serves them', async () => {
    const gateway = await openMemoryGateway(catalog.kinds, { described: TOPIC_VIEWS }, undefined);
    const served = read((await gateway.readDescription()) ?? '');
    const formOf = ({ kinds: all }: Described): unknown =>
      all.map(({ name, collection, removal, axes, schema, defaults, columns }) => ({
        ...{ name, collection, removal, axes, schema, defaults, columns },
      }));
    expect(formOf(served)).toEqual(formOf({ kinds, refused, description, ours: new Map() }));
  });

  it('leaves out kinds of our own, also those of the embedded gateway', async () => {
    const text = await memoryGateway(catalog.kinds).readDescription();
    const { kinds: none, ours, refused: others } = read(text ?? '');
    expect([none.length, others.size]).toEqual([0, 0]);
    expect([...ours.keys()]).toEqual([
      ...['VirtualCluster', 'AliasTopic', 'ConcentrationRule'],
      ...['GatewayServiceAccount', 'GatewayGroup', 'Interceptor'],
    ]);
  });
});

it('says where a description of our own kinds disagrees with their forms', async () => {
  const text = (await memoryGateway(catalog.kinds).readDescription()) ?? '';
  const disagreements = (said: string): readonly string[] =>
    [...read(said).ours].flatMap(([name, schema]) => {
      const kind = catalog.kinds.get(name);
      return kind === undefined
        ? []
        : findDisagreements(kind, schema).map(({ path, says }) => `${path} ${says}`);
    });
  expect(disagreements(text)).toEqual([]);
  expect(
    disagreements(
      text.replace(/"physicalName":\s*\{/, '"retention": {"type": "integer"}, "physicalName": {'),
    ),
  ).toEqual(['/spec/retention is not known here']);
  expect(
    disagreements(text.replace(/"autoManaged":\s*\{"type":\s*"boolean"/, '"autoManaged": {"type": "string"')),
  ).toEqual(['/spec/autoManaged is string, not boolean']);
});

const upstream = sharedFolder('upstream');

it.skipIf(upstream.isAbsent)(`finds no kind that is not known in ${upstream.title}`, () => {
  for (const name of ['gateway-v2-openapi.yaml', 'gateway-v2-openapi-2025-02.yaml']) {
    const { kinds, refused, ours } = read(readFileSync(new URL(name, upstream.url), 'utf8'));
    expect([kinds.length, refused.size, ours.size]).toEqual([0, 0, 6]);
  }
});
