import type { SourceFile } from '../../model/problem.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { joinParts, type ReadPart } from './read-part.ts';
import { readShell } from './shell/read-shell.ts';
import { scriptOf } from './shell/source.ts';
import type { FilesBeside } from './shell/state.ts';
import { mayCall } from './may-call.ts';
import { scriptIn } from './workflow.ts';

/** The recipes of a Makefile as one script, line by line: `$(X)` and `$$x` become what the shell gets. */
export function readMakefile(file: SourceFile, files: FilesBeside): ReadPart {
  let isRecipe = false;
  const lines = file.text.split('\n').map((line) => {
    const wasRecipe = isRecipe;
    isRecipe =
      (line.startsWith('\t') || wasRecipe) &&
      (line.startsWith('\t') || line.trim() !== '') &&
      (line.startsWith('\t') || line.endsWith('\\'));
    if (line.startsWith('\t'))
      return line
        .replace(/^\t[@+-]*/, '')
        .replaceAll(
          /\$(\$|\(([A-Za-z_]\w*)\)|\{([A-Za-z_]\w*)\})/g,
          (_, whole: string, one?: string, other?: string) =>
            whole === '$' ? '$' : `\${${one ?? other ?? ''}}`,
        );
    const [, name, operator, value = ''] =
      /^(?:export\s+)?([A-Za-z_]\w*)\s*(\?=|:{0,2}=)(.*)$/.exec(line) ?? [];
    if (name === undefined || value.includes('$')) return '';
    const text = `'${value.trim().replaceAll("'", String.raw`'\''`)}'`;
    return operator === '?='
      ? `: "\${${name}:=${value.trim().replaceAll(/["\\`]/g, '')}}"`
      : `${name}=${text}`;
  });
  return readShell(scriptOf({ path: file.path, text: lines.join('\n') }), files);
}

/** The commands of a Dockerfile. */
export function readDockerfile(file: SourceFile, files: FilesBeside): ReadPart {
  let isCommand = false;
  const lines = file.text.split('\n').map((line) => {
    const [keyword] = /^\s*(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK.*?CMD)\s+/i.exec(line) ?? [];
    const isPart = isCommand || keyword !== undefined;
    isCommand = isPart && line.trimEnd().endsWith('\\');
    if (!isPart) return '';
    const command = line.slice(keyword?.length ?? 0);
    return /^\[.*\]$/.test(command.trim())
      ? command
          .trim()
          .slice(1, -1)
          .replaceAll(/"\s*,\s*"/g, '" "')
      : command;
  });
  return readShell(scriptOf({ path: file.path, text: lines.join('\n') }), files);
}

/** The commands in any YAML file: jobs of GitLab, services of Compose, tasks of Ansible, manifests of Kubernetes. */
export function readYamlCommands(tree: Tree, file: SourceFile, files: FilesBeside): ReadPart {
  const parts: ReadPart[] = [];
  const visit = (at: Tree): void => {
    if (typeof at.value === 'string' && mayCall(at.value)) parts.push(readShell(scriptIn(at, file), files));
    for (const child of at.children.values()) visit(child);
  };
  visit(tree);
  return joinParts(parts);
}
