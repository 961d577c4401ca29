/** A glob for addresses or host names as a pattern: `*` is any text. */
export function globPattern(glob: string, flags = ''): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, `s${flags}`);
}
