import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { getLive, NOTHING_FOUND } from '../../workflow/live/get.ts';
import { parseWanted } from '../../workflow/live/wanted.ts';
import { inputOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';
import { LIVE_FORMATS } from '../present/live-formats.ts';

/** Lists what is live. */
export const run: Run<'get'> = async ({ operand: terms, args, output, io, openWorkspace, openLive }) => {
  const wanted = parseWanted(terms, args.kind ?? [], catalog.kinds);
  const opened = await openLive(args, await openWorkspace(args));
  const isOpen = 'source' in opened;
  const { depth } = LIVE_FORMATS[output.stdout];
  const found = isOpen
    ? await getLive(io, opened.workspace, opened.source, wanted, { ...inputOf([], args), depth })
    : { ...NOTHING_FOUND, problems: opened.problems };
  const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found.problems]);
  const source = isOpen ? opened.source : { url: '' };
  return {
    result: isOpen ? found.result : opened.result,
    problems,
    render: (format, options) => LIVE_FORMATS[format].render({ found, source, problems }, options),
  };
};
