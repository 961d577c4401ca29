/** Whether the gateway replaces a part of the value, whose type is then unknown (gateway-api D.4). */
export function hasPlaceholder(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const begin = value.indexOf('${');
  return value.includes('{{') || (begin !== -1 && value.includes('}', begin));
}

/** Whether a variable is a setting of gwconf or of the official tools, which may be a credential, or the key of all secrets. On Windows names have no case. */
export function isReserved(name: string): boolean {
  return /^(?:(?:GWCONF|CDK)_|SOPS_AGE_KEY$)/i.test(name);
}
