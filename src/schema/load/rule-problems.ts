import { placesOf, valueAt, type JsonObject, type Pointer } from '../../model/json/json.ts';
import type { Context, Kind } from '../../model/kind.ts';
import { fitsInPath } from '../../model/resource.ts';
import { findRepeatedItems } from '../../model/normal/repeated-items.ts';
import type { Place, Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { secretPlaces, suspectPlaces } from '../../model/secrets/secrets.ts';
import { hasOpen, isForTheGateway, placeIn } from './in-document.ts';
import { describe } from '../wording.ts';
import type { ParsedDocument } from '../yaml/parse.ts';

/** What is wrong or odd with a resource that its schema lets pass. */
export function ruleProblems(
  document: ParsedDocument,
  kind: Kind,
  resource: Resource,
  { address, context }: { readonly address: Address; readonly context: Context },
): readonly Problem[] {
  const place = (path: Pointer, on: 'key' | 'value'): Place => placeIn(document, path, on);
  const broken = kind.check(resource, context).filter(({ path }) => !hasOpen(document, path));
  const hidden = secretPlaces(kind, resource, document.templates);
  const managed = kind.serverManaged.flatMap((tokens) => placesOf(resource as JsonObject, tokens));
  const warning = (
    code: Problem['code'],
    path: Pointer,
    on: 'key' | 'value',
    message: string,
    hint: string,
  ): Problem => ({ code, severity: 'warning', message, at: place(path, on), address, path, hint });
  return [
    ...broken.map((rule): Problem => {
      const { severity, path, on = 'value', found, hint } = rule;
      const code = rule.code ?? (severity === 'error' ? 'conflicting-fields' : 'unusual-value');
      const secret = document.templates.has(path) || hidden.has(path);
      const shown = found === undefined ? '' : `; found ${secret ? 'a hidden value' : describe(found)}`;
      const message = `${address}: ${rule.message}${shown}`;
      const problem = { code, severity, message, at: place(path, on), address, path, hint };
      return secret ? { ...problem, confidential: true } : problem;
    }),
    ...absence(kind, address, context).map((problem): Problem => ({
      ...problem,
      at: place('/kind', 'value'),
    })),
    ...findRepeatedItems(kind, resource).map(({ path, isRefused }): Problem => {
      const message = `${address} has the item at ${path} twice${isRefused ? ', which the gateway refuses' : ''}`;
      const problem = warning('repeated-item', path, 'value', message, 'keep one of the two');
      return isRefused ? { ...problem, severity: 'error' } : problem;
    }),
    ...pathProblems(kind, resource, address, place),
    ...literalSecrets(document, hidden, resource).map((path): Problem => {
      const message = `${address} has a secret written out at ${path}`;
      const hint =
        'write ${VARIABLE} and set it where gwconf runs, or $${VARIABLE} and set it on the gateway';
      return { ...warning('literal-secret', path, 'key', message, hint), confidential: true };
    }),
    ...suspectPlaces(kind, resource, hidden).map((path): Problem => {
      const message = `${address} has text at ${path} that looks like a secret, and is shown`;
      const hint =
        'write ${VARIABLE} or ${file:PATH}; or say that it is none: # gwconf-ignore looks-like-secret: REASON';
      return { ...warning('looks-like-secret', path, 'value', message, hint), confidential: true };
    }),
    ...managed.map(({ pointer: path }) => {
      const message = `the gateway sets ${path} of ${address} by itself; it is not sent`;
      return warning('server-managed', path, 'key', message, 'take it out');
    }),
  ];
}

/** A name that no request can be made for: it could be created, and never deleted. */
function pathProblems(
  { removal, name: kind }: Kind,
  { metadata: { name } }: Resource,
  address: Address,
  place: (path: Pointer, on: 'value') => Place,
): readonly Problem[] {
  if (removal === undefined || removal === 'body' || fitsInPath(name)) return [];
  return [
    {
      code: 'invalid-value',
      severity: 'error',
      message: `the name ${JSON.stringify(name)} cannot be written in a URL, so this ${kind} could never be deleted`,
      at: place('/metadata/name', 'value'),
      address,
      path: '/metadata/name',
      hint: 'choose another name',
    },
  ];
}

function absence(kind: Kind, address: Address, { security }: Context): readonly Omit<Problem, 'at'>[] {
  if (security === undefined || !kind.absentIn.includes(security)) return [];
  const message = `${address} cannot be there: a gateway with ${security} has no ${kind.name}`;
  const hint = 'take it out, or change security of the environment in gwconf.yaml';
  return [{ code: 'security-mode', severity: 'error', message, address, path: '/kind', hint }];
}

function literalSecrets(
  document: ParsedDocument,
  secrets: ReadonlySet<Pointer>,
  resource: Resource,
): readonly Pointer[] {
  return [...secrets].filter(
    (path) => !document.templates.has(path) && !isForTheGateway(valueAt(resource as JsonObject, path)),
  );
}
