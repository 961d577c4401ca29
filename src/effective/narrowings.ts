import { isList, valueOf, type Json } from '../model/json/json.ts';
import { schemaAt, type Narrowing, type Variant } from '../model/kind.ts';
import { compileRegex } from '../model/regex/match-regex.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';

/** Whether an interceptor acts on something, by its config. The reason holds no value of the config, which may be a secret. */
export type Coverage = { readonly covers: 'yes' | 'no' | 'unknown'; readonly reason: string };

/** Judges a name by one field of a config; undefined is a name that is not known. */
export type Judge = (name: string | undefined) => Coverage;

export function makeJudge({ at, it: { by } }: Narrowing, { schema }: Variant, config: Json): Judge {
  const field = at.join('.');
  const given = at.reduce<Json | undefined>(valueOf, config);
  const value = given ?? valueOf(schemaAt({ config: schema }, ['config', ...at]), 'default');
  if (by === 'undocumented') {
    const isAbsent = value === undefined || value === null || (isList(value) && value.length === 0);
    return always(isAbsent ? 'yes' : 'unknown', `what ${field} means is not documented`);
  }
  if (value === undefined) return always('unknown', `the default of ${field} is not documented`);
  if (hasPlaceholder(value)) return always('unknown', `${field} has a placeholder`);
  if (typeof value !== 'string' || value === '') return always('unknown', `${field} has no text`);
  return judges[by](value, field);
}

const judges: Readonly<
  Record<Exclude<Narrowing['it']['by'], 'undocumented'>, (value: string, field: string) => Judge>
> = {
  name: (value, field) => (name) => told(name === undefined ? undefined : name === value, field),
  pattern: judgeByPattern,
  query: (value, field) => {
    const queried = topicOf(value);
    if (queried === undefined) return always('unknown', `the topic of ${field} is not certain`);
    return judges.name(queried, field);
  },
};

function judgeByPattern(value: string, field: string): Judge {
  if (value === '.*') return always('yes', `${field} matches everything`);
  const regex = compileRegex(value);
  if ('unjudged' in regex) return always('unknown', `the regular expression in ${field} ${regex.unjudged}`);
  return (name) => told(name === undefined ? undefined : regex.matches(name), field);
}

function told(matches: boolean | undefined, field: string): Coverage {
  if (matches === undefined) return { covers: 'unknown', reason: `it is not certain what ${field} matches` };
  return matches
    ? { covers: 'yes', reason: `${field} matches` }
    : { covers: 'no', reason: `${field} does not match` };
}

function always(covers: Coverage['covers'], reason: string): Judge {
  const coverage = { covers, reason };
  return () => coverage;
}

/** The one topic of a SQL query; undefined if there are several, or if it is not certain. */
function topicOf(query: string): string | undefined {
  const [, after = '', ...others] = query.replaceAll(/'[^']*'/g, "''").split(/\bfrom\b/i);
  const [source = ''] = after.split(/\b(?:where|group|having|order|limit)\b|;/i);
  const [, quoted, plain] = /^\s+(?:"([\w.-]+)"|([\w.-]+))(?:\s+(?:as\s+)?\w+)?\s*$/i.exec(source) ?? [];
  return others.length > 0 || /--|\/\*/.test(query) ? undefined : (quoted ?? plain);
}
