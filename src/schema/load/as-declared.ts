import { isList, isObject, type Json } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import { declarable } from '../../model/normal/normal-form.ts';
import type { SourceFile } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';

/**
 * What is live as somebody would declare it, a file for each resource, named for its address: without what the gateway
 * owns, without what gwconf does not know, and with `${…}` written so that it reaches the gateway again. What always
 * exists cannot be declared and is left out.
 */
export function asDeclared({ resources }: LiveState, kinds: KindSet): readonly SourceFile[] {
  return [...resources].flatMap(([address, resource]): readonly SourceFile[] => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || kind.builtIn.includes(resource.metadata.name)) return [];
    const text = JSON.stringify(forTheGateway(declarable(kind, resource)));
    return [{ path: address, text, named: true }];
  });
}

/** Text that `fillIn` gives back as it was. */
function forTheGateway(value: Json): Json {
  if (typeof value === 'string') return escaped(value);
  if (isList(value)) return value.map(forTheGateway);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [escaped(key), forTheGateway(child)] as const);
  return Object.fromEntries(entries);
}

function escaped(text: string): string {
  return text.replace(/\$\{[^}]*\}/g, (placeholder) => `$${placeholder}`);
}
