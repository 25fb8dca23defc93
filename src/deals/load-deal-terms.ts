import { type StandardField } from '../engine/field-value.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealTerms } from './deal.js';

/** The settings with which the workspace reads its deals, read once per revision of the configuration where that stays. */
export async function loadDealTerms(tx: Transaction): Promise<DealTerms> {
  const revision = await tx.revision;
  if (revision === undefined) return readTerms(tx);
  const cache = tx.cacheOf<DealTerms>();
  const key = `deal-terms ${tx.workspaceId}`;
  const cached = cache.get(revision, key);
  if (cached !== null) return cached;
  const terms = await readTerms(tx);
  cache.set(revision, key, terms, JSON.stringify(terms).length);
  return terms;
}

async function readTerms(tx: Transaction): Promise<DealTerms> {
  const row = await tx.db
    .selectFrom('workspaces')
    .select(['timezone', 'field_mapping'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return { timeZone: row.timezone, standard: row.field_mapping.standard as Partial<Record<StandardField, string>> };
}
