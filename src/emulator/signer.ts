import { createHmac } from 'node:crypto';

/** Signs tokens: base64url of an HMAC-SHA256 with this secret. */
export function makeSigner(secret: string): (text: string) => string {
  return (text) => createHmac('sha256', secret).update(text).digest('base64url');
}
