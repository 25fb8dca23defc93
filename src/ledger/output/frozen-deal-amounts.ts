import { sql } from 'kysely';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadRange } from '../input/calendar.js';

interface PeriodKey {
  readonly repId: string;
  readonly period: Period;
}

/**
 * Records the amounts of the deals from which the counted rows of an approved period were calculated: a refund takes back
 * its share of that amount, whatever the deal becomes.
 */
export async function freezeDealAmounts(tx: Transaction, { repId, period }: PeriodKey): Promise<void> {
  await thawDealAmounts(tx, { repId, period });
  const { from, to } = await loadRange(tx, period);
  await sql`
    insert into frozen_deal_amounts (workspace_id, rep_id, period, deal_key, amount)
    select d.workspace_id, ${repId}::uuid, ${period}, d.deal_id, d.amount
    from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deal_id in (
      select e.deal_key from commission_events e
      where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.kind = 'commission_earned'
        and e.status = 'earned' and e.phase <> 'periodic' and e.earned_on between ${from}::date and ${to}::date
      union select t.deal_key from trued_up_rows t
      where t.workspace_id = ${tx.workspaceId} and t.rep_id = ${repId} and t.frozen_period = ${period})`.execute(tx.db);
}

/** The rows of the period are calculated from the present amounts again. */
export async function thawDealAmounts(tx: Transaction, { repId, period }: PeriodKey): Promise<void> {
  await tx.db
    .deleteFrom('frozen_deal_amounts')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .execute();
}
