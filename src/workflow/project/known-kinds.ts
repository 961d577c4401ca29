import { GatewayError } from '../../gateway/gateway.ts';
import { excess } from '../../model/json/extent.ts';
import { printJson, readJson } from '../../model/json/json-text.ts';
import { isObject, sameJson, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { catalog as builtIn } from '../../schema/kinds/index.ts';
import type { Described } from '../../schema/described/read-description.ts';

/** A gateway that describes its API; undefined where it does not. */
export type Describing = {
  readonly url?: string;
  readonly readDescription: () => Promise<string | undefined>;
};

/**
 * The kinds that there are for one look at files and gateway: our own, and those of a description once there is one. The first
 * description counts: that which gwconf.yaml names, or a snapshot has; else that of the gateway, which is asked when somebody needs it.
 */
export class KnownKinds implements Catalog {
  readonly ownKinds = builtIn.ownKinds;
  #kinds: KindSet = builtIn.kinds;
  #described: Described | undefined;
  #gateway: Describing | undefined;
  #asked: string | undefined;
  #fault: string | undefined;

  get kinds(): KindSet {
    return this.#kinds;
  }

  /** What was read; undefined where nobody has described anything. */
  get described(): Described | undefined {
    return this.#described;
  }

  /** What is to be kept with objects of kinds that are not our own; undefined if all of them are. */
  descriptionFor(addresses: Iterable<Address>): JsonObject | undefined {
    for (const address of addresses)
      if (!builtIn.kinds.has(kindOf(address))) return this.#described?.description;
    return undefined;
  }

  /** What is known so far, for another look at files and gateway: what that learns is its own. */
  fork(): KnownKinds {
    const other = new KnownKinds();
    [other.#kinds, other.#described] = [this.#kinds, this.#described];
    return other;
  }

  /** The gateway to ask. */
  askBy(gateway: Describing): void {
    this.#gateway ??= gateway;
  }

  /** Learns the kinds of a description, unless there is one; says what is wrong with it. */
  async learn(text: string): Promise<string | undefined> {
    if (this.#described !== undefined) return undefined;
    const { readDescription, addKinds } = await import('../../schema/described/read-description.ts');
    const read = readDescription(text);
    if ('fault' in read) return read.fault;
    this.#described = read;
    if (read.kinds.length > 0) this.#kinds = addKinds(builtIn.kinds, read.kinds);
    return undefined;
  }

  /** Learns the kinds that a plan or a snapshot carries. What is wrong with the file is for its reader to say. */
  async learnFrom(text: string): Promise<void> {
    const carried = /"kinds":\s*\{/.test(text) && excess(text) === undefined ? readKinds(text) : undefined;
    if (carried !== undefined) await this.learn(printJson(carried));
  }

  /** Asks the gateway, once; whether there are more kinds then. */
  async ask(): Promise<boolean> {
    const gateway = this.#gateway;
    if (this.#described !== undefined || gateway === undefined) return false;
    [this.#gateway, this.#asked] = [undefined, gateway.url];
    try {
      const text = await gateway.readDescription();
      this.#fault = text === undefined ? undefined : await this.learn(text);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.#fault = `cannot be read: ${error.message}`;
    }
    return this.#kinds !== builtIn.kinds;
  }

  /** What another gateway, by its name, describes otherwise than it is read here. */
  async findOtherwise(
    name: string,
    gateway: Describing & { readonly url: string },
  ): Promise<readonly Problem[]> {
    if (gateway.url === this.#asked) return [];
    const own = new KnownKinds();
    own.askBy(gateway);
    await own.ask();
    const differing = (own.described?.kinds ?? []).filter(
      (kind) => !sameJson(formOf(kind), formOf(this.#kinds.get(kind.name))),
    );
    return differing.map((kind): Problem => {
      const isKnown = this.#kinds.has(kind.name);
      return makeProblem({
        code: 'unread-kinds',
        message: isKnown
          ? `${name} describes ${kind.name} otherwise than both sides are read`
          : `${name} has the kind ${kind.name}, which the other side does not describe: its objects are left out`,
        hint: 'write a copy of the newer description: gwconf schema --gateway > FILE, and name it with kinds in gwconf.yaml',
      });
    });
  }

  /** What the gateway has and nobody looks at: kinds that it describes in a way that gwconf cannot manage. */
  get problems(): readonly Problem[] {
    const about = { code: 'unread-kinds', severity: 'warning' } as const;
    const hint = 'look at them with another client; gwconf does not change what it does not know';
    const unread =
      this.#fault === undefined
        ? []
        : [
            `the gateway's description of its API ${this.#fault}, so kinds that gwconf does not know are left out`,
          ];
    const refused = [...(this.#described?.refused ?? [])].map(
      ([kind, why]) => `the gateway describes the kind ${kind}, which gwconf cannot manage: ${why}`,
    );
    return [...unread, ...refused].map((message): Problem => ({ ...about, message, hint }));
  }
}

/** What decides how objects of a kind are compared and written. */
export function formOf(kind: Kind | undefined): Json | undefined {
  if (kind === undefined) return undefined;
  const { collection, removal = null, schema, axes } = kind;
  return { collection, removal, axes, ...schema };
}

function readKinds(text: string): JsonObject | undefined {
  const kinds = valueOf(readJson(text), 'kinds');
  return isObject(kinds) ? kinds : undefined;
}
