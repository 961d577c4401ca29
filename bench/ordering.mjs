// Puts COUNT changes in order, half of which depend on another one. Prints milliseconds.
//
//     node bench/ordering.mjs COUNT
import { catalog, identify, makePlan } from '../dist/index.js';
import { make } from './workload.mjs';

const [count] = process.argv.slice(2);
const resources = Array.from({ length: Number(count) / 2 }, (_, at) => [
  make('GatewayServiceAccount', { name: `app-${at}` }, { type: 'LOCAL' }),
  make('GatewayGroup', { name: `group-${at}` }, { members: [{ name: `app-${at}` }] }),
]).flat();
const document = { file: { path: 'made-up.yaml', text: '' }, index: 0, offset: 0 };
const at = { file: 'made-up.yaml', line: 1, column: 1 };
const desired = new Map(
  resources.map((resource) => {
    const address = identify(catalog.kinds.get(resource.kind), resource);
    return [address, { address, resource, document, at }];
  }),
);
const nothing = { resources: new Map(), unavailable: new Map() };
const start = performance.now();
const { value } = makePlan(desired, nothing, catalog.kinds, { gateway: 'http://made-up' });
if (value.changes.length !== resources.length) throw new Error('some changes are missing');
console.log(performance.now() - start);
