import { groupBy } from '../kernel/group-by.js';
import { recordAuditEntry } from '../ledger/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type RecordedReport } from './record-reported-deals.js';

/** Writes an audit entry with the reason for every deal that pays no rep. */
export async function auditSkippedDeals(
  trx: Work,
  workspaceId: string,
  { trigger, provider }: { readonly trigger: string; readonly provider: string },
  { skipped }: RecordedReport,
): Promise<void> {
  const orchestrator = { workspaceId, actor: 'orchestrator' };
  await Promise.all(
    [...groupBy(skipped, (one) => one.dealId)].map(([dealId, reasons]) => {
      const details = { provider, reasons: reasons.map((one) => one.reason) };
      return recordAuditEntry(trx, orchestrator, { trigger, scope: 'deal', dealId, outcome: 'skipped', details });
    }),
  );
}
