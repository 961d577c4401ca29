import type { PullRequest } from './pull-request.ts';

/** A comment on a pull request. */
export type Comment = {
  readonly id: string;
  /** The account that wrote it, in the form of `whoAmI`. */
  readonly author: string;
  readonly body: string;
  /** Its web page; empty if the forge does not tell. */
  readonly url: string;
  /** Of a forge that refuses changes to an old version. */
  readonly version?: number | undefined;
};

/** The comments of one pull request. Every call rejects with a ForgeError. */
export type Forge = {
  /** The account that the token acts as; undefined where the forge does not tell. */
  readonly whoAmI: () => Promise<string | undefined>;
  /** All comments, from every page, in any order. */
  readonly list: () => Promise<readonly Comment[]>;
  readonly create: (body: string) => Promise<Comment>;
  readonly update: (comment: Comment, body: string) => Promise<Comment>;
  readonly remove: (comment: Comment) => Promise<void>;
  /** The newest commit of the pull request, if that is open and the forge tells. */
  readonly readHead: () => Promise<string | undefined>;
  readonly close: () => Promise<void>;
};

/** A token, and the variable that it is from. */
export type Token = {
  readonly value: string;
  readonly origin: string;
  /** For forges that take some tokens as the password of a user. */
  readonly user?: string | undefined;
  /** The account that it acts as, for a forge that does not tell. */
  readonly account?: string | undefined;
};

export type Access = {
  readonly pullRequest: PullRequest;
  readonly token: Token;
  /** PEM of authorities to trust besides those of Node.js. */
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
  /** In the form of the variable NO_PROXY. */
  readonly noProxy?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Of all responses together. */
  readonly mostBytes?: number;
  /** `gwconf/1.2.3` */
  readonly userAgent: string;
};

/** A failure on the way to a forge or in it. */
export class ForgeError extends Error {
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The cure, in the imperative. */
  readonly hint: string | undefined;
  constructor(message: string, about: { readonly status?: number; readonly hint?: string } = {}) {
    super(message);
    this.name = 'ForgeError';
    this.status = about.status;
    this.hint = about.hint;
  }
}
