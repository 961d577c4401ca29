import { HIDDEN, isSealedMark } from './hidden.ts';

/** The default password of gateways (gateway-api D.4): not a secret, and part of all plugin class names. */
export const PUBLISHED_PASSWORD = 'conduktor';

/** Whether a key is the name of a secret; `keySecretId` is a reference to one, but `secretId` is one. `PWD` is the folder of a shell. */
export function isSecretKey(key: string): boolean {
  return (
    (/[a-z]Pass$|[pP]wd/.test(key) ||
      /passw(?:or)?d|(?:^|[-_.])pass$|_pwd|passphrase|secret|token|jaas|user\.info|(?:api|private)[-_.]?key|authorization|^(?:x-auth|(?:set-)?cookie|jwt|pkcs7|nonce|(?:x-amz-)?signature|sig|iamRequestHeaders)$/i.test(
        key,
      )) &&
    !/(\w[-_.]?secret|token)[-_.]?ids?$/i.test(key)
  );
}

/**
 * Whether text is certainly secret: a private key in PEM, also in base64; a JWT; a URL or JAAS config with a password; settings with one, as
 * JSON, `key=value`, or in the query of a URL; what a snapshot has for one.
 */
export function isSecretText(text: string): boolean {
  if (text === HIDDEN || isSealedMark(text)) return true;
  if (SETTING.test(text) && hasSecretSetting(text)) return true;
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
    .replace(new RegExp(PASSWORD_IN_URL, 'g'), `://${HIDDEN}@`)
    .replace(SETTING_IN_URL, (whole, begin: string, key: string) =>
      isSecretKey(key) ? `${begin}${key}=${HIDDEN}` : whole,
    );
}

/** A fast test: one of these is in each such text. */
const TELLTALE = /-----BEGIN|eyJ|:\/\/|LoginModule|LS0tLS1CRUdJTi/;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const JWT = /(?<![\w-])(?=[\w-]*\beyJ[\w-]{8})[\w-]+\.eyJ[\w-]{8,}\.[\w-]*/;
/** What stands for a password is none: a variable, or the word in an example. */
const PASSWORD_IN_URL = /:\/\/[^\s/?#@:]*:(?![$%{<]|PASSWORD@|[^\s/?#@]*\{\{)[^\s/?#@]+@/;

/** A fast test: the end of a name of a secret, with a value behind it. */
const SETTING =
  /(?:pass(?:w(?:or)?d)?|pwd|phrase|secrets?|tokens?|jaas|user\.info|key|authorization|sig|signature|cookie|jwt)["']?\s*[=:]/i;
/** What stands for a value is none: a variable, or a template. */
const SETTING_IN_URL = /([?&;])([\w.-]+)=(?![$%{<])[^\s&;#"']+/g;
const SETTING_IN_JSON = /"([\w.-]+)"\s*:\s*"(?![$%{<"])/g;
const SETTING_ON_LINE = /^\s*([\w.-]+)(?:\s*=|:(?!\s*\S+\s+\S))\s*((?![$%{<])\S)?/;
const SETTING_IN_ROW = /^([\w.-]+)=((?![$%{<])\S)?/;

/**
 * In the query of a URL, in JSON, or where every line, or every part of a row such as `host=h password=p`, is a setting. A text that only
 * mentions one is not held to be one.
 */
function hasSecretSetting(text: string): boolean {
  const inUrl = text.includes('://') ? text.matchAll(SETTING_IN_URL) : [];
  if (Array.from(inUrl, ([, , key = '']) => key).some(isSecretKey)) return true;
  if (/^\s*[[{]/.test(text))
    return Array.from(text.matchAll(SETTING_IN_JSON), ([, key = '']) => key).some(isSecretKey);
  const lines = text.split(/[\n;]/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  if (lines.length === 1 && !text.includes('=')) return false; // a remark, such as `token: old`
  const parts = text.split(/[\s;&,]+/).filter((part) => part !== '');
  return areSecret(lines, SETTING_ON_LINE) || areSecret(parts, SETTING_IN_ROW);
}

/** Whether all are settings, and one of them is a secret that has a value. */
function areSecret(texts: readonly string[], pattern: RegExp): boolean {
  const settings = texts.map((text) => pattern.exec(text));
  const isSecret = ([, key = '', value]: RegExpExecArray): boolean => value !== undefined && isSecretKey(key);
  return !settings.includes(null) && settings.some((one) => one !== null && isSecret(one));
}

function decoded(base64: string): string {
  return atob(base64.slice(0, base64.length - (base64.length % 4)));
}
