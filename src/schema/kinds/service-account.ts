import { textsIn, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { type Context, type FieldProblem, type FoundRisk } from '../../model/kind.ts';
import type { Severity } from '../../model/problem-codes.ts';
import { defineKind } from '../define-kind.ts';
import { closed, text } from '../closed.ts';
import { type Fact, PASSTHROUGH } from '../../model/principal.ts';
import type { Parsed, Resource } from '../../model/resource.ts';
import { accountName, BACKED_BY_KAFKA, gatewayV2, inVirtualCluster, vClusterName } from './common.ts';

export type ServiceAccount = Resource<
  'GatewayServiceAccount',
  { readonly name: string; readonly vCluster?: string },
  { readonly type: 'LOCAL' | 'EXTERNAL'; readonly externalNames?: readonly string[] }
>;

/** Security modes without any accounts (gateway-api D.1). */
const ABSENT_IN: readonly string[] = ['PLAINTEXT'];

// gateway-api A.6 GatewayServiceAccount; `type` is accepted in any case.
export const serviceAccount = defineKind<ServiceAccount>({
  name: 'GatewayServiceAccount',
  summary: 'A client with credentials of the gateway, or a name for an external identity.',
  ...gatewayV2('service-account'),
  ...inVirtualCluster,
  terraform: 'gateway_service_account_v2',
  removal: 'body',
  schema: {
    metadata: closed(['name'], {
      name: accountName,
      vCluster: vClusterName,
    }),
    spec: closed(['type'], {
      type: {
        enum: ['LOCAL', 'EXTERNAL'],
        description: 'LOCAL if the gateway has the credentials, EXTERNAL if an identity provider has them.',
      },
      externalNames: {
        type: 'array',
        maxItems: 1,
        items: text,
        description: 'The identity of an EXTERNAL account, such as the sub of a JWT. It must be unique.',
      },
    }),
  },
  example: {
    apiVersion: 'gateway/v2',
    kind: 'GatewayServiceAccount',
    metadata: { name: 'payments-app', vCluster: 'prod' },
    spec: { type: 'EXTERNAL', externalNames: ['00u9vme99nxudvxZA0h7'] },
  },
  columns: [
    { title: 'TYPE', at: '/spec/type' },
    { title: 'EXTERNAL NAME', at: '/spec/externalNames' },
  ],
  defaults: { '/metadata/vCluster': 'passthrough' },
  upperCase: ['/spec/type'],
  normalise: dropNamesOfLocal,
  sets: ['/spec/externalNames'],
  unique: ['/spec/externalNames/*'],
  release: withPlaceholder,
  absentIn: ABSENT_IN,
  risks: findRisks,
  facts: tellFacts,
  rules: (rule) => [
    rule(['/spec/type', '/spec/externalNames'], ({ spec }) => checkExternalNames(spec)),
    rule(['/spec/type'], ({ spec }, context) => checkSecurity(spec.type, context)),
  ],
});

// Its ACLs, interceptors and groups go by its name: whoever has it has these.
function findRisks(
  before: ServiceAccount | undefined,
  after: ServiceAccount | undefined,
): readonly FoundRisk[] {
  if (before === undefined || after === undefined) return [];
  const namesIn = (one: Parsed): readonly string[] =>
    tellFacts(one).flatMap((fact) => (fact.type === 'external-name' ? [fact.name] : []));
  const former = namesIn(before);
  const [wasLocal, willBeLocal] = [isLocalSpec(before.spec), isLocalSpec(after.spec)];
  if (wasLocal === willBeLocal && namesIn(after).every((name) => former.includes(name))) return [];
  const message = 'belongs to another client after this, with all that the account may do';
  // gateway-api B.10: such a change revokes no token.
  const tokens =
    wasLocal && !willBeLocal ? '; tokens that it was issued go on working until they expire' : '';
  return [{ risk: 'identity', message: message + tokens }];
}

// A gateway or a forged snapshot may have values of any type.
function tellFacts({ metadata, spec }: Parsed): readonly Fact[] {
  const [username, vCluster] = [valueOf(metadata, 'name'), valueOf(metadata, 'vCluster')];
  if (typeof username !== 'string') return [];
  const account = { virtualCluster: typeof vCluster === 'string' ? vCluster : PASSTHROUGH, username };
  const names = isLocalSpec(spec) ? undefined : valueOf(spec, 'externalNames');
  return [
    { type: 'account', ...account },
    ...textsIn(names).map((name): Fact => ({ type: 'external-name', name, ...account })),
  ];
}

// A LOCAL account has no external names, but some servers print an empty list.
function dropNamesOfLocal(spec: ServiceAccount['spec']): JsonObject {
  if (spec.type !== 'LOCAL') return spec;
  const { externalNames: _, ...rest } = spec;
  return rest;
}

/**
 * An EXTERNAL account has exactly one external name. Changing it to LOCAL for a moment would free that name, but some
 * security modes have no LOCAL accounts, and the others would issue credentials for it. So it gets a placeholder that is
 * unique, since it contains its address, and that no identity provider or certificate uses.
 */
function withPlaceholder({ metadata, spec, ...rest }: ServiceAccount): ServiceAccount {
  const placeholder = `gwconf-released:${metadata.vCluster ?? 'passthrough'}/${metadata.name}`;
  return { ...rest, metadata, spec: { ...spec, externalNames: [placeholder] } };
}

// gateway-api D.1 and D.2: security modes without LOCAL accounts, and conditions of EXTERNAL ones.
const NO_LOCAL: readonly string[] = [...ABSENT_IN, 'SSL', ...BACKED_BY_KAFKA];
const EXTERNAL_IF: Readonly<Record<string, string>> = {
  SSL: 'mTLS is used',
  SASL_PLAINTEXT: 'OAuth is configured',
  SASL_SSL: 'OAuth is configured',
  GATEWAY_MANAGED: 'mTLS is used or OAuth is configured',
};

/** Whether a gateway with this security mode can have LOCAL accounts, and so issue tokens. */
export function hasLocalAccounts(security: string | undefined): boolean {
  return security === undefined || !NO_LOCAL.includes(security);
}

/** Whether the gateway issues the credentials of an account. */
export function isLocal({ spec }: Resource): boolean {
  return isLocalSpec(spec);
}

function isLocalSpec(spec: Json | undefined): boolean {
  const type = valueOf(spec, 'type');
  return typeof type === 'string' && type.toUpperCase() === 'LOCAL';
}

function checkSecurity(type: string, { security = '' }: Context): readonly FieldProblem[] {
  const fault = (severity: Severity, message: string, hint: string): readonly FieldProblem[] => [
    { code: 'security-mode', severity, path: '/spec/type', message, hint },
  ];
  if (ABSENT_IN.includes(security)) return [];
  if (type === 'LOCAL' && !hasLocalAccounts(security)) {
    const cure = 'set type: EXTERNAL, or change security of the environment in gwconf.yaml';
    return fault('error', `a gateway with ${security} has no LOCAL accounts`, cure);
  }
  const condition = type === 'EXTERNAL' ? EXTERNAL_IF[security] : undefined;
  if (condition === undefined) return [];
  return fault(
    'info',
    `with ${security} an EXTERNAL account works only if ${condition}`,
    'check the configuration of the gateway',
  );
}

function checkExternalNames(spec: ServiceAccount['spec']): readonly FieldProblem[] {
  const names = spec.externalNames?.length ?? 0;
  if (spec.type === 'EXTERNAL' && names === 0) {
    return [
      {
        code: 'conflicting-fields',
        path: spec.externalNames === undefined ? '/spec/type' : '/spec/externalNames',
        message: 'an EXTERNAL account needs exactly one external name',
        hint: 'add externalNames: [NAME] with the identity',
      },
    ];
  }
  if (spec.type === 'LOCAL' && names > 0) {
    return [
      {
        code: 'conflicting-fields',
        path: '/spec/externalNames',
        on: 'key',
        message: 'a LOCAL account has no external names',
        hint: 'remove externalNames, or set type: EXTERNAL',
      },
    ];
  }
  return [];
}
