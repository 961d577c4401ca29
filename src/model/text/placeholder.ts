/** Whether the gateway replaces a part of the value, whose type is then unknown (gateway-api D.4). */
export function hasPlaceholder(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const begin = value.indexOf('${');
  return value.includes('{{') || (begin !== -1 && value.includes('}', begin));
}
