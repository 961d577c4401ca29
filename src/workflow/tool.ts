import about from '../../package.json' with { type: 'json' };

export const VERSION: string = about.version;
/** As saved plans, journals and requests name this program. */
export const TOOL = `gwconf ${VERSION}`;
