import { join } from 'node:path';
import type { Problem } from '../../model/problem.ts';
import { withoutNewline } from '../../workflow/project/sources.ts';
import type { ProjectConnection } from '../../workflow/project/project.ts';
import { reasonOf } from '../../workflow/system-error.ts';
import type { Io } from '../io.ts';

/** How flags say where the gateway is and who calls it. */
export type ConnectionArgs = {
  readonly url?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly header?: readonly string[];
  readonly caCert?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly proxy?: string;
  readonly timeout?: string;
  readonly insecureSkipVerify?: boolean;
};

/** A setting with its value and where that came from. */
export type Setting = {
  readonly name: SettingName;
  readonly value: string | undefined;
  readonly origin: string;
  readonly secret: boolean;
  /** Why the value cannot be had: a variable in the project file is not set, or a file is not there. */
  readonly problem?: Problem;
};
type SettingName = (typeof TABLE)[number]['name'];

type Row = {
  readonly name: string;
  readonly flag: keyof ConnectionArgs;
  /** GWCONF_…, and with _FILE the file that holds the value. */
  readonly own: string;
  /** What the official tools call it. */
  readonly other?: readonly string[];
  readonly file?: (gateway: ProjectConnection['gateway']) => string | undefined;
  /** The value is a path, and what is meant is the text of that file. */
  readonly isPath?: true;
  readonly secret?: true;
};

// Flag, then environment variable, then project file.
const TABLE = [
  { name: 'url', flag: 'url', own: 'URL', other: ['CDK_GATEWAY_BASE_URL'], file: ({ url }) => url },
  { name: 'user', flag: 'user', own: 'USER', other: ['CDK_GATEWAY_USER'], file: ({ user }) => user },
  {
    name: 'password',
    flag: 'passwordFile',
    own: 'PASSWORD',
    other: ['CDK_GATEWAY_PASSWORD'],
    file: ({ password }) => password,
    secret: true,
  },
  { name: 'ca', flag: 'caCert', own: 'CA_CERT', other: ['CDK_CACERT'], file: ({ ca }) => ca, isPath: true },
  {
    name: 'cert',
    flag: 'clientCert',
    own: 'CLIENT_CERT',
    other: ['CDK_CERT'],
    file: ({ cert }) => cert,
    isPath: true,
  },
  {
    name: 'key',
    flag: 'clientKey',
    own: 'CLIENT_KEY',
    other: ['CDK_KEY'],
    file: ({ key }) => key,
    isPath: true,
  },
  { name: 'insecure', flag: 'insecureSkipVerify', own: 'INSECURE_SKIP_VERIFY', other: ['CDK_INSECURE'] },
  { name: 'proxy', flag: 'proxy', own: 'PROXY' },
  { name: 'timeout', flag: 'timeout', own: 'TIMEOUT', file: ({ timeout }) => timeout },
] as const satisfies readonly Row[];

export type Settings = Readonly<Record<SettingName, Setting>>;

/** Every connection setting with its origin; one whose value cannot be had says why. */
export async function readSettings(
  args: ConnectionArgs,
  io: Io,
  project: ProjectConnection | undefined,
): Promise<Settings> {
  const settings: Partial<Record<SettingName, Setting>> = {};
  for (const row of TABLE) settings[row.name] = await settingOf(row, args, io, project);
  return settings as Settings; // one for each row
}

async function settingOf(
  row: Row & { readonly name: SettingName },
  args: ConnectionArgs,
  io: Io,
  project: ProjectConnection | undefined,
): Promise<Setting> {
  const made = (value: string | undefined, origin: string): Setting => ({
    name: row.name,
    value,
    origin,
    secret: row.secret === true,
  });
  const read = async (path: string, origin: string): Promise<Setting> => {
    try {
      const text = await io.readFile(path);
      return made(row.isPath === true ? text : withoutNewline(text), origin);
    } catch (error) {
      return { ...made(undefined, origin), problem: unreadable(path, error) };
    }
  };
  const given = (value: string, origin: string, folder = ''): Setting | Promise<Setting> =>
    row.isPath === true ? read(join(folder, value), origin) : made(value, origin);

  const flag = args[row.flag];
  if (row.flag === 'passwordFile' && typeof flag === 'string') return read(flag, '--password-file');
  if (flag !== undefined) {
    const origin = flagOf(row.flag);
    return given(String(flag), origin);
  }
  const own = named(`GWCONF_${row.own}`, io);
  if (own !== undefined) return own.inFile ? read(own.text, own.origin) : given(own.text, own.origin);
  for (const name of row.other ?? []) {
    const value = io.env(name) ?? '';
    if (value !== '') return given(value, name);
  }
  const said = project === undefined ? undefined : row.file?.(project.gateway);
  const problem = project?.unfilled.find(({ path }) => path?.endsWith(`/gateway/${row.name}`));
  if (problem !== undefined) return { ...made(undefined, 'gwconf.yaml'), problem };
  if (project !== undefined && said !== undefined) return given(said, 'gwconf.yaml', project.folder);
  return made(undefined, 'not set');
}

/** What a variable says, or which file its twin names for that; empty is not set. */
function named(
  name: string,
  io: Io,
): { readonly text: string; readonly origin: string; readonly inFile: boolean } | undefined {
  const text = io.env(name) ?? '';
  if (text !== '') return { text, origin: name, inFile: false };
  const path = io.env(`${name}_FILE`) ?? '';
  return path === '' ? undefined : { text: path, origin: `${name}_FILE`, inFile: true };
}

/** The value of an environment variable, or of the file that its twin names. */
export type Variable = { readonly value: string; readonly origin: string };

/** `NAME`, or what is in the file that `NAME_FILE` names, or why that cannot be read; empty is not set. */
export async function readVariable(
  name: string,
  io: Io,
): Promise<Variable | (Pick<Variable, 'origin'> & { readonly problem: Problem }) | undefined> {
  const found = named(name, io);
  if (found === undefined) return undefined;
  const { text, origin, inFile } = found;
  if (!inFile) return { value: text, origin };
  try {
    return { value: withoutNewline(await io.readFile(text)), origin };
  } catch (error) {
    return { origin, problem: unreadable(text, error) };
  }
}

function unreadable(path: string, error: unknown): Problem {
  return {
    code: 'unreadable-file',
    severity: 'error',
    message: `${path} cannot be read: ${reasonOf(error)}`,
    hint: 'check the path',
  };
}

/** The flag of a setting: `caCert` is `--ca-cert`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Whether a variable is set to a word for yes. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase());
}
