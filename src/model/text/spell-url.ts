import { parseHttpUrl, pathOf } from './url.ts';

/** The same text for each spelling of the URL of a gateway, without a user and a password. */
export function spellUrl(text: string | undefined): string | undefined {
  const url = parseHttpUrl(text ?? '');
  return url === undefined ? text : `${url.origin}${pathOf(url)}`;
}
