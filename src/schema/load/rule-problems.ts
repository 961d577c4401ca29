import { placesOf, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Context, Kind } from '../../model/kind.ts';
import { findRepeatedItems } from '../../model/normal/constrained-values.ts';
import { judge, makeProblem, type Place, type Problem } from '../../model/problem.ts';
import {
  fitsInPath,
  isSound,
  type Address,
  type Examined,
  type Parsed,
  type Resource,
} from '../../model/resource.ts';
import { asWritten, secretPlaces, suspectPlaces } from '../../model/secrets/secrets.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { describe } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';

/** Problems that the schema of a kind does not find. */
export function ruleProblems(
  document: ParsedDocument,
  kind: Kind,
  examined: Examined,
  { address, context }: { readonly address: Address; readonly context: Context },
): readonly Problem[] {
  const place = (path: Pointer, on: 'key' | 'value'): Place => placeIn(document, path, on);
  const { resource } = examined;
  const written = {
    ...examined,
    resource: asWritten({ resource, templates: document.templates }),
  } as Examined;
  const broken = kind.check(written, context).filter(({ path }) => !document.templates.has(path));
  const repeated = findRepeatedItems(kind, written.resource).filter(({ path }) => isSound(written, [path]));
  const hidden = secretPlaces(kind, resource, document.templates);
  const managed = kind.serverManaged.flatMap((tokens) => placesOf(resource, tokens));
  const warning = (
    code: Problem['code'],
    path: Pointer,
    on: 'key' | 'value',
    message: string,
    hint: string,
  ): Problem => ({ code, severity: 'warning', message, at: place(path, on), address, path, hint });
  return [
    ...broken.map((rule): Problem => {
      const { code, severity, path, on = 'value', found, hint, instead } = rule;
      const secret = hidden.has(path);
      const shown = found === undefined ? '' : `; found ${secret ? 'a hidden value' : describe(found)}`;
      const message = `${address}: ${rule.message}${shown}`;
      const problem = { code, severity, message, at: place(path, on), address, path, hint };
      return secret
        ? { ...problem, confidential: true }
        : instead === undefined
          ? problem
          : { ...problem, instead };
    }),
    ...absence(kind, address, context).map((problem): Problem => ({
      ...problem,
      at: place('/kind', 'value'),
    })),
    ...repeated.map(({ path, isRefused }): Problem => {
      const message = `${address} has the item at ${path} twice${isRefused ? ', which the gateway rejects' : ''}`;
      const problem = warning('repeated-item', path, 'value', message, 'keep one of the two');
      return isRefused ? { ...problem, severity: 'error' } : problem;
    }),
    ...pathProblems(kind, examined, address, place),
    ...literalSecrets(document, hidden, resource).map((path): Problem => {
      const message = `${address} has a secret in clear text at ${path}`;
      const hint = 'use ${VARIABLE} and set it where gwconf runs, or $${VARIABLE} and set it on the gateway';
      return { ...warning('literal-secret', path, 'key', message, hint), confidential: true };
    }),
    ...suspectPlaces(kind, resource, hidden).map((path): Problem => {
      const message = `${address} has text at ${path} that looks like a secret; it is shown in output`;
      const hint =
        'use ${VARIABLE} or ${file:PATH}; or, if it is not a secret, add # gwconf-ignore looks-like-secret: REASON';
      return { ...warning('looks-like-secret', path, 'value', message, hint), confidential: true };
    }),
    ...managed.map(({ pointer: path }) => {
      const message = `${path} of ${address} is set by the gateway and not sent`;
      return warning('server-managed', path, 'key', message, 'remove it');
    }),
  ];
}

/** The same for a resource that a document of gwconf's own kind stands for, with its paths; its fields are valid. */
export function pieceProblems(
  kind: Kind,
  resource: Resource,
  address: Address,
  context: Context,
): readonly (Omit<Problem, 'at'> & { readonly path: Pointer })[] {
  const broken = kind.check({ resource }, context).map(({ code, severity, path, message, hint }) => ({
    ...{ code, severity, message: `${address}: ${message}`, address, path, hint },
  }));
  return [...broken, ...absence(kind, address, context)];
}

/** A name that does not fit in a URL: the object could be created, but never deleted. */
function pathProblems(
  { removal, name: kind }: Kind,
  examined: Examined,
  address: Address,
  place: (path: Pointer, on: 'value') => Place,
): readonly Problem[] {
  const name = valueAt(examined.resource, NAME);
  if (typeof name !== 'string' || !isSound(examined, [NAME])) return [];
  if (removal === undefined || removal === 'body' || fitsInPath(name)) return [];
  return [
    makeProblem({
      code: 'invalid-value',
      message: `the name ${JSON.stringify(name)} does not fit in a URL, so this ${kind} could never be deleted`,
      at: place(NAME, 'value'),
      address,
      path: NAME,
      hint: 'choose another name',
    }),
  ];
}

const NAME: Pointer = '/metadata/name';

function absence(
  kind: Kind,
  address: Address,
  { security }: Context,
): readonly (Omit<Problem, 'at'> & { readonly path: Pointer })[] {
  if (security === undefined || !kind.absentIn.includes(security)) return [];
  const message = `a gateway with ${security} has no ${kind.name}, so ${address} cannot exist`;
  const hint = 'remove it, or change security of the environment in gwconf.yaml';
  return [judge({ code: 'security-mode', message, address, path: '/kind', hint })];
}

function literalSecrets(
  document: ParsedDocument,
  secrets: ReadonlySet<Pointer>,
  resource: Parsed,
): readonly Pointer[] {
  return [...secrets].filter((path) => {
    const value = valueAt(resource, path);
    return !document.templates.has(path) && value !== '' && !hasPlaceholder(value);
  });
}
