import { makeProblem, type Problem } from '../../model/problem.ts';
import { pathFrom } from '../../workflow/project/find-project.ts';
import { withoutNewline } from '../../workflow/project/sources.ts';
import type { NamedGateway, Workspace } from '../../workflow/project/workspace.ts';
import { unreadable } from '../../workflow/system-error.ts';
import { UsageError, type Io } from '../io.ts';
import { flagOf } from '../table/flag.ts';
import type { ConnectionArgs } from '../table/flags.ts';

/** A setting with its value and where that came from. */
export type Setting = {
  readonly name: SettingName;
  readonly value: string | undefined;
  readonly origin: string;
  readonly secret: boolean;
  /** Why there is no value: a variable in the project file is not set, or a file cannot be read. */
  readonly problem?: Problem;
};
type SettingName = (typeof TABLE)[number]['name'];

type Row = {
  /** Also its name under `gateway` in the project file, which has neither `insecure` nor `proxy`. */
  readonly name: string;
  readonly flag: keyof ConnectionArgs;
  /** The official tools' variable, without CDK_. */
  readonly cdk?: string;
  /** The value is the path of a file, and the setting is its text. */
  readonly isPath?: true;
  readonly secret?: true;
  /** What is in its file is secret. */
  readonly secretFile?: true;
  /** It is for one gateway: where two are read, only gwconf.yaml can say it. */
  readonly own?: true;
};

// Flag, then GWCONF_… and the file of GWCONF_…_FILE, then CDK_…, then the project file.
const TABLE = [
  { name: 'url', flag: 'url', cdk: 'GATEWAY_BASE_URL', own: true },
  { name: 'user', flag: 'user', cdk: 'GATEWAY_USER', own: true },
  {
    name: 'password',
    flag: 'passwordFile',
    cdk: 'GATEWAY_PASSWORD',
    secret: true,
    secretFile: true,
    own: true,
  },
  { name: 'ca', flag: 'caCert', cdk: 'CACERT', isPath: true },
  { name: 'cert', flag: 'clientCert', cdk: 'CERT', isPath: true, own: true },
  { name: 'key', flag: 'clientKey', cdk: 'KEY', isPath: true, secretFile: true, own: true },
  { name: 'insecure', flag: 'insecureSkipVerify', cdk: 'INSECURE' },
  { name: 'proxy', flag: 'proxy' },
  { name: 'timeout', flag: 'timeout' },
] as const satisfies readonly Row[];

export const FLAGS: readonly (keyof ConnectionArgs)[] = [...TABLE.map(({ flag }) => flag), 'header'];

const OWN_ROWS: readonly Row[] = TABLE.filter((row) => 'own' in row);

/** The flags of settings that are for one gateway. */
export const OWN_FLAGS: readonly (keyof ConnectionArgs)[] = [...OWN_ROWS.map(({ flag }) => flag), 'header'];

/** Throws a UsageError for a flag of the connection where no gateway is called. */
export function refuseConnection(args: ConnectionArgs, why: (flag: string) => string): void {
  const given = FLAGS.find((flag) => args[flag] !== undefined);
  if (given !== undefined) throw new UsageError(why(flagOf(given)));
}

/** The variables of these settings, each with the name of its setting. */
export const OWN_VARIABLES: ReadonlyMap<string, string> = new Map(
  OWN_ROWS.flatMap(({ name, flag, cdk }) => {
    const variable = variableOf(flag);
    const names = [variable, `${variable}_FILE`, ...(cdk === undefined ? [] : [`CDK_${cdk}`])];
    return names.map((one) => [one, name] as const);
  }),
);

export type Settings = Readonly<Record<SettingName, Setting>>;

/** Every connection setting with its origin, and why it has no value. */
export async function readSettings(
  args: ConnectionArgs,
  io: Io,
  project: NamedGateway | undefined,
): Promise<Settings> {
  const settings: Partial<Record<SettingName, Setting>> = {};
  for (const row of TABLE) settings[row.name] = await settingOf(row, args, io, project);
  return settings as Settings; // one for each row
}

