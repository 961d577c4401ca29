import type { Json } from '../../model/json/json.ts';
import { isObject, valueOf } from '../../model/json/json.ts';
import { CAUSES } from '../change/cause.ts';
import {
  anything,
  count,
  flag,
  listOf,
  mapOf,
  mapWith,
  oneOf,
  pointer,
  text,
  time,
  when,
  type Shape,
} from './shape.ts';

const resource = mapWith({
  apiVersion: text,
  kind: text,
  metadata: when((value) => typeof valueOf(value, 'name') === 'string'),
  spec: when(isObject),
});
const template = mapWith({ text, plain: flag, variables: listOf(text) });
const templates = mapOf(template);
const position = mapWith({ file: text, line: count, column: count });
const source = mapWith(
  { digest: text },
  { template, file: text, document: count, path: pointer, live: pointer },
);
const bound = mapWith({}, { objects: count, percent: count });
const field: Shape = (value) => {
  const op = valueOf(value, 'op');
  const shape = typeof op === 'string' && Object.hasOwn(FIELDS, op) ? FIELDS[op] : undefined;
  return shape === undefined ? '/op' : shape(value);
};
const FIELDS: Readonly<Record<string, Shape>> = {
  add: mapWith({ op: text, path: pointer, after: anything }),
  remove: mapWith({ op: text, path: pointer, before: anything }),
  set: mapWith({ op: text, path: pointer, before: anything, after: anything }),
};

const about = { action: text, address: text, kind: text, stage: oneOf(1, 2), dependsOn: listOf(text) };
const marks = { templates, formerSecrets: listOf(pointer) };
const cause = oneOf(...CAUSES);
const causes = { cause: oneOf(...CAUSES, 'mixed'), fieldCauses: mapOf(cause, () => true) };
const rest = { at: position, reason: text, ...marks, ...causes };
const checks = { basis: text, result: text, halfway: text };
const difference = { before: resource, after: resource, fields: listOf(field) };
const secrets = mapOf(source);
const verdicts = mapOf(oneOf('changed', 'same', 'cannot-tell'));
const CHANGES: Readonly<Record<string, Shape>> = {
  create: mapWith(
    { ...about, after: resource },
    { ...rest, secrets, movedFrom: text, halfway: text, step: oneOf('bridge') },
  ),
  update: mapWith(
    { ...about, ...difference },
    { ...rest, ...checks, secrets, verdicts, step: oneOf('release', 'expand') },
  ),
  replace: mapWith(
    { ...about, ...difference, because: listOf(pointer) },
    { ...rest, ...checks, secrets, verdicts },
  ),
  delete: mapWith(
    { ...about, before: resource },
    { ...rest, ...checks, removal: text, movedTo: text, step: oneOf('unbridge') },
  ),
};
const change: Shape = (value) => {
  const action = valueOf(value, 'action');
  const shape = typeof action === 'string' && Object.hasOwn(CHANGES, action) ? CHANGES[action] : undefined;
  if (shape === undefined) return '/action';
  if (action === 'create') return shape(value);
  const isBound = (valueOf(value, 'basis') === undefined) !== (valueOf(value, 'result') === undefined);
  return shape(value) ?? (isBound ? undefined : '/basis');
};

const principal = mapWith(
  {
    virtualCluster: text,
    username: when((value) => value === null || typeof value === 'string'),
    groups: listOf(text),
  },
  { externalGroup: text },
);
const principals = listOf(principal);
const chain = listOf(
  mapWith({
    address: text,
    pluginClass: text,
    priority: when((value) => value === '(hidden)' || Number.isSafeInteger(value)),
  }),
);
const effect = mapWith({ principals, before: chain, after: chain });
const exposure = mapWith(
  { principals, protection: text, lasting: flag, lost: listOf(text), from: text },
  { until: text, seconds: count, accepted: mapWith({}, { reason: text, until: text }) },
);

/** The shape of a saved plan of this version. */
export const planShape: (value: Json) => ReturnType<Shape> = mapWith(
  {
    format: text,
    tool: text,
    createdAt: time,
    salt: text,
    gateway: text,
    selection: mapWith({ target: listOf(text), exclude: listOf(text) }),
    summary: mapWith({
      ...{ create: count, update: count, replace: count, delete: count },
      ...{ unchanged: count, unclaimed: count, unmanaged: count, ignored: count },
    }),
    changes: listOf(change),
    relies: listOf(mapWith({ address: text, kind: text, basis: text }, marks)),
    unclaimed: listOf(text),
    unmanaged: listOf(text),
    ignored: listOf(mapWith({ address: text, reason: text }, { path: pointer })),
    unselected: count,
    managed: mapOf(count, () => true),
    digest: text,
  },
  {
    environment: text,
    origin: mapWith({}, { repository: text, commit: text }),
    expiresAt: time,
    input: text,
    base: mapWith({ ref: text, commit: text, behind: count }),
    undoes: mapWith({
      run: text,
      losses: listOf(mapWith({ address: text, leftOut: flag, reason: text })),
    }),
    undoesPlan: text,
    effects: listOf(effect),
    exposures: listOf(exposure),
    warnings: listOf(
      mapWith(
        { code: oneOf('similar-names'), severity: oneOf('warning'), message: text },
        { address: text, hint: text },
      ),
    ),
    manages: listOf(text),
    prune: listOf(text),
    limits: mapWith({}, { deletes: bound, updates: bound }),
    mac: text,
    signature: text,
  },
);
