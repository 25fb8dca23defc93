import { sql } from 'kysely';
import { type Clock } from '../kernel/clock.js';
import { eventsTable } from '../ledger/input/as-of.js';
import { nameEntries } from '../pay/payables/name-entries.js';
import { loadEntries } from '../pay/payables/payable-views.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { loadStatementPayouts, type StatementPayouts } from '../pay/payables/statement-payouts.js';
import { dayOfState } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import {
  buildPayslip,
  describePay,
  earnedKeys,
  hasNothing,
  keyOf,
  type PayHeadline,
  type PayslipPart,
} from './payslip.js';
import { toHeadlineResponse, toPartResponse } from './payslip-response.js';
import { listSummaries } from './snapshot.js';
import { type StatementContent, type StatementHead, type StatementKey, type StatementState } from './statement.js';

/** What a statement pays, with the batches that contain it. */
export interface LoadedPayslip {
  readonly headline: PayHeadline;
  readonly parts: readonly PayslipPart[];
  readonly payouts: StatementPayouts;
}

/** Null in workspaces without payouts, and outside of pay periods. */
export async function loadPayslip(
  tx: Transaction,
  key: StatementKey,
  head: StatementHead | null,
  content: StatementContent,
): Promise<LoadedPayslip | null> {
  const { payable, lines } = content;
  if (payable === undefined) return null;
  const payouts = (await loadStatementPayouts(tx, key.period, [key.repId])).get(key.repId) ?? [];
  const summaries = listSummaries(content);
  const headline = describePay({
    totals: payable.totals,
    pay: payable.pay ?? null,
    summaries,
    isApproved: head?.status === 'approved',
    payouts,
    otherwise: await currencyOf(tx, key.repId, content),
  });
  return { headline, parts: buildPayslip({ payable, summaries, lines }, headline.currency), payouts };
}

/** What the statement pays, and the batches that contain it; nothing in workspaces without payouts. */
export async function readPayslip(
  tx: Transaction,
  key: StatementKey,
  head: StatementHead | null,
  content: StatementContent,
  clock: Clock,
): Promise<Pick<StatementState, 'payslip' | 'payouts'>> {
  const loaded = await loadPayslip(tx, key, head, content);
  if (loaded === null) return {};
  const { headline, parts, payouts } = loaded;
  return {
    payouts,
    payslip: {
      ...toHeadlineResponse(headline),
      parts: parts.map(toPartResponse),
      notPaid: await listNotPaid(tx, key.repId, content, clock),
    },
  };
}

async function currencyOf(tx: Transaction, repId: string, { currency, summary, otherCurrencies }: StatementContent) {
  if (!hasNothing(summary) || otherCurrencies.length > 0) return currency;
  return (await loadOnlyCurrencies(tx, [repId])).get(repId) ?? currency;
}

/** The currencies of people who earn in only one. */
export async function loadOnlyCurrencies(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (repIds.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; currency: string }>`
    select rep_id as "repId", min(currency) as currency from ${eventsTable(tx)} e
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]) and status = 'earned'
    group by rep_id having min(currency) = max(currency)`.execute(tx.db);
  return new Map(rows.map(({ repId, currency }) => [repId, currency]));
}

/** What of the earned amounts waits or is held today, or on the day of the instant whose state is read. */
async function listNotPaid(tx: Transaction, repId: string, { lines }: StatementContent, clock: Clock) {
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null || lines.length === 0) return [];
  const today = await dayOfState(tx, clock);
  const earned = earnedKeys(lines);
  const entries = (await loadEntries(tx, payPeriods, [repId], today)).get(repId)?.entries ?? [];
  const open = entries.filter(
    (entry) => (entry.status === 'waiting' || entry.status === 'held') && earned.has(keyOf(entry)),
  );
  return nameEntries(tx, open);
}
