import { type Kysely, type Migration } from 'kysely';
import * as foundation from './2026_11_21_01_foundation.js';
import * as ledger from './2026_11_21_02_ledger.js';

/** Every migration, oldest first. Forward only: a released one is never edited, the next one mends it. */
export const migrations: Readonly<Record<string, Migration>> = {
  '2026_11_21_01_foundation': { up: foundation.up as (db: Kysely<unknown>) => Promise<void> },
  '2026_11_21_02_ledger': { up: ledger.up as (db: Kysely<unknown>) => Promise<void> },
};
