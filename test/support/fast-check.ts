import fc from 'fast-check';
import { isSoak } from './soak.ts';

const SEED = process.env['GWCONF_SEED'];

// Without a word about it a law is tried some times, and more often in a soak.
if (!isSoak()) fc.configureGlobal({ numRuns: 40 });

// A test that fails by luck tells nothing about the change that it blocks: laws try the same cases in each run, and other
// ones in `npm run soak` or with GWCONF_SEED. What these find becomes an example of its law.
if (SEED !== undefined || !isSoak())
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(SEED ?? 1) });

export default fc;
