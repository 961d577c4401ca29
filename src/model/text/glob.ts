/** What a glob means, over addresses and host names alike: `*` is any text, all else is itself. */
export function globPattern(glob: string, flags = ''): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, `s${flags}`);
}
