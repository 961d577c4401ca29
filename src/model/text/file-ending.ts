/** Whether a path ends like `.policy.yaml`, in any case, or with `.yml` or `.json` in its place: as files of resources may. */
export function hasEnding(path: string, ending: string): boolean {
  return path
    .toLowerCase()
    .replace(/\.(?:yml|json)$/, '.yaml')
    .endsWith(ending);
}
