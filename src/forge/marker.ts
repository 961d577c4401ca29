/** How a forge hides a line of a comment. */
export type Hide = (text: string) => string;

/** As HTML. */
export const inHtml: Hide = (text) => `<!-- ${text} -->`;

/** As a link that nothing refers to, where HTML is shown as it is. */
export const inLink: Hide = (text) => `[//]: # (${text})`;

/** What tells the comments of one pull request apart. */
export type Subject = {
  /** Of several projects in a repository. */
  readonly name?: string | undefined;
  readonly environment?: string | undefined;
};

/** The first line of a comment, which says what it is about. */
export function markerOf({ name, environment }: Subject, hide: Hide): string {
  const parts = [
    ...(name === undefined ? [] : [`name=${encode(name)}`]),
    ...(environment === undefined ? [] : [`environment=${encode(environment)}`]),
  ];
  return hide(['gwconf', ...parts].join(' '));
}

/** Only letters, digits and a few marks, none of which ends a comment of HTML or a link. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /[^\w.%]/g,
    (found) => `%${found.charCodeAt(0).toString(16)}`,
  );
}

/** Whether a comment begins with this marker: a quotation, or a text about it, does not. */
export function hasMarker(body: string, marker: string): boolean {
  return normalize(body).split('\n', 1)[0] === marker;
}

/** As it was sent: forges change the ends of lines, and cut what is blank at the end. */
export function normalize(body: string): string {
  return body.replaceAll('\r\n', '\n').trim();
}
