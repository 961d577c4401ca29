import type { LoadOperations } from '../emulator/memory.ts';

/**
 * The only way into this folder, which holds all that gwconf knows of the removed v1 API. What is behind it is loaded when it is
 * called, and types are all that this file imports.
 */

export type { Migrated, ToldMigration } from './migrate/migrate.ts';

/** The v1 API as another view of the state of an embedded gateway. */
export const loadV1Operations: LoadOperations = async () =>
  (await import('./face/face-routes.ts')).makeV1Routes;

/** Files from calls that scripts make, or from a gateway with v1. */
export async function loadMigration() {
  const [{ migrateFiles }, { migrateLive }] = await Promise.all([
    import('./migrate/migrate.ts'),
    import('./migrate/migrate-live.ts'),
  ]);
  return { migrateFiles, migrateLive };
}

/** The uses of v1 in files. */
export async function loadScan() {
  const { scanFiles } = await import('./scan/scan.ts');
  return { scanFiles };
}
