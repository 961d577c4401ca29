import { GatewayError, type GatewayErrorCode } from '../../gateway/gateway.ts';
import type { ApiResponse } from './response.ts';

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
