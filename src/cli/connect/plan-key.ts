import type { Problem } from '../../model/problem.ts';
import { UsageError, type Io } from '../io.ts';
import { readVariable } from './settings.ts';

/** Whoever has a plan that was signed with a shorter key could guess the key. */
const SHORTEST_KEY = 32;

/** The key that saved plans are signed with. Throws a UsageError when it is too short or cannot be read. */
export async function readPlanKey(io: Io): Promise<string | undefined> {
  const key = await findPlanKey(io);
  if (key !== undefined && 'problem' in key) throw new UsageError(key.problem.message);
  return key?.value;
}

/** The same key with where it is set, or what is wrong with it. */
export async function findPlanKey(io: Io): ReturnType<typeof readVariable> {
  const key = await readVariable('GWCONF_PLAN_KEY', io);
  if (key === undefined || 'problem' in key) return key;
  io.masker.learn(key.value);
  return key.value.length < SHORTEST_KEY ? { origin: key.origin, problem: tooShort(key.origin) } : key;
}

function tooShort(origin: string): Problem {
  return {
    code: 'invalid-value',
    severity: 'error',
    message: `the key in ${origin} is too short: expected at least ${SHORTEST_KEY} characters, as openssl rand -hex 32 prints them`,
    hint: 'take a longer one, where plans are made and where they are applied',
  };
}
