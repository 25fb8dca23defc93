import { type RawBuilder, sql } from 'kysely';
import { mapInSlices } from '../../kernel/waiting.js';
import { findRepNames } from '../../people/reps/rep-views.js';
import { anyOf } from '../../platform/database/columns.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RefundKey, type StoredRefund } from './refund.js';

/** The refunds of the deals, in the order in which they count; at the transaction's `asOf` if it has one. */
export async function listRefunds(tx: Transaction, dealIds: readonly string[]): Promise<StoredRefund[]> {
  if (dealIds.length === 0) return [];
  return selectRefunds(tx, sql`deal_id = ${anyOf('text', dealIds)}`);
}

export async function findRefund(tx: Transaction, { dealId, refundId }: RefundKey): Promise<StoredRefund | null> {
  const [found] = await selectRefunds(tx, sql`deal_id = ${dealId} and refund_id = ${refundId}`);
  return found ?? null;
}

/** Whether the deal has paid, and only by rules without a clawback policy, so that its refunds take nothing back. */
export function paidWithoutPolicy(deal: RawBuilder<unknown>): RawBuilder<boolean> {
  // A rule of a manager takes back what is taken back below.
  const hasPaid = (condition: RawBuilder<unknown>) => sql`exists (
    select from commission_events e
    join plan_rules r on r.workspace_id = e.workspace_id and r.rule_id = e.rule_id
      and r.plan_version_id = e.plan_version_id
    where e.workspace_id = ${deal}.workspace_id and e.deal_key = ${deal}.deal_id and e.kind = 'commission_earned'
      and e.status = 'earned' and e.phase = 'per_deal' and e.amount <> 0 and ${condition})`;
  const hasPolicy = sql`jsonb_typeof(r.definition -> 'clawback') = 'object'`;
  return sql<boolean>`(${hasPaid(sql`true`)} and not ${hasPaid(hasPolicy)})`;
}

interface RefundRow extends Omit<StoredRefund, 'lines' | 'updatedAt' | 'waivers'> {
  readonly lines: readonly { readonly lineId: string; readonly amount: string | null }[] | null;
  readonly updatedAt: Date;
  readonly waivers: readonly { readonly repId: string | null; readonly percent: string; readonly reason: string }[];
}

async function selectRefunds(tx: Transaction, condition: RawBuilder<unknown>): Promise<StoredRefund[]> {
  const source = tx.asOf === null ? presentRefunds(tx, condition) : earlierRefunds(tx, condition);
  const { rows } = await sql<RefundRow>`
    select * from (${source}) r order by "dealId", day, "refundId" collate "C"`.execute(tx.db);
  const waived = rows.flatMap(({ waivers }) => waivers.flatMap(({ repId }) => repId ?? []));
  const names = await findRepNames(tx, waived);
  return mapInSlices(rows, ({ waivers, updatedAt, lines, ...row }) => ({
    ...row,
    ...(lines === null ? {} : { lines: lines.map(toRefundedLine) }),
    waivers: waivers.map((waiver) => ({
      ...waiver,
      repName: names.get(waiver.repId ?? '') ?? null,
      percent: Number(waiver.percent),
    })),
    updatedAt: updatedAt.toISOString(),
  }));
}

function toRefundedLine({ lineId, amount }: NonNullable<RefundRow['lines']>[number]) {
  return { lineId, amount: amount === null ? null : Number(amount) };
}

function presentRefunds(tx: Transaction, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select deal_id as "dealId", refund_id as "refundId", day, cause, amount::float8 as amount, reason, waivers, lines,
      updated_at as "updatedAt"
    from deal_refunds where workspace_id = ${tx.workspaceId} and ${condition}`;
}

function earlierRefunds(tx: Transaction, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select deal_id as "dealId", refund_id as "refundId", c.*, changed_at as "updatedAt"
    from ${latestRows(tx, 'deal_refund_history', ['deal_id', 'refund_id'], [condition])}
    cross join lateral jsonb_to_record(content) c (day date, cause text, amount float8, reason text, waivers jsonb,
      lines jsonb)
    where content is not null`;
}
