import type { Pointer } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Address } from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import type { Declaration, Template } from '../../model/state.ts';
import { secretTexts, type KnownSecrets } from '../../plan/secrets/hide-in-chains.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import { makeMasker, type Masker } from '../../plan/secrets/masker.ts';

const NOTHING: ReadonlyMap<Pointer, Template> = new Map();

/** What may not be shown of one look at files and gateway: it grows with all that is read, and goes with its workspace. */
export class Secrets {
  /** Hides every secret that was met so far: in files, sources, connections and live resources. */
  readonly masker: Masker;
  /** Hides the secrets that stand in files, and no others: how much of a text of the author is hidden would tell of these. */
  readonly written = makeMasker();
  readonly #catalog: Catalog;
  readonly #values = new Set<string>();
  readonly #filled = new Map<Address, ReadonlyMap<Pointer, Template>>();

  constructor(masker: Masker, catalog: Catalog) {
    this.masker = masker;
    this.#catalog = catalog;
  }

  /** Values of variables, files and programs: all that were read, and those that files may have had before. */
  get values(): ReadonlySet<string> {
    return this.#values;
  }

  /** What variables fill in, in all resources that were declared so far. */
  get filled(): ReadonlyMap<Address, ReadonlyMap<Pointer, Template>> {
    return this.#filled;
  }

  /** What tells the secrets of live resources, as far as files were read. */
  get known(): KnownSecrets {
    return {
      declaredOf: (address) => {
        const templates = this.#filled.get(address);
        return templates && { templates };
      },
      isSecret: makeSecretFinder(this.#values),
    };
  }

  readonly note = (value: string): void => {
    if (!this.#values.has(value)) this.masker.learn(value);
    this.#values.add(value);
  };

  /** Notes the secrets in resources, and what variables fill in. */
  noteDeclared(declared: readonly Pick<Declaration, 'address' | 'resource' | 'templates'>[]): void {
    const { kinds } = this.#catalog;
    this.masker.learn(() => secretTexts(declared, kinds));
    this.written.learn(() =>
      secretTexts(
        declared.map((one) => ({ ...one, resource: asWritten(one) })),
        kinds,
      ),
    );
    for (const { address, templates = NOTHING } of declared) {
      const earlier = this.#filled.get(address) ?? NOTHING;
      this.#filled.set(address, earlier.size === 0 ? templates : new Map([...earlier, ...templates]));
    }
  }
}
