import { type RawBuilder, sql } from 'kysely';
import { type FieldMappingJson } from '../../access/workspaces/workspace-tables.js';
import { asDay, asNumber, type Fields } from '../../engine/field-value.js';
import { type DayRange } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { changeRefunds, putting, removing } from './change-refunds.js';
import { amountProblem, type RefundTerms, type StoredRefund } from './refund.js';
import { listRefunds } from './refund-views.js';

/** The id of the refund that the mapped fields of a deal state. */
const crmRefundId = 'crm';

/** Days of a person on which a changed refund counts. */
interface RefundedDays {
  readonly dealId: string;
  readonly repId: string;
  readonly days: DayRange;
}

interface CrmRefunds {
  readonly affected: readonly RefundedDays[];
  /** Why the refund of a deal was left out. */
  readonly skipped: readonly { readonly dealId: string; readonly reason: string }[];
}

const none: CrmRefunds = { affected: [], skipped: [] };

/** Makes the refunds of the deals what their mapped fields state, after a CRM has reported the deals. */
export async function followReportedDeals(tx: Transaction, dealIds: readonly string[]): Promise<CrmRefunds> {
  if (dealIds.length === 0) return none;
  const terms = await loadTerms(tx);
  if (terms.mapping === null) return none;
  return follow(tx, terms, sql`d.deal_id = any(${dealIds}::text[])`);
}

/** The same for every deal of a CRM, after a change of the mapping; without a mapping no such refund stays. */
export async function followRefundMapping(tx: Transaction): Promise<CrmRefunds> {
  const terms = await loadTerms(tx);
  const slug = terms.mapping?.cancelledOn ?? null;
  return follow(
    tx,
    terms,
    sql`(d.fields ? ${slug}::text or exists (
      select from deal_refunds r
      where r.workspace_id = d.workspace_id and r.deal_id = d.deal_id and r.refund_id = ${crmRefundId}))`,
  );
}

interface MappedTerms {
  /** Null if deals state no refunds. */
  readonly mapping: NonNullable<FieldMappingJson['refunds']> | null;
  readonly timeZone: string;
}

async function loadTerms(tx: Transaction): Promise<MappedTerms> {
  const { field_mapping: mapping, timezone } = await tx.db
    .selectFrom('workspaces')
    .select(['field_mapping', 'timezone'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return { mapping: mapping.refunds ?? null, timeZone: timezone };
}

async function follow(tx: Transaction, terms: MappedTerms, which: RawBuilder<unknown>): Promise<CrmRefunds> {
  const deals = await loadDeals(tx, which);
  const stored = await listRefunds(
    tx,
    deals.map(({ dealId }) => dealId),
  );
  const present = new Map(
    stored.filter(({ refundId }) => refundId === crmRefundId).map((refund) => [refund.dealId, refund]),
  );
  const affected: RefundedDays[] = [];
  const skipped: { dealId: string; reason: string }[] = [];
  for (const deal of deals) {
    const { dealId } = deal;
    const stated = readStated(deal, terms);
    const problem = stated === null ? null : amountProblem(deal.amount, stated.amount);
    if (problem !== null) skipped.push({ dealId, reason: `its refund was left out: ${problem}` });
    const changed = await replace(tx, dealId, problem === null ? stated : null, present.get(dealId) ?? null);
    for (const [repId, days] of changed) affected.push({ dealId, repId, days });
  }
  return { affected, skipped };
}

/** Stores what the deal states. Returns the people to calculate: none if it is stored already. */
async function replace(
  tx: Transaction,
  dealId: string,
  stated: RefundTerms | null,
  present: StoredRefund | null,
): Promise<ReadonlyMap<string, DayRange>> {
  const key = { dealId, refundId: crmRefundId };
  if (stated === null) return present === null ? new Map() : (await changeRefunds(tx, removing(key), [])).affected;
  if (present !== null && isSame(stated, present)) return new Map();
  return (await changeRefunds(tx, putting(key, stated), [])).affected;
}

function isSame({ day, cause, amount }: RefundTerms, present: StoredRefund): boolean {
  return day === present.day && cause === present.cause && amount === present.amount;
}

interface ReportedDeal {
  readonly dealId: string;
  readonly fields: Fields;
  readonly amount: Decimal | null;
}

async function loadDeals(tx: Transaction, which: RawBuilder<unknown>): Promise<ReportedDeal[]> {
  const { rows } = await sql<{ dealId: string; fields: Fields; amount: string | null }>`
    select d.deal_id as "dealId", d.fields, d.amount::text as amount from deals d
    where d.workspace_id = ${tx.workspaceId} and d.provider is not null and d.deleted_at is null and ${which}
    order by d.deal_id`.execute(tx.db);
  return rows.map((row) => ({ ...row, amount: row.amount === null ? null : Decimal.of(row.amount) }));
}

const storedPlaces = 4;

/** The refund that the fields state: none without a day, and none of the amount 0. */
function readStated({ fields }: ReportedDeal, { mapping, timeZone }: MappedTerms): RefundTerms | null {
  if (mapping === null) return null;
  const { cancelledOn, refundAmount } = mapping;
  const day = asDay(fields[cancelledOn], timeZone);
  if (day === null) return null;
  const stated = refundAmount === undefined ? null : asNumber(fields[refundAmount]);
  const amount = stated === null ? null : stated.rounded(storedPlaces);
  if (amount !== null && amount.sign() <= 0) return null;
  return { day, cause: 'cancellation', amount: amount?.toNumber() ?? null, reason: 'From the CRM' };
}
