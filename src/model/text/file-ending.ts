/** Whether the name of a file says that it is YAML or JSON. */
export function isYamlOrJson(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path);
}

/** Whether nobody looks at what has this name, or below it, unless it is asked for: hidden files and folders, and packages. */
export function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Whether a path ends like `.policy.yaml`, in any case, or with `.yml` or `.json` in its place: as files of resources may. */
export function hasEnding(path: string, ending: string): boolean {
  return path
    .toLowerCase()
    .replace(/\.(?:yml|json)$/, '.yaml')
    .endsWith(ending);
}
