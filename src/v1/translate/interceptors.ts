import { placeholdersIn } from '../../declare/declared.ts';
import {
  isObject,
  valueOf,
  type JsonObject,
  changeAt,
  isList,
  sameJson,
  valueAt,
  withKey,
  type Json,
} from '../../model/json/json.ts';
import { PLUGIN_PREFIX, renamedClass } from '../../schema/plugins/plugin.ts';
import { tellOthers } from './users-and-topics.ts';
import { BadBody, nameIn, objectIn, otherKeys } from './body.ts';
import {
  keyOfInterceptor,
  putInterceptorAt,
  take,
  tellDeleted,
  type Handler,
  type Request,
  type Scope,
} from './v1-state.ts';

/** gateway-api C.7: the prefix of the path is the scope. */
export const putInterceptor =
  (isGlobal: boolean): Handler =>
  (request, state) => {
    const { params, body, tell } = request;
    const { name = '' } = params;
    const spec = specIn(objectIn(body), tell);
    putInterceptorAt({ name, scope: scopeIn(params, isGlobal), spec }, request, state);
  };

/** v1 refuses to create what is there; a script may have been run against another gateway in between. */
export const postInterceptor =
  (isGlobal: boolean): Handler =>
  (request, state) => {
    const key = keyOfInterceptor(request.params['name'] ?? '', scopeIn(request.params, isGlobal));
    const before = state.interceptors.get(key)?.value;
    putInterceptor(isGlobal)(request, state);
    const after = state.interceptors.get(key)?.value;
    if (before !== undefined && !sameJson(before.spec, after?.spec))
      request.tell(
        'choice',
        'v1 refuses a POST of an interceptor that exists (409); this call is taken, not the one before',
      );
  };

export const deleteInterceptor =
  (isGlobal: boolean): Handler =>
  (request, state) => {
    const { name = '' } = request.params;
    const held = take(state.interceptors, keyOfInterceptor(name, scopeIn(request.params, isGlobal)));
    tellDeleted(held, `the interceptor ${name}`, request, state);
  };

function scopeIn({ vCluster = 'passthrough', group, username }: Request['params'], isGlobal: boolean): Scope {
  return { vCluster: isGlobal ? null : vCluster, group: group ?? null, username: username ?? null };
}

function specIn(body: JsonObject, tell: Request['tell']): JsonObject {
  const pluginClass = nameIn(body, 'pluginClass');
  const priority = valueOf(body, 'priority');
  const config = valueOf(body, 'config') ?? {};
  if (typeof priority !== 'number' || !Number.isInteger(priority))
    throw new BadBody('priority of its body is not an integer');
  if (!isObject(config)) throw new BadBody('config of its body is not a JSON object');
  // gateway-api H.6: timeoutMs comes from lists, and never had an effect that a script chose.
  tellOthers(otherKeys(body, ['name', 'pluginClass', 'priority', 'config', 'timeoutMs']), tell);
  if (valueOf(body, 'timeoutMs') !== undefined) tell('fact', 'timeoutMs is dropped');
  const { choices, ...today } = modernise(pluginClass, config);
  for (const choice of choices) tell('choice', choice);
  return { ...today, priority };
}

type Modern = {
  readonly pluginClass: string;
  readonly config: JsonObject;
  readonly choices: readonly string[];
};

/** An old plugin class and config in the form of today (gateway-api E.3, E.6), and the choices that this took. */
export function modernise(pluginClass: string, config: JsonObject): Modern {
  const title = renamedClass(pluginClass);
  const today = title === undefined ? pluginClass : PLUGIN_PREFIX + title;
  const renamed = today === pluginClass ? [] : [`${pluginClass} is now ${today}`];
  if (today.startsWith(RULES)) return { pluginClass: today, ...renameActions(config, renamed) };
  if (today === DECRYPTS) return { pluginClass: today, ...renameFields(config, renamed) };
  if (STORES.has(today)) return { pluginClass: today, ...raiseDirectory(config, renamed) };
  if (!ENCRYPTS.has(today)) return { pluginClass: today, config, choices: renamed };
  const choices = new Set(renamed);
  const nested = nestFields(config, choices);
  const vault = valueAt(nested, '/kmsConfig/vault/uri');
  const modern = KEYS.reduce<Json>(
    (changed, tokens) => changeAt(changed, tokens, (key) => modernKey(key, vault, choices)),
    nested,
  );
  return { pluginClass: today, config: modern as JsonObject, choices: [...choices] };
}

const ENCRYPTS: ReadonlySet<string> = new Set(
  ['EncryptPlugin', 'EncryptSchemaBasedPlugin', 'FetchEncryptPlugin', 'FetchEncryptSchemaBasedPlugin'].map(
    (name) => PLUGIN_PREFIX + name,
  ),
);

