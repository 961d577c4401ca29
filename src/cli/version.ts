import about from '../../package.json' with { type: 'json' };

export const VERSION: string = about.version;
/** As saved plans and requests name it. */
export const TOOL = `gwconf ${VERSION}`;
