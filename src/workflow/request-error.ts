/** Requests for which a front end can say more, such as the flag that is missing. */
export type RequestCode =
  'no-input' | 'no-journal' | 'unreadable-plan' | 'unreadable-snapshot' | 'unknown-run';

/** What was asked for cannot be done as it was asked: there is no such file, environment or run. Nothing was begun. */
export class RequestError extends Error {
  readonly code: RequestCode | undefined;
  constructor(
    message: string,
    { code, cause }: { readonly code?: RequestCode; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RequestError';
    this.code = code;
  }
}
