import { MarkupKind, type Hover } from 'vscode-languageserver-types';
import { addDefaults } from '../model/defaults.ts';
import { groupBy } from '../model/collect.ts';
import { isScalar, parsePointer, valueAt, type Json, type Pointer } from '../model/json/json.ts';
import type { SourceFile } from '../model/problem.ts';
import { kindOf } from '../model/resource.ts';
import { HIDDEN } from '../model/secrets/hidden.ts';
import { secretPlaces, suspectPlaces } from '../model/secrets/secrets.ts';
import { isValid, type Declaration } from '../model/state.ts';
import { list, cutOff } from '../model/text/list.ts';
import { printJson } from '../model/json/json-text.ts';
import { typedAt, type Typed } from '../schema/yaml/typed-at.ts';
import { declaredAt, type DeclaredIn, type Look } from './look.ts';
import { describeField, escapeMarkdown, followTokens, namedOf } from './field-at.ts';
import { mentionsAt, mentionsOf } from './names.ts';
import { rangeBetween } from './ranges.ts';
import { countPrincipals, countTopics, effectIn } from './reach.ts';
import type { NamedField } from '../schema/explain/explain-place.ts';

/** What there is to know of what is written at an offset. No secret is in it. */
export function hoverAt(look: Look, file: SourceFile, offset: number): Hover | undefined {
  const typed = typedAt(file, offset);
  const named = typed && namedOf(typed, look.catalog);
  if (typed === undefined || named === undefined || typed.text === '') return undefined;
  const tokens = parsePointer(typed.path);
  const field = followTokens(named, typed.value, tokens);
  const declared = declaredAt(look, file, typed.document);
  const parts = [
    ...(field === undefined ? [] : [describeField(aboutValue(field, typed))]).map(({ value }) => value),
    ...valuesOf(look, typed, declared),
    ...(isAboutObject(tokens) ? declared.flatMap((one) => effectsOf(look, one)) : []),
    ...aboutMentioned(look, file, offset),
  ];
  if (parts.length === 0) return undefined;
  return {
    contents: { kind: MarkupKind.Markdown, value: [...new Set(parts)].join('\n\n') },
    range: rangeBetween(file, typed.span),
  };
}

/** Of a value that selects the form of a document or of its part, that form. */
function aboutValue(field: NamedField, { on, text, path }: Typed): NamedField {
  const { form, variant } = field.named;
  if (on === 'key' || variant !== undefined || 'whole' in form) return field;
  if (path === '/kind') return { ...field, place: { ...field.place, label: form.name, tokens: [] } };
  const variants = 'variants' in form ? form.variants : undefined;
  const chosen = variants?.by === path ? variants.known.find(({ name }) => name === text) : undefined;
  if (chosen === undefined) return field;
  return { named: { ...field.named, variant: chosen }, place: { ...field.place, tokens: [] } };
}

function isAboutObject([first, second]: readonly string[]): boolean {
  return (
    first === 'kind' ||
    (first === 'metadata' && (second === undefined || second === 'name' || second === 'scope'))
  );
}

/** The value of a field in each environment, where it is not just what is written. */
function valuesOf(look: Look, typed: Typed, declared: readonly DeclaredIn[]): readonly string[] {
  const found = declared.flatMap(({ environment, declaration }) => {
    const value = shownValue(look, declaration, typed.path);
    return value === undefined ? [] : [{ name: environment.name, ...value }];
  });
  const texts = new Set(found.map(({ text }) => text));
  if (texts.size < 2 && !found.some(({ isMade }) => isMade)) return [];
  const groups = groupBy(found, ({ text }) => text);
  const lines = [...groups].map(([text, same]) => {
    const names = same.flatMap(({ name }) => (name === undefined ? [] : [escapeMarkdown(name)]));
    return `- ${names.length === 0 ? '' : `${list(names)}: `}${text}`;
  });
  return [['Value:', ...lines].join('\n')];
}

const LONGEST_VALUE = 200;

/** A scalar after layers, variables and defaults, and whether something made it of what is written. */
function shownValue(
  { catalog: { kinds } }: Look,
  declaration: Declaration,
  path: Pointer,
): { readonly text: string; readonly isMade: boolean } | undefined {
  const kind = kinds.get(kindOf(declaration.address));
  if (kind === undefined || !isValid(declaration)) return undefined;
  const { resource, templates, overlays = [] } = declaration;
  const value: Json | undefined = valueAt(addDefaults(resource, kind.defaultTree), path);
  if (value === undefined || !isScalar(value)) return undefined;
  const template = templates?.get(path);
  const isMade = template !== undefined || overlays.length > 0;
  const secret = secretPlaces(kind, resource, templates);
  if (secret.has(path) || suspectPlaces(kind, resource, secret).includes(path))
    return { text: HIDDEN, isMade };
  const [open] = template?.open ?? [];
  if (open !== undefined)
    return { text: `not known, because ${escapeMarkdown(open)} has no value here`, isMade };
  const text = printJson(value);
  return { text: escapeMarkdown(cutOff(text, LONGEST_VALUE)), isMade };
}

/** Whom an interceptor touches, and what protects a topic. */
function effectsOf(look: Look, { environment, declaration }: DeclaredIn): readonly string[] {
  const where = environment.name === undefined ? '' : ` in ${escapeMarkdown(environment.name)}`;
  const effect = effectIn(look, environment, declaration);
  if (effect === undefined) return [];
  if ('reach' in effect) {
    const { reach } = effect;
    const { principals, topics } = reach;
    const clients = principals.flatMap(({ username }) =>
      username === null ? [] : [escapeMarkdown(username)],
    );
    const lines = [
      `Runs for ${countPrincipals(principals)}${where}${clients.length === 0 ? '' : `: ${list(clients)}`}.`,
      ...(topics.length === 0 ? [] : [`It ${countTopics(reach)}: ${list(topics.map(escapeMarkdown))}.`]),
    ];
    return [lines.join(' ')];
  }
  const { protectors } = effect;
  if (protectors.length === 0) return [`No interceptor protects the topic${where}.`];
  const lines = protectors.map(
    ({ address, protections, principals, isSure }) =>
      `- ${isSure ? '' : 'perhaps '}${list(protections.map(escapeMarkdown))} by ${escapeMarkdown(address)}, for ${countPrincipals(principals)}`,
  );
  return [[`Protection${where}:`, ...lines].join('\n')];
}

/** The object that a text refers to. */
function aboutMentioned(look: Look, file: SourceFile, offset: number): readonly string[] {
  const [mention] = mentionsAt(look, file, offset);
  if (mention?.as !== 'reference' || mention.by === 'glob') return [];
  const own = mentionsOf(look, mention.of).find((one) => one.as === 'declaration');
  const isBuiltIn = look.catalog.kinds
    .get(kindOf(mention.of))
    ?.builtIn.some((name) => mention.of === `${kindOf(mention.of)}/${name}`);
  if (own === undefined)
    return [`${escapeMarkdown(mention.of)} ${isBuiltIn === true ? 'always exists' : 'is not declared'}.`];
  const { file: there, offset: at } = own.document;
  const line = rangeBetween(there, { from: at, to: at }).start.line + 1;
  const declared = declaredAt(look, there, { from: at, to: at + 1 });
  const about = declared.filter(({ declaration }) => declaration.address === mention.of);
  return [
    `${escapeMarkdown(mention.of)}, declared at ${escapeMarkdown(there.path)}:${line}.`,
    ...about.flatMap((one) => effectsOf(look, one)),
  ];
}
