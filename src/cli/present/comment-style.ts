import { inHtml, inLink, type Hide } from '../../forge/sticky.ts';
import type { ForgeName } from '../../forge/pull-request.ts';
import { BITBUCKET, GITHUB, GITLAB, type Dialect } from '../../report/markdown/prose.ts';

/** What a forge takes as a comment. */
export type CommentStyle = { readonly limit: number; readonly dialect: Dialect; readonly hide: Hide };

const ON_BITBUCKET = { limit: 32_000, dialect: BITBUCKET, hide: inLink };

export const COMMENT_STYLES: Readonly<Record<ForgeName, CommentStyle>> = {
  github: { limit: 65_536, dialect: GITHUB, hide: inHtml },
  gitlab: { limit: 1_000_000, dialect: GITLAB, hide: inHtml },
  'bitbucket-cloud': ON_BITBUCKET,
  'bitbucket-server': ON_BITBUCKET,
};
