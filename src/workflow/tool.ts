import about from '../../package.json' with { type: 'json' };

/** The commit that it was built from; the build fills it in. */
declare const COMMIT: string;

export const VERSION: string = about.version;
/** With `-dirty` if files were changed since; `unknown` where the sources run, or were built without git. */
export const BUILT_FROM: string = typeof COMMIT === 'undefined' ? 'unknown' : COMMIT;
/** As saved plans, journals and requests name this program. */
export const TOOL = `gwconf ${VERSION}`;
