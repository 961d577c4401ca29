import { MarkupKind, type MarkupContent } from 'vscode-languageserver-types';
import { forTerminal } from '../model/text/escape.ts';
import { aboutField } from '../schema/explain/explain.ts';
import type { NamedField } from '../schema/explain/explain-place.ts';

/** The documentation of a kind, a plugin class or a field. All of it is ours, or of the description of a gateway. */
export function describeField(field: NamedField): MarkupContent {
  const { heading, summary, facts } = aboutField(field);
  const lines = [
    `**${escapeMarkdown(heading)}**`,
    ...(summary === '' ? [] : ['', escapeMarkdown(summary)]),
    ...(facts.length === 0 ? [] : ['']),
    ...facts.map(([name, fact]) => `- ${name}: ${escapeMarkdown(fact)}`),
  ];
  return { kind: MarkupKind.Markdown, value: lines.join('\n') };
}

/** Text that is no Markdown, no HTML and no link, whatever is in it. */
export function escapeMarkdown(text: string): string {
  return forTerminal(text)
    .replaceAll(/[\\`*_{}[\]()#+!|<>&~]|:(?=\/\/)|(?<=www)\.|@(?=[\w-]+\.)/gi, '\\$&')
    .replaceAll('\n', ' ');
}