const RULES = `${PLUGIN_PREFIX}safeguard.`;

/** In 2.0, what happens to requests that break a rule was `whatToDo`. */
function renameActions(config: JsonObject, choices: readonly string[]): Pick<Modern, 'config' | 'choices'> {
  const isOld = (rule: Json): rule is JsonObject =>
    isObject(rule) && valueOf(rule, 'whatToDo') !== undefined && valueOf(rule, 'action') === undefined;
  const entries = Object.entries(config);
  if (!entries.some(([, rule]) => isOld(rule))) return { config, choices };
  const renamed = entries.map(([key, rule]): [string, Json] => {
    if (!isOld(rule)) return [key, rule];
    const { whatToDo: action = null, ...rest } = rule;
    return [key, { ...rest, action }];
  });
  return { config: Object.fromEntries(renamed), choices: [...choices, 'whatToDo is now action'] };
}

const DECRYPTS = `${PLUGIN_PREFIX}DecryptPlugin`;

/** In 3.0, the fields to decrypt were those of the value. */
function renameFields(config: JsonObject, choices: readonly string[]): Pick<Modern, 'config' | 'choices'> {
  const { fields, ...rest } = config;
  if (!isList(fields) || valueOf(config, 'recordValueFields') !== undefined) return { config, choices };
  return {
    config: { ...rest, recordValueFields: fields },
    choices: [...choices, 'fields is now recordValueFields'],
  };
}

const STORES: ReadonlySet<string> = new Set(
  ['LargeMessageHandlingPlugin', 'LargeBatchHandlingPlugin'].map((name) => PLUGIN_PREFIX + name),
);

/** Before 3.2, the directory for temporary files was in the settings of S3. */
function raiseDirectory(config: JsonObject, choices: readonly string[]): Pick<Modern, 'config' | 'choices'> {
  const s3 = valueOf(config, 's3Config');
  const directory = valueOf(s3, 'localDiskDirectory');
  if (!isObject(s3) || directory === undefined || valueOf(config, 'localDiskDirectory') !== undefined)
    return { config, choices };
  return {
    config: {
      ...config,
      localDiskDirectory: directory,
      s3Config: withKey(s3, 'localDiskDirectory', undefined),
    },
    choices: [...choices, 's3Config.localDiskDirectory is now localDiskDirectory'],
  };
}

/** The places of objects with a key and an algorithm. */
const KEYS = ['recordValue', 'recordKey', 'recordHeader'].flatMap((part) => [
  [part, 'payload'],
  [part, 'fields', '*'],
]);

/** In 3.0, what is encrypted of the value was at the top. */
function nestFields(config: JsonObject, choices: Set<string>): JsonObject {
  const { fields, payload, ...rest } = config;
  const found = { ...(isList(fields) ? { fields } : {}), ...(isObject(payload) ? { payload } : {}) };
  const [key] = Object.keys(found);
  if (key === undefined || valueOf(config, 'recordValue') !== undefined) return config;
  choices.add(`${key} is now recordValue.${key}`);
  return { ...rest, recordValue: found };
}

function modernKey(key: Json | undefined, vault: Json | undefined, choices: Set<string>): Json | undefined {
  if (!isObject(key)) return key;
  const written = valueOf(key, 'algorithm');
  const kms = isObject(written) ? written['kms'] : undefined;
  const named = isObject(written) ? written['type'] : written;
  if (typeof named !== 'string') return withScheme(key, kms, vault, choices);
  // AES_GCM became AES128_GCM, which the vendor's own examples use in its place.
  const algorithm = named.replace(/^TINK\//, '').replace(/^AES_GCM$/, 'AES128_GCM');
  if (algorithm !== written) choices.add(`algorithm ${named.slice(0, 40)} is now ${algorithm.slice(0, 40)}`);
  return withScheme(withKey(key, 'algorithm', algorithm), kms, vault, choices);
}

/** A key without a scheme was one in memory, unless the algorithm named another key management service. */
function withScheme(
  key: JsonObject,
  kms: Json | undefined,
  vault: Json | undefined,
  choices: Set<string>,
): JsonObject {
  const id = valueOf(key, 'keySecretId');
  if (typeof id !== 'string' || id.includes('://') || placeholdersIn(id).length > 0) return key;
  if (kms === 'VAULT') {
    if (typeof vault !== 'string' || !URL.canParse(vault)) return key;
    choices.add('keySecretId is now the path of a key in Vault');
    return withKey(key, 'keySecretId', `vault-kms://${new URL(vault).host}/transit/keys/${id}`);
  }
  choices.add('in-memory-kms:// is now written before the name of a key in memory');
  return withKey(key, 'keySecretId', `in-memory-kms://${id}`);
}
