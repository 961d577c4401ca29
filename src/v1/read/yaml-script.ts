import { isScalar, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { placeholderFor } from './request.ts';
import type { Script } from './shell/shell-state.ts';

/** Whether a text can be a script that makes HTTP calls. */
export function mayCall(text: string): boolean {
  return /(?:^|[\s/"'`(;|&])(?:curl|wget|https?|xh)[\s"'\\]/.test(text) && text.includes('/');
}

/** Every script of a file gets all of them. */
export const MOST_VARIABLES = 200;

const FOLDERS = [
  'working-directory',
  'working_directory',
  'working_dir',
  'workingDir',
  'workingDirectory',
  'chdir',
];

/** The first folder in which commands are said to run. */
export function folderOf(levels: readonly (Json | undefined)[]): string | undefined {
  return levels
    .flatMap((level) => FOLDERS.map((key) => valueOf(level, key)))
    .find((one) => typeof one === 'string');
}

export function inFolder(script: Script, folder: string): Script {
  return folder === '' ? script : { ...script, text: `cd "${folder}"; ${script.text}` };
}

/** What CircleCI fills in: `<< parameters.name >>`. */
const PARAMETER = /<<\s{0,9}((?:parameters|pipeline|matrix)\.[\w.-]{1,100})\s{0,9}>>/g;

/** A script in a YAML file, with the lines of the file. */
export function scriptIn(
  { value, offset, textOffset }: Tree,
  file: SourceFile,
  fill: (text: string) => string,
): Script {
  const filled = typeof value === 'string' ? fill(value) : '';
  const text = filled.replaceAll(PARAMETER, (_, name: string) => placeholderFor(name));
  const first = positionAt(file, textOffset ?? offset).line;
  const within = { path: file.path, text };
  // The text of other strings may be folded: its lines are not those of the file.
  const lineAt = (at: number): number =>
    first + (textOffset === undefined ? 0 : positionAt(within, at).line - 1);
  return { path: file.path, text, lineAt };
}

/** Fills in `${{ matrix.x }}` and `${{ env.X }}`; other expressions become placeholders. */
export function fillExpressions(text: string, matrix: JsonObject, env?: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{\{([^{}]{0,300})\}\}/g, (_, written: string) => {
    const expression = written.trim();
    const value = expression.startsWith('matrix.')
      ? expression.slice('matrix.'.length).split('.').reduce<Json | undefined>(valueOf, matrix)
      : expression.startsWith('env.')
        ? env?.get(expression.slice('env.'.length))
        : undefined;
    if (value !== undefined && value !== null && isScalar(value)) return String(value);
    return placeholderFor(expression.replace(/^(?:secrets|vars|env|inputs|github\.event\.inputs)\./, ''));
  });
}
