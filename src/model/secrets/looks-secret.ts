import { decodeUri } from '../text/escape.ts';
/**
 * Whether a text contains a random-looking token: long, with many changes between letters, digits and cases. Classes, hosts,
 * topics, URLs, patterns, dates and UUIDs do not look random.
 */
export function looksSecret(text: string): boolean {
  if (text.length < SHORTEST || text.length > LONGEST) return false;
  return text.split(/[\s"',;=()<>|&?#]+/).some(isRandomWord);
}

/** Replaces random-looking tokens in a text, also those between slashes, and percent-encoded ones. */
export function hideRandomWords(text: string, by: string): string {
  return text
    .split(/([\s"',;=()<>|&?#/@:]+)/)
    .map((part) => (looksSecret(decodeUri(part)) ? by : part))
    .join('');
}

const SHORTEST = 20;
/** Longer text is a document. */
const LONGEST = 10_000;

/** Tokens of well-known issuers. */
const ISSUED =
  /^(?:hv[sb]\.|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|sk_live_|rk_live_|AIza|npm_)[\w-]{16,}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const HOST = /^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}(?::\d+)?$/;

function isRandomWord(word: string): boolean {
  if (ISSUED.test(word)) return true;
  // Patterns, URLs and templates have characters that base64, base64url and hex do not have.
  if (!/^[\w+/.~-]+$/.test(word) || UUID.test(word) || HOST.test(word)) return false;
  const bare = word.replace(/[^A-Za-z\d]+/g, '');
  if (bare.length < SHORTEST) return false;
  if (/^[\da-f]{32,}$/i.test(bare)) return /\d/.test(bare) && /[a-f]/i.test(bare);
  if (!/\d/.test(bare) || !/[a-z]/i.test(bare)) return false;
  const mixed = /[a-z]/.test(bare) && /[A-Z]/.test(bare);
  return turns(word) >= bare.length * (mixed ? 0.33 : 0.28) && new Set(bare).size >= 12;
}

/** The number of changes between lower case, upper case and digits. */
function turns(text: string): number {
  return text.match(/[a-z](?=\d)|\d(?=[A-Za-z])|[A-Z](?=\d)|[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
}
