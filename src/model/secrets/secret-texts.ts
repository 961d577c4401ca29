import { HIDDEN, isSealedMark } from './hidden.ts';

/** The default password of gateways (gateway-api D.4): not a secret, and part of all plugin class names. */
export const PUBLISHED_PASSWORD = 'conduktor';

/** Whether text is certainly secret: a private key in PEM, also in base64; a JWT; a URL or JAAS config with a password; what a snapshot has for one. */
export function isSecretText(text: string): boolean {
  if (text === HIDDEN || isSealedMark(text)) return true;
  return (
    TELLTALE.test(text) &&
    (PRIVATE_KEY.test(text) ||
      JWT.test(text) ||
      PASSWORD_IN_URL.test(text) ||
      (text.includes('LoginModule') && /password\s*=\s*["']?(?![$%{<])[^\s"';]/i.test(text)) ||
      [...text.matchAll(/LS0tLS1CRUdJTi[\w+/]{8,70}/g)].some(([begin]) => PRIVATE_KEY.test(decoded(begin))))
  );
}

/** Replaces private keys, JWTs and passwords in URLs in a text. */
export function hideSecretTexts(text: string): string {
  return text
    .replace(
      /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]*-----)?/g,
      HIDDEN,
    )
    .replace(new RegExp(JWT, 'g'), HIDDEN)
    .replace(new RegExp(PASSWORD_IN_URL, 'g'), `://${HIDDEN}@`);
}

/** A fast test: one of these is in each such text. */
const TELLTALE = /-----BEGIN|eyJ|:\/\/|LoginModule|LS0tLS1CRUdJTi/;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const JWT = /(?<![\w-])(?=[\w-]*\beyJ[\w-]{8})[\w-]+\.eyJ[\w-]{8,}\.[\w-]*/;
/** What stands for a password is none: a variable, or the word in an example. */
const PASSWORD_IN_URL = /:\/\/[^\s/?#@:]*:(?![$%{<]|PASSWORD@|[^\s/?#@]*\{\{)[^\s/?#@]+@/;

function decoded(base64: string): string {
  return atob(base64.slice(0, base64.length - (base64.length % 4)));
}