async function settingOf(
  row: Row & { readonly name: SettingName },
  args: ConnectionArgs,
  io: Io,
  project: NamedGateway | undefined,
): Promise<Setting> {
  const made = (value: string | undefined, origin: string): Setting => ({
    name: row.name,
    value,
    origin,
    secret: row.secret === true,
  });
  const read = async (path: string, origin: string, root?: string): Promise<Setting> => {
    try {
      const text = await (root === undefined
        ? (io.readVariableFile ?? io.readNamedFile)(path)
        : io.readWithin([root], path, MOST_BYTES));
      return made(row.isPath === true ? text : withoutNewline(text), origin);
    } catch (error) {
      const isShown = origin === 'gwconf.yaml' || !('secretFile' in row);
      return { ...made(undefined, origin), problem: unreadableSetting(path, origin, error, isShown) };
    }
  };
  const given = (value: string, origin: string): Setting | Promise<Setting> =>
    row.isPath === true ? read(value, origin) : made(value, origin);

  const flag = args[row.flag];
  const origin = flagOf(row.flag);
  if (flag !== undefined)
    return row.flag === 'passwordFile' ? read(String(flag), origin) : given(String(flag), origin);
  const own = named(variableOf(row.flag), io);
  if (own !== undefined) return own.inFile ? read(own.text, own.origin) : given(own.text, own.origin);
  const official = row.cdk === undefined ? '' : io.env(`CDK_${row.cdk}`);
  if (official) return given(official, `CDK_${row.cdk ?? ''}`);
  const gateway: Readonly<Record<string, string | undefined>> = project?.settings ?? {};
  const said = gateway[row.name];
  const problem = project?.unfilled.find(({ path }) => path?.endsWith(`/gateway/${row.name}`));
  if (problem !== undefined) return { ...made(undefined, 'gwconf.yaml'), problem };
  if (project !== undefined && said !== undefined) {
    const setting =
      row.isPath === true
        ? await read(pathFrom(project.folder, said), 'gwconf.yaml', project.root)
        : made(said, 'gwconf.yaml');
    return project.secret.includes(row.name) ? { ...setting, secret: true } : setting;
  }
  return made(undefined, 'not set');
}

/** No certificate or key of a project is larger. */
const MOST_BYTES = 1_000_000;

/** The value of a variable, or the path in its _FILE variant; an empty variable is not set. */
function named(
  name: string,
  io: Io,
): { readonly text: string; readonly origin: string; readonly inFile: boolean } | undefined {
  const text = io.env(name) ?? '';
  if (text !== '') return { text, origin: name, inFile: false };
  const path = io.env(`${name}_FILE`) ?? '';
  return path === '' ? undefined : { text: path, origin: `${name}_FILE`, inFile: true };
}

export type Variable = { readonly value: string; readonly origin: string };

/** The value of `NAME`, or the content of the file at `NAME_FILE`, or why that cannot be read. */
export async function readVariable(
  name: string,
  io: Io,
): Promise<Variable | (Pick<Variable, 'origin'> & { readonly problem: Problem }) | undefined> {
  const found = named(name, io);
  if (found === undefined) return undefined;
  const { text, origin, inFile } = found;
  if (!inFile) return { value: text, origin };
  try {
    return { value: withoutNewline(await (io.readVariableFile ?? io.readNamedFile)(text)), origin };
  } catch (error) {
    return { origin, problem: unreadableSetting(text, origin, error) };
  }
}

/**
 * The problem of a file that a flag, a variable or gwconf.yaml names. `isShown` is false for the file of a secret: who has set the secret
 * itself, in place of the path of its file, must not find it in a log.
 */
export function unreadableSetting(path: string, origin: string, error: unknown, isShown = false): Problem {
  if (path.includes('-----BEGIN'))
    return makeProblem({
      code: 'unreadable-file',
      message: `${origin} has the text of a PEM file; expected the path of the file`,
      hint: 'write the text to a file, and name that',
    });
  return unreadable(
    isShown ? `${path} (${origin})` : `the file that ${origin} names`,
    error,
    'check the path',
  );
}

/** The variable of a setting: `caCert` is `GWCONF_CA_CERT`. --password-file is what GWCONF_PASSWORD_FILE is. */
export function variableOf(flag: string): string {
  const name = flagOf(flag)
    .slice('--'.length)
    .replace(/-file$/, '');
  return `GWCONF_${name.replaceAll('-', '_').toUpperCase()}`;
}

/** A hint for somebody who gives no flags, such as the user of an editor: what says the same in gwconf.yaml, or as a variable. */
export function withoutFlags(hint: string): string {
  return TABLE.reduce((text, { name, flag }) => {
    const variable = flag === 'passwordFile' ? `${variableOf(flag)}_FILE` : variableOf(flag);
    const instead = ['password', 'insecure', 'proxy'].includes(name)
      ? variable
      : `gateway.${name} of gwconf.yaml`;
    return text.replace(new RegExp(`${flagOf(flag)}(?![\\w-])(?: FILE)?`, 'g'), instead);
  }, hint);
}

export function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase());
}

/** Whether gwconf.yaml says a setting of the connection, even if it has no value now. */
export function saysSetting({ gateway }: Workspace, setting: string): boolean {
  const settings: Readonly<Record<string, unknown>> = gateway?.settings ?? {};
  return (
    settings[setting] !== undefined ||
    gateway?.unfilled.some(({ path }) => path?.endsWith(`/gateway/${setting}`)) === true
  );
}

/** Where there are several gateways, what gwconf.yaml says of each comes before the variables, which are for all. */
export function asOneOfSeveral(workspace: Workspace, io: Io): Io {
  return {
    ...io,
    env: (variable) => {
      const setting = OWN_VARIABLES.get(variable);
      return setting !== undefined && saysSetting(workspace, setting) ? undefined : io.env(variable);
    },
  };
}
