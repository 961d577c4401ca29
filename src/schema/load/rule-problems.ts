import {
  canonicalText,
  isList,
  joinPointer,
  placesOf,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Context, Kind } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
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
    ...repeatedItems(kind, resource).map((path) =>
      warning(
        'repeated-item',
        path,
        'value',
        `${address} has the item at ${path} twice`,
        'keep one of the two',
      ),
    ),
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

function absence(kind: Kind, address: Address, { security }: Context): readonly Omit<Problem, 'at'>[] {
  if (security === undefined || !kind.absentIn.includes(security)) return [];
  const message = `${address} cannot be there: a gateway with ${security} has no ${kind.name}`;
  const hint = 'take it out, or change security of the environment in gwconf.yaml';
  return [{ code: 'security-mode', severity: 'error', message, address, path: '/kind', hint }];
}

function repeatedItems(kind: Kind, resource: Resource): readonly Pointer[] {
  const sets = kind.sets(resource);
  const isLong = (value: Json): boolean => isList(value) && value.length > 1;
  // With defaults two items may turn out to be one; no list gets longer by them.
  if (!sets.some((set) => placesOf(resource, set).some(({ value }) => isLong(value)))) return [];
  const filled = withDefaults(kind, resource) as JsonObject;
  return sets.flatMap((set) =>
    placesOf(filled, set).flatMap(({ pointer, value }) => {
      const seen = new Set<string>();
      return (isList(value) ? value : []).flatMap((item, at) => {
        const text = canonicalText(item);
        const again = seen.has(text);
        seen.add(text);
        return again ? [joinPointer(pointer, at)] : [];
      });
    }),
  );
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
