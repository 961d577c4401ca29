import { addAll, getOrAdd, groupBy } from '../../model/collect.ts';
import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import { addressIn } from '../../model/identity.ts';
import { knownKind } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type DocumentRef, type Problem, type SourceFile } from '../../model/problem.ts';
import { asValid, type Address, type Resource } from '../../model/resource.ts';
import type { DesiredState } from '../../model/state.ts';
import { declareLive } from '../../declare/declare-live.ts';
import type { DeclareOptions } from '../../declare/declared.ts';
import { adoptLive } from '../../declare/import/adopt-live.ts';
import { untakenProblem, writeAdoption, WrittenFiles } from '../../declare/import/write-adoption.ts';
import type { SecretVariable } from '../../declare/declared.ts';
import { liveSecretPlaces } from '../../plan/change/former-secrets.ts';
import { isStep } from '../../plan/change/change.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { formOf } from '../../schema/fmt/document-order.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import type { Input } from '../project/input.ts';
import type { Proposal } from './change-files.ts';

export type Adoptions = {
  readonly proposal: Proposal;
  readonly variables: readonly SecretVariable[];
  readonly problems: readonly Problem[];
};

/** Takes the values of the gateway into the documents of objects that differ; with `deleted`, takes out those that are gone. */
export function adoptDrift(
  catalog: Catalog,
  { changes }: Pick<Plan, 'changes'>,
  desired: DesiredState,
  input: Input,
  { deleted, ...options }: DeclareOptions & { readonly deleted: boolean },
): Adoptions {
  const files = new WrittenFiles();
  const owners = new Map<SourceFile, Map<number, Address>>();
  const own = ({ file, index }: DocumentRef, address: Address): void => {
    getOrAdd(owners, file, () => new Map<number, Address>()).set(index, address);
  };
  const differing = new Map<Address, Resource>();
  const gone: Address[] = [];
  for (const change of changes) {
    if (isStep(change)) continue;
    const declared = desired.get(change.address);
    if (declared === undefined) continue;
    if (change.action === 'create') gone.push(change.address);
    if (change.action !== 'update' && change.action !== 'replace') continue;
    differing.set(change.address, change.before);
  }
  const live = declareLive({ resources: differing, unavailable: new Map() }, catalog, {
    ...options,
    // What a variable fills in now may be what is live at another place of its list.
    hidden: (address, value) => [
      ...liveSecretPlaces(asValid(value), knownKind(address, catalog.kinds), desired.get(address), undefined),
    ],
  });
  const secrets = groupBy(
    live.variables.flatMap(({ at }) => at),
    ({ address }) => address,
  );
  const problems: Problem[] = [...live.problems];
  for (const { address, value } of live.documents) {
    const declared = desired.get(address);
    const seen = differing.get(address);
    if (declared === undefined || seen === undefined) continue;
    for (const place of [{ document: declared.document }, ...(declared.places?.values() ?? [])])
      if ('document' in place) own(place.document, address);
    const adoption = adoptLive(knownKind(address, catalog.kinds), declared.resource, seen, value);
    const untaken = writeAdoption(
      adoption,
      {
        declared,
        document: value,
        secrets: new Set(secrets.get(address)?.map(({ path }) => path)),
        isOwnKind: (document) => isOwnKind(catalog, valueOf(files.before(document), 'kind')),
      },
      files,
    );
    addAll(
      problems,
      untaken.map((one) => untakenProblem(address, one)),
    );
  }
  if (deleted)
    for (const [document, address] of documentsOf(catalog, new Set(gone), desired, input)) {
      own(document, address);
      files.put(document, '', undefined);
    }
  else addAll(problems, gone.map(goneProblem));
  const addressOf = (file: SourceFile, index: number): Address | undefined => owners.get(file)?.get(index);
  return {
    proposal: { changed: files.changed, added: new Map(), addressOf },
    variables: live.variables,
    problems,
  };
}

function isOwnKind({ ownKinds }: Catalog, kind: Json | undefined): boolean {
  return typeof kind === 'string' && ownKinds.has(kind);
}

/** The documents that declare these objects, and their overlays. */
function documentsOf(
  catalog: Catalog,
  addresses: ReadonlySet<Address>,
  desired: DesiredState,
  { files, variables }: Input,
): readonly (readonly [DocumentRef, Address])[] {
  const bases = [...addresses].flatMap((address) => {
    const document = desired.get(address)?.document;
    return document === undefined ? [] : [[document, address] as const];
  });
  const overlays = (addresses.size === 0 ? [] : files).flatMap((file) =>
    !file.text.includes('overlay')
      ? []
      : parseYaml(file, variables).flatMap(({ ref, value }) => {
          const form = formOf(value, catalog);
          const address =
            form === undefined || !isObject(value) || value['overlay'] !== true
              ? undefined
              : addressIn(form, value);
          return address !== undefined && addresses.has(address) ? [[ref, address] as const] : [];
        }),
  );
  return [...bases, ...overlays];
}

function goneProblem(address: Address): Problem {
  return makeProblem({
    code: 'not-imported',
    message: `${address} is declared, but not on the gateway; its document stays`,
    address,
    hint: 'take it out with --deleted, or create it again with gwconf apply',
  });
}
