import { GatewayError, type GatewayErrorCode } from '../gateway/gateway.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import { printJson } from '../model/json/json-text.ts';
import type { Kind } from '../model/kind.ts';

/** A response: JSON, text, or only a status. */
export type ApiResponse = {
  readonly status: number;
  readonly body?: Json;
  readonly text?: string;
  /** The header Retry-After, in seconds. */
  readonly retryAfter?: number;
};

/** 200 with JSON. */
export function makeOk(body: Json): ApiResponse {
  return { status: 200, body };
}

/** The gateway refuses in plain text what it cannot decode (gateway-api A.2). */
export function makeUndecodable(what: string): ApiResponse {
  return { status: 400, text: `Invalid value for: ${what}` };
}

/** A body in which null means the same as a missing field. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** A refusal of the gateway, with its error body: a title, and often a sentence about this case. */
export class Refusal extends GatewayError {
  declare readonly status: number;
  readonly title: string;
  readonly msg: string | undefined;

  constructor(status: number, title: string, msg?: string) {
    super(codes[status] ?? 'failed', msg ?? title, { status });
    this.title = title;
    this.msg = msg;
  }

  get response(): ApiResponse {
    const { status, title, msg } = this;
    return { status, body: msg === undefined ? { title } : { title, msg } };
  }
}

const codes: { readonly [status: number]: GatewayErrorCode } = {
  400: 'refused',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
};

/** For an unknown path or method: not an error body of the API. */
export class NotServed extends Refusal {
  override get response(): ApiResponse {
    return { status: this.status, text: this.message };
  }
}

/** A value in a sentence: a string as it is, others as JSON. */
export function formatValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : printJson(value ?? null);
}

/** The wording for a kind: titles of error bodies, by what went wrong. */
type Wording = {
  /** `alias topic`; an s makes it plural. */
  readonly noun: string;
  /** PUT 400. */
  readonly malformed: string;
  /** PUT 404. */
  readonly dangling?: string;
  /** PUT 409: a unique value has another owner. */
  readonly taken?: string;
  /** PUT 409: an immutable field. */
  readonly fixed?: string;
  /** Other PUT 409s. */
  readonly clashes?: readonly string[];
  /** DELETE 404, GET of one 404. */
  readonly missing: string;
  /** DELETE 400 of a built-in. */
  readonly reserved?: string;
  /** DELETE 409. */
  readonly inUse?: string;
  /** Every operation 400, on a gateway without security. */
  readonly needsSecurity?: string;
};

/** Kinds that are used beyond their own routes. */
export const ROLES = {
  virtualCluster: 'VirtualCluster',
  aliasTopic: 'AliasTopic',
  concentratedTopic: 'ConcentratedTopic',
  concentrationRule: 'ConcentrationRule',
  account: 'GatewayServiceAccount',
  group: 'GatewayGroup',
  interceptor: 'Interceptor',
} as const;

export const titles = {
  badRequest: 'The request is not valid',
  unauthorized: 'The given credentials are not valid',
  forbidden: 'You do not have permission to call this API',
  serverError: 'An unexpected error occurred in the server',
  noVirtualCluster: 'The given virtual cluster does not exist',
  wrongMethod: 'The method is not allowed here',
  tooLarge: 'The request body is too large',
  otherHost: 'The Host header names another server; gwconf gateway --allowed-host NAME accepts this name too',
  webPage: 'Web pages may not call this gateway',
  tooManyLogins: 'Too many logins were wrong',
  noSuchEntity: 'The searched entity was not found',
  noToken:
    'Requesting a JWT token when no user pool service is configured in the Gateway or requesting a token for an external service account.',
  unknownCluster: 'The physical cluster does not exist',
  notMain: 'The virtual cluster is of type Standard and does not target main physical cluster',
  notValid: 'The virtual cluster is of type Partner and does not target a valid physical cluster',
  noTopic: 'The given virtual cluster does not exist or one of the physical topics does not exist',
  wrongPolicy: 'One of the physical topics exists with an incompatible cleanup.policy',
  usedPrefix: 'The given prefix is already used by another virtual cluster',
} as const;

/** A generic wording if the kind is not in the table. */
export function wordingOf(kind: Kind): Wording {
  return (
    wordings[kind.name] ?? {
      noun: kind.name,
      malformed: titles.badRequest,
      dangling: titles.noSuchEntity,
      taken: `The ${kind.name} already exist`,
      fixed: `The ${kind.name} cannot be changed that way`,
      missing: `The given ${kind.name} does not exist`,
      reserved: `The given ${kind.name} cannot be deleted`,
      inUse: `The ${kind.name} is still referenced`,
    }
  );
}

// gateway-api A.2; the titles are those of the vendor's API description, save for `fixed` of a virtual cluster.
const wordings: { readonly [kind: string]: Wording | undefined } = {
  VirtualCluster: {
    noun: 'virtual cluster',
    malformed: 'Wrong format or usage of reserved keywords (e.g. passthrough)',
    fixed: 'The ACL mode of a virtual cluster cannot be changed',
    clashes: [titles.usedPrefix],
    missing: titles.noVirtualCluster,
    reserved: 'Default `passthrough` virtual cluster cannot be deleted',
    inUse:
      'The given virtual cluster has references (logical topics, interceptors, concentration rules, service accounts) and cannot be deleted',
    needsSecurity: 'Virtual cluster is not supported on security protocol PLAINTEXT',
  },
  AliasTopic: {
    noun: 'alias topic',
    malformed: titles.badRequest,
    dangling: titles.noVirtualCluster,
    fixed: 'The physical cluster of an alias topic cannot be changed',
    clashes: [titles.notMain, titles.notValid],
    missing: 'The given name does not exist in the given virtual cluster',
  },
  ConcentrationRule: {
    noun: 'concentration rule',
    malformed: titles.badRequest,
    dangling: titles.noTopic,
    clashes: [titles.wrongPolicy],
    missing: 'The given name does not exist in the given virtual cluster',
  },
  GatewayServiceAccount: {
    noun: 'service account',
    malformed: titles.badRequest,
    dangling: 'The given service account references a non-existing virtual cluster',
    taken: 'The service account already exist',
    missing: 'The given service account does not exist',
    inUse: 'The service account is still used by groups',
    needsSecurity: 'Gateway service account is not supported on security protocol PLAINTEXT.',
  },
  GatewayGroup: {
    noun: 'group',
    malformed: titles.badRequest,
    dangling: 'The group contains a service account that does not exist',
    missing: 'The given group does not exist',
    inUse: 'The group is still referenced by interceptors',
  },
  Interceptor: {
    noun: 'interceptor',
    malformed: titles.badRequest,
    dangling: 'The virtual cluster or the group specified in the scope does not exist',
    missing: 'The given interceptor does not exist',
  },
  ConcentratedTopic: {
    noun: 'concentrated topic',
    malformed: titles.badRequest,
    missing: titles.noSuchEntity,
  },
  Plugin: { noun: 'plugin', malformed: titles.badRequest, missing: titles.noSuchEntity },
};
