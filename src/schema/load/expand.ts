import {
  canonicalText,
  isList,
  joinPointer,
  parsePointer,
  valueAt,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import { addDefaults, type DefaultTree } from '../../model/defaults.ts';
import type { Context, Kind } from '../../model/kind.ts';
import { addAll, addTo, present } from '../../model/collect.ts';
import type { Catalog, Piece, Written } from '../../model/own-kind.ts';
import { identify } from '../../model/identity.ts';
import { makeProblem, type Checked, type Place, type Problem } from '../../model/problem.ts';
import { asValid, changeResource, kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { Removal } from '../../model/rules.ts';
import { isValid, type Declaration, type Declared, type Template } from '../../model/state.ts';
import { readAddress } from './address.ts';
import type { CheckedDocument } from './check.ts';
import { positionOf } from './locate.ts';
import { pieceProblems } from './rule-problems.ts';
import { describe } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';

type Recognised = NonNullable<CheckedDocument['value']>;
type Member = { readonly piece: Extract<Piece, { type: 'member' }>; readonly document: ParsedDocument };

export type Expanded = Checked<readonly Declaration[]> & { readonly removals: readonly Removal[] };

/**
 * Replaces kinds of gwconf by resources of the gateway, members of lists of other resources, and removals. Each piece keeps its
 * place in the file. Later stages see only kinds of the gateway.
 */
export function expand(documents: readonly Recognised[], catalog: Catalog, context: Context): Expanded {
  const candidates: Declaration[] = [];
  const members: Member[] = [];
  const removals: Checked<Removal | undefined>[] = [];
  const problems: Problem[] = [];
  for (const one of documents) {
    const { document } = one;
    if (one.own === undefined) {
      const { address, examined, protect } = one;
      candidates.push({ ...from(document), ...(protect ? { protect } : {}), address, ...examined });
      continue;
    }
    for (const piece of one.own.expand(one.resource)) {
      if (piece.type === 'member') members.push({ piece, document });
      else if (piece.type === 'removal') removals.push(removalOf(piece, document, catalog));
      else {
        const whole = wholePiece(piece, document, catalog, context);
        addAll(candidates, whole.value);
        addAll(problems, whole.problems);
      }
    }
  }
  const joined = addMembers(candidates, members, catalog);
  return {
    value: joined.value,
    removals: removals.flatMap(({ value }) => value ?? []),
    problems: [...problems, ...joined.problems, ...removals.flatMap(({ problems }) => problems)],
  };
}

function removalOf(
  { of, to, reason, expires }: Extract<Piece, { type: 'removal' }>,
  document: ParsedDocument,
  { kinds }: Catalog,
): Checked<Removal | undefined> {
  const problems: Problem[] = [];
  const read = ({ text, path }: Written): Removal['to'] => {
    const place = placeIn(document, path);
    const found = readAddress(text, kinds);
    if ('address' in found) return { address: found.address, place };
    problems.push({ severity: 'error', at: place, path, ...found.fault });
    return undefined;
  };
  const [goes, stays] = [read(of), to === undefined ? undefined : read(to)];
  if (goes === undefined || (to !== undefined && stays === undefined)) return { value: undefined, problems };
  const about = {
    reason,
    ...(expires === undefined ? {} : { expires }),
    at: positionOf(goes.place),
  };
  return { value: { ...goes, ...about, ...(stays === undefined ? {} : { to: stays }) }, problems };
}

function from({
  ref,
  at,
  templates,
  places,
  overlays,
}: ParsedDocument): Omit<Declared, 'address' | 'resource'> {
  return {
    document: ref,
    at,
    ...(templates.size === 0 ? {} : { templates }),
    ...present({ places, overlays }),
  };
}

function wholePiece(
  { resource, places }: Extract<Piece, { type: 'resource' }>,
  document: ParsedDocument,
  { kinds }: Catalog,
  context: Context,
): Checked<readonly Declared[]> {
  const kind = kinds.get(resource.kind);
  if (kind === undefined) return { value: [], problems: [] };
  const moved = Object.entries(places) as [Pointer, Pointer][]; // Object.entries forgets the type of keys
  const templates = new Map<Pointer, Template>();
  for (const [to, origin] of moved) {
    const template = document.templates.get(origin);
    if (template !== undefined) templates.set(to, template);
  }
  const valid = asValid(resource); // its fields come from a valid document
  const placed = moved.map(([to, path]): [Pointer, Place] => [
    to,
    { document: document.ref, path, on: 'value' },
  ]);
  const about = { ...from(document), templates, places: new Map(placed) };
  const address = identify(kind, valid);
  const problems = pieceProblems(kind, valid, address, context).map((problem): Problem => {
    const [, origin = problem.path] =
      moved.find(([to]) => problem.path === to) ??
      moved.find(([to]) => problem.path.startsWith(`${to}/`)) ??
      [];
    return { ...problem, path: origin, at: placeIn(document, origin) };
  });
  return { value: [{ ...about, address, resource: valid }], problems };
}

function addMembers(
  candidates: readonly Declaration[],
  members: readonly Member[],
  catalog: Catalog,
): Checked<readonly Declaration[]> {
  if (members.length === 0) return { value: candidates, problems: [] };
  const byAddress = new Map<Address, Member[]>();
  for (const member of members) addTo(byAddress, member.piece.of, member);
  const value = candidates.map((one): Declaration => {
    const joining = byAddress.get(one.address);
    byAddress.delete(one.address);
    if (joining === undefined || !isValid(one)) return one;
    const kind = catalog.kinds.get(kindOf(one.address));
    return kind === undefined ? one : withMembers(one, joining, kind);
  });
  const problems = [...byAddress.values()].flat().map(({ piece, document }): Problem => {
    const name = valueAt(piece.item, '/name') ?? null;
    return makeProblem({
      code: 'undeclared-group',
      message: `the user mapping ${describe(name)} has the group ${piece.of}, which no file declares`,
      at: { document: document.ref, path: piece.from, on: 'value' },
      address: piece.of,
      path: piece.from,
      hint: `declare ${piece.of}, or remove it from the groups of the mapping`,
    });
  });
  return { value, problems };
}

function withMembers(declared: Declared, members: readonly Member[], kind: Kind): Declared {
  const places = new Map(declared.places);
  const lists = new Map<Pointer, Json[]>();
  const seen = new Set<string>();
  for (const { piece, document } of members) {
    const list = lists.get(piece.list) ?? [...listAt(declared.resource, piece.list)];
    if (!lists.has(piece.list))
      for (const item of list) seen.add(piece.list + canonicalText(filledItem(piece.list, item, kind)));
    lists.set(piece.list, list);
    const text = piece.list + canonicalText(filledItem(piece.list, piece.item, kind));
    if (seen.has(text)) continue;
    seen.add(text);
    places.set(joinPointer(piece.list, list.length), {
      document: document.ref,
      path: piece.from,
      on: 'value',
    });
    list.push(piece.item);
  }
  let resource = declared.resource;
  for (const [path, list] of lists) resource = changeResource(resource, parsePointer(path), () => list);
  return { ...declared, resource, places };
}

function filledItem(list: Pointer, item: Json, { defaultTree }: Kind): Json {
  const below = parsePointer(list).reduce<DefaultTree | undefined>(
    (at, token) => at?.below.get(token),
    defaultTree,
  );
  const each = below?.below.get('*');
  return (each === undefined ? item : addDefaults(item, each)) ?? item;
}

function listAt(resource: Resource, path: Pointer): readonly Json[] {
  const found = valueAt(resource, path);
  return isList(found) ? found : [];
}
