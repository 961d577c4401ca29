import { listSome } from '../../model/text/list.ts';
import type { ExportReport } from '../../outcome/gateway.ts';
import { formatCount } from '../phrases.ts';
import { factOf, makePage, notesOf } from './make-page.ts';
import type { Note, Page } from './page.ts';

const MOST_FILES = 100;

/** How much of a gateway has become files, and the variables that these need. */
export function pageOfExport(report: ExportReport): Page {
  const { result, gateway, folder, summary, written, variables, unavailable } = report;
  const { objects, files } = summary;
  const isMade = result === 'ok' || result === 'incomplete';
  const isWritten = isMade && objects > 0;
  const count = `${formatCount(objects, 'object')} in ${formatCount(files, 'file')}`;
  const kinds = unavailable.map(({ kind, words }): Note => ({
    text: `It does not serve ${kind}: ${words}`,
  }));
  const needed = variables.map(({ name, places: [first, ...others], known }): Note => {
    const more = others.length === 0 ? '' : `, and ${formatCount(others.length, 'other place')}`;
    const unknown = known ? '' : ' (its value is not known)';
    return { name, text: `${first?.address ?? ''} ${first?.path ?? ''}${more}${unknown}` };
  });
  const secrets = `${formatCount(variables.length, 'secret')}, as variables`;
  return makePage(report, {
    title: `Export: ${isMade ? count : result}${result === 'incomplete' ? ', incomplete' : ''}`,
    tone: result === 'ok' ? 'calm' : isMade ? 'review' : 'alarm',
    facts: [
      ...factOf('Gateway', gateway),
      { label: 'Folder', text: folder, isCode: true },
      ...factOf('Files', listSome(written, MOST_FILES), { isCode: false }),
    ],
    blocks: [
      ...notesOf('Not served', 'kind', 'sentences', kinds),
      ...notesOf(secrets, 'secret', 'terms', needed),
    ],
    ending: {
      headline: '',
      rest: isWritten
        ? `${count} in ${folder}; the plan is empty.`
        : `${gateway} has no objects that files can declare, so nothing was written.`,
    },
  });
}
