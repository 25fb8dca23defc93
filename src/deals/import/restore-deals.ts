import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AffectedReps, affectedReps, merge } from '../affected-reps.js';
import { affectedOfAll } from '../change-deal-facts.js';
import { readContent } from '../deal.js';
import { updateSourceTimes } from '../deal-store.js';
import { loadDealTerms } from '../load-deal-terms.js';
import { recordDeals } from '../record-deals.js';
import { removeDeals } from '../remove-deals.js';
import { type ImportPace } from './import-pace.js';
import { type ImportedVersion, listChangedSince, listImportedVersions } from './imported-deals.js';
import { listChangedLinesSince, loadLinesBefore } from './imported-lines.js';
import { changeLinesInParts } from './lines-in-parts.js';

const batchSize = 2000;

interface RestoredDeals {
  readonly restored: Set<string>;
  removed: number;
  readonly affected: AffectedReps;
}

/**
 * Restores what an import of deals, or of their lines, has replaced, unless it was changed since. The history of the deals
 * keeps what the import stored.
 */
export async function restoreDeals(
  tx: Transaction,
  caller: Caller,
  importId: string,
  { clock, pace }: { readonly clock: Clock; readonly pace: ImportPace },
): Promise<RestoredDeals> {
  const done: RestoredDeals = { restored: new Set(), removed: 0, affected: new Map() };
  // Read first: a restored deal is no deal of the import any more.
  const lines = await loadLinesBefore(tx, importId);
  for (let after = ''; ; ) {
    const found = await listImportedVersions(tx, importId, { limit: batchSize, after });
    const last = found.at(-1);
    if (last === undefined) break;
    await restore(tx, found, done);
    const created = found.flatMap(({ dealId, before }) => (before === null ? [dealId] : []));
    const removed = await removeDeals(tx, created, clock);
    done.removed += removed.accepted;
    merge(done.affected, removed.affected);
    after = last.dealId;
  }
  const changed = await changeLinesInParts(tx, caller, lines, pace);
  for (const dealId of changed.changed) done.restored.add(dealId);
  merge(done.affected, affectedOfAll(changed));
  return done;
}

async function restore(tx: Transaction, found: readonly ImportedVersion[], done: RestoredDeals): Promise<void> {
  const terms = await loadDealTerms(tx);
  const deals = found.flatMap(({ dealId, before }) =>
    before === null
      ? []
      : [
          {
            dealId,
            ...readContent(before, terms),
            sourceUpdatedAt: null,
            provider: before.provider,
            corrections: { restored: before.corrections },
          },
        ],
  );
  const { outcomes, changes } = await recordDeals(tx, deals);
  // Data of a time between that of the replaced deal and that of the import is not stale any more.
  await updateSourceTimes(
    tx,
    found.flatMap(({ dealId, before }) =>
      before === null
        ? []
        : [{ dealId, at: before.sourceUpdatedAt === null ? null : new Date(before.sourceUpdatedAt) }],
    ),
  );
  for (const [index, { dealId }] of deals.entries())
    if (outcomes[index] === 'changed' || outcomes[index] === 'created') done.restored.add(dealId);
  merge(done.affected, await affectedReps(tx, changes));
}

/** The first deals of the import that keep values or lines, because these were changed since. */
export async function listDealsChangedSince(tx: Transaction, importId: string, limit: number): Promise<string[]> {
  const deals = await listChangedSince(tx, importId, limit);
  const lines = await listChangedLinesSince(tx, importId, limit);
  return [...new Set([...deals, ...lines])].sort().slice(0, limit);
}
