import {
  httpGateway,
  memoryGateway,
  persistentGateway,
  catalog,
  type Connection,
  type Gateway,
} from '../index.ts';
import { UsageError, type Io } from './io.ts';
import { TOOL } from './version.ts';

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

const EMBEDDED = 'embedded:';

/** The gateway that flags, GWCONF_* or CDK_* variables name, in this order. Throws a UsageError when none does. */
export async function connect(args: ConnectionArgs, io: Io): Promise<Gateway> {
  const setting = settingsOf(io);
  const url = args.url ?? (await setting('URL')) ?? io.env('CDK_GATEWAY_BASE_URL');
  if (url === undefined || url === '') {
    throw new UsageError(
      'no gateway is named: give --url URL, or set GWCONF_URL, or set CDK_GATEWAY_BASE_URL (--url embedded:state.json is a gateway to practise on)',
    );
  }
  return url.startsWith(EMBEDDED) ? embedded(url, io) : httpGateway(await connectionTo(url, args, io));
}

/** A gateway in this process; its state is kept in the file that the URL names, or nowhere. */
async function embedded(url: string, io: Io): Promise<Gateway> {
  const path = url.slice(EMBEDDED.length);
  if (path === '') return { ...memoryGateway(catalog.kinds), url };
  const state = await readState(path, io);
  const memory = memoryGateway(catalog.kinds, state === undefined ? {} : { state });
  return { ...persistentGateway(memory, (text) => io.writeFile(path, text)), url };
}

/** The state of an embedded gateway; undefined for a file that is not there yet. */
export async function readState(path: string, io: Io): Promise<unknown> {
  let text: string;
  try {
    text = await io.readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new UsageError(`the state file ${path} cannot be read`, { cause: error });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${path} is not the state of an embedded gateway: it is not JSON`);
  }
}

async function connectionTo(url: string, args: ConnectionArgs, io: Io): Promise<Connection> {
  const setting = settingsOf(io);
  const pem = async (flag: string | undefined, own: string, other: string): Promise<string | undefined> => {
    const path = flag ?? (await setting(own)) ?? io.env(other);
    return path === undefined || path === '' ? undefined : readSetting(path, io);
  };
  const secure = url.toLowerCase().startsWith('https:');
  const insecure =
    args.insecureSkipVerify ?? truthy((await setting('INSECURE_SKIP_VERIFY')) ?? io.env('CDK_INSECURE'));
  if (insecure && secure) io.err('warning: the certificate of the gateway is not verified\n');
  return {
    url,
    user: args.user ?? (await setting('USER')) ?? io.env('CDK_GATEWAY_USER'),
    password:
      args.passwordFile === undefined
        ? ((await setting('PASSWORD')) ?? io.env('CDK_GATEWAY_PASSWORD'))
        : (await readSetting(args.passwordFile, io)).replace(/\r?\n$/, ''),
    ca: await pem(args.caCert, 'CA_CERT', 'CDK_CACERT'),
    cert: await pem(args.clientCert, 'CLIENT_CERT', 'CDK_CERT'),
    key: await pem(args.clientKey, 'CLIENT_KEY', 'CDK_KEY'),
    insecure,
    proxy: args.proxy ?? (await setting('PROXY')) ?? proxyFor(secure, io),
    noProxy: io.env('NO_PROXY') ?? io.env('no_proxy'),
    headers: headersOf(args.header ?? []),
    timeoutMs: millisecondsOf(args.timeout ?? (await setting('TIMEOUT'))),
    userAgent: TOOL.replace(' ', '/'),
  };
}

/** GWCONF_NAME, or the text of the file that GWCONF_NAME_FILE names. */
function settingsOf(io: Io): (name: string) => Promise<string | undefined> {
  return async (name) => {
    const value = io.env(`GWCONF_${name}`);
    if (value !== undefined) return value;
    const path = io.env(`GWCONF_${name}_FILE`);
    return path === undefined ? undefined : (await readSetting(path, io)).replace(/\r?\n$/, '');
  };
}

async function readSetting(path: string, io: Io): Promise<string> {
  try {
    return await io.readFile(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read`, { cause: error });
  }
}

function proxyFor(secure: boolean, io: Io): string | undefined {
  const names = secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  return names.map(io.env).find((value) => value !== undefined && value !== '');
}

function headersOf(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined) throw new UsageError('--header takes NAME: VALUE');
      return [name, value];
    }),
  );
}

function millisecondsOf(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(duration) ?? [];
  if (count === undefined)
    throw new UsageError(`expected a duration such as 30s, 500ms or 2m; found ${duration}`);
  return Number(count) * (unit === 'ms' ? 1 : unit === 'm' ? 60_000 : 1000);
}

function truthy(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase());
}
