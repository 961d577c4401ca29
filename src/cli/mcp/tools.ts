import { addAll } from '../../model/collect.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Name } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';

/** A tool of the server: a command that changes nothing, with the flags that an agent may set. */
export type Tool = {
  readonly description: string;
  /** How its report is printed. */
  readonly format?: string;
  /** The flags that it takes, and what each is. */
  readonly flags: Readonly<Record<string, Parameter>>;
  /** What it takes besides flags. */
  readonly operand?: Parameter & { readonly name: string };
  /** What an agent has to have, unless the server may ask a gateway. */
  readonly needs?: 'snapshot';
};

type Parameter = { readonly type: 'text' | 'texts' | 'flag'; readonly help: string };

const env: Parameter = { type: 'text', help: 'the environment in gwconf.yaml' };
const snapshot: Parameter = {
  type: 'text',
  help: 'compare with this snapshot file of the project instead of the gateway',
};
const file: Parameter = { type: 'texts', help: 'files or folders in place of those of the environment' };
const target: Parameter = { type: 'texts', help: 'only addresses that match these globs; ! excludes' };

/** By the names of their commands. */
export const TOOLS = {
  validate: {
    description:
      'Checks files without a gateway. Reports every problem with its file and line, and how to fix it.',
    format: 'markdown',
    flags: { env, file, strict: { type: 'flag', help: 'documents of other tools are errors' } },
  },
  plan: {
    description:
      'Compares files with the gateway, or a snapshot of it, and shows the changes that apply would make, their risks, and whose protection ends or gets weaker. With base, also what the branch gives up. Changes nothing.',
    format: 'markdown',
    flags: {
      ...{ env, file, snapshot, target },
      base: { type: 'text', help: 'base branch, such as origin/main: tells whose each change is' },
      failOn: { type: 'text', help: 'block if protection is lost or weaker: loss' },
    },
    needs: 'snapshot',
  },
  drift: {
    description: 'Shows where the gateway differs from files.',
    format: 'markdown',
    flags: { env, file, target },
    needs: 'snapshot',
  },
  effective: {
    description:
      'Shows which interceptors run for which clients, by files. With as, for one client; with topic, how a topic is protected; with uncovered, topics that some clients read without protection.',
    format: 'markdown',
    flags: {
      ...{ env, file },
      as: { type: 'text', help: 'one service account' },
      virtualCluster: { type: 'text', help: 'its virtual cluster' },
      topic: { type: 'text', help: 'which of the interceptors apply to this topic' },
      uncovered: { type: 'flag', help: 'topics without protection' },
    },
  },
  get: {
    description: 'Lists objects of the gateway, or of a snapshot. Secrets are hidden.',
    format: 'yaml',
    flags: { env, snapshot },
    operand: {
      name: 'what',
      type: 'texts',
      help: "addresses, globs or kinds: interceptors, 'AliasTopic/*@vCluster=prod'",
    },
    needs: 'snapshot',
  },
  render: {
    description:
      'Prints resources as they are compared: layers merged, variables and defaults filled in, secrets hidden.',
    format: 'yaml',
    flags: { env, file },
  },
  test: {
    description: 'Runs the tests of *.gwtest.yaml files.',
    format: 'markdown',
    flags: { env, snapshot },
  },
  explain: {
    description:
      'Shows documentation of a kind, plugin class, field or problem code; without a name, lists what there is.',
    flags: { recursive: { type: 'flag', help: 'also fields of fields' } },
    operand: { name: 'name', type: 'text', help: 'Interceptor.spec.priority, EncryptPlugin, unknown-field' },
  },
  template: {
    description: 'Prints an example resource of a kind or plugin class; without a name, lists what there is.',
    flags: {},
    operand: { name: 'name', type: 'text', help: 'AliasTopic, EncryptPlugin' },
  },
} as const satisfies Readonly<Partial<Record<Name, Tool>>>;

export function toolNamed(name: string): Tool | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as keyof typeof TOOLS] : undefined;
}

/** The JSON Schema of what a tool is called with. */
export function inputSchemaOf({ flags, operand }: Tool): JsonObject & { readonly type: 'object' } {
  const parameters = [
    ...Object.entries(flags),
    ...(operand === undefined ? [] : [[operand.name, operand] as const]),
  ];
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(parameters.map(([name, parameter]) => [name, schemaOf(parameter)])),
  };
}

function schemaOf({ type, help: description }: Parameter): JsonObject {
  if (type === 'flag') return { type: 'boolean', description };
  return type === 'text'
    ? { type: 'string', description }
    : { type: 'array', items: { type: 'string' }, description };
}

/**
 * The command line of a call: each value in one word with its flag, and what is no flag behind `--`, so that no text of an agent is a
 * flag of its own. Or what is wrong with the call.
 */
export function commandLineOf(
  command: string,
  tool: Tool,
  given: JsonObject,
): readonly string[] | { readonly wrong: string } {
  const flags: string[] = [];
  const operands: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const isOperand = name === tool.operand?.name;
    const parameter = isOperand ? tool.operand : new Map(Object.entries(tool.flags)).get(name);
    if (parameter === undefined) return { wrong: `${name} is no parameter of this tool` };
    const texts = textsOf(parameter, value);
    if (texts === undefined) return { wrong: `expected ${name} to be ${EXPECTED[parameter.type]}` };
    if (isOperand) addAll(operands, texts);
    else if (parameter.type !== 'flag') for (const text of texts) flags.push(`${flagOf(name)}=${text}`);
    else if (value === true) flags.push(flagOf(name));
  }
  const output = tool.format === undefined ? [] : [`--output=${tool.format}`];
  return [command, ...output, ...flags, ...(operands.length === 0 ? [] : ['--', ...operands])];
}

const EXPECTED = { text: 'a text', texts: 'a list of texts', flag: 'true or false' };

function textsOf({ type }: Parameter, value: unknown): readonly string[] | undefined {
  if (type === 'flag') return typeof value === 'boolean' ? [] : undefined;
  if (type === 'text') return typeof value === 'string' ? [value] : undefined;
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}
