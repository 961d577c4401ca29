/** Whether a file holds policies, by its name. */
export function isPolicyFile(path: string): boolean {
  return path.endsWith('.policy.yaml');
}
