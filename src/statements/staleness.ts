import { sql } from 'kysely';
import { chunk } from '../kernel/chunk.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { filterInSlices } from '../kernel/waiting.js';
import { loadRange } from '../ledger/input/calendar.js';
import { isPayPeriod } from '../pay/payables/payout-settings.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { findOwed } from './discrepancies/discrepancy-views.js';
import { readSnapshot, readSnapshots } from './read-snapshots.js';
import { hasRequests } from './rep-lane.js';
import { type CurrencySummary, contentHash, noAmounts, type Summary, summaryFrom } from './snapshot.js';
import { type StatementContent, type StatementHead, type StatementKey, type StatementState } from './statement.js';
import { type TeamStatementRow } from './statement-views.js';

/** Whether a stored draft equals the ledger, what an approved statement owes, and whether requests of the rep exist. */
export async function readState(
  tx: Transaction,
  key: StatementKey,
  head: StatementHead | null,
  content: StatementContent,
  currency: string,
): Promise<StatementState> {
  const pending = tx.asOf === null && (await hasRequests(tx, key));
  return { ...(await readStaleness(tx, key, head, content, currency)), ...(pending ? { pending } : {}) };
}

async function readStaleness(
  tx: Transaction,
  key: StatementKey,
  head: StatementHead | null,
  content: StatementContent,
  currency: string,
): Promise<StatementState> {
  if (head?.status === 'approved') {
    const owed = tx.asOf === null ? await findOwed(tx, key, content.currency) : null;
    return owed === null ? {} : { owed };
  }
  if (head?.status !== 'draft') return {};
  // The shortcut reads the current rows, and what is payable changes without them.
  if (tx.asOf === null && !(await isPayPeriod(tx, key.period)) && (await equalsLedger(tx, key, content, currency)))
    return {};
  const live = await readSnapshot(tx, key, currency);
  if ((await contentHash(live)) === content.contentHash) return {};
  return staleState(live.summary);
}

function staleState({ netPayout, payable }: Summary): StatementState {
  return {
    stale: true,
    liveNetPayout: Number(netPayout),
    ...(payable === undefined ? {} : { livePayable: Number(payable) }),
  };
}

/**
 * True proves that the draft equals the ledger, without reading lines: the totals are equal and no event changed after
 * the draft was generated.
 */
async function equalsLedger(
  tx: Transaction,
  { repId, period }: StatementKey,
  content: StatementContent,
  currency: string,
): Promise<boolean> {
  if (content.currency !== currency || content.generatedAt === null) return false;
  const { from, to } = await loadRange(tx, period);
  const { rows } = await sql<{ currency: string; changed: boolean } & Record<Category, string | null>>`
    select e.currency, bool_or(e.updated_at > ${content.generatedAt}::timestamptz - ${waitMargin}) as changed,
      ${sumOfCategory('commission')}, ${sumOfCategory('bonus')}, ${sumOfCategory('adjustment')}
    from commission_events e
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.earned_on between ${from}::date and ${to}::date
    group by e.currency`.execute(tx.db);
  if (rows.some(({ changed }) => changed)) return false;
  const live = new Map(rows.map((row) => [row.currency, toSummary(row)]));
  const stored = new Map(
    [...content.otherCurrencies, content].map((currencySummary) => [currencySummary.currency, currencySummary.summary]),
  );
  const currencies = [...new Set([...live.keys(), ...stored.keys()])];
  return currencies.every((code) => isSame(live.get(code) ?? noAmounts, stored.get(code) ?? noAmounts));
}

function toSummary(row: Record<Category, string | null>): Summary {
  const total = (category: Category) => Decimal.of(row[category] ?? '0');
  return summaryFrom(total('commission'), total('bonus'), total('adjustment'));
}

type Category = 'commission' | 'bonus' | 'adjustment';

function sumOfCategory(category: Category) {
  return sql`sum(e.amount) filter (where e.status = 'earned' and e.category = ${category}) as ${sql.ref(category)}`;
}

/** The totals of a rep's ledger, in the workspace's currency and in others. */
type LiveTotals = (repId: string) => { readonly main: CurrencySummary; readonly others: readonly CurrencySummary[] };

/** Their lines are in memory together: 2,000 reps with 126 lines each would take 430 MB, and three times as much with garbage. */
const comparedReps = 100;

/**
 * The drafts that no longer equal the ledger. Different totals prove it without reading lines. If the totals are
 * equal, the lines are compared, but only for reps whose events changed after the draft was generated; usually there
 * are none.
 */
export async function staleDrafts(
  tx: Transaction,
  scope: { readonly period: Period; readonly currency: string },
  team: readonly TeamStatementRow[],
  live: LiveTotals,
): Promise<ReadonlyMap<string, StatementState>> {
  const drafts = team.filter(({ status, contentHash: hash }) => status === 'draft' && hash !== null);
  if (await isPayPeriod(tx, scope.period)) return compareDrafts(tx, scope, drafts);
  const stale = await filterInSlices(drafts, (draft) => !hasTotals(draft, live(draft.repId)));
  const staleReps = new Set(stale.map(({ repId }) => repId));
  const repsToCompare = await repsWithLaterEvents(
    tx,
    scope,
    drafts.filter(({ repId }) => !staleReps.has(repId)),
  );
  const compared = await compareDrafts(
    tx,
    scope,
    drafts.filter(({ repId }) => repsToCompare.has(repId)),
  );
  const states = stale.map(({ repId }) => [repId, staleState(live(repId).main.summary)] as const);
  return new Map([...states, ...compared]);
}

/** The drafts whose content differs from the current one. */
async function compareDrafts(
  tx: Transaction,
  { period, currency }: { readonly period: Period; readonly currency: string },
  drafts: readonly TeamStatementRow[],
): Promise<ReadonlyMap<string, StatementState>> {
  const stale = new Map<string, StatementState>();
  for (const some of chunk(drafts, comparedReps)) {
    const snapshots = await readSnapshots(
      tx,
      period,
      some.map(({ repId }) => repId),
      currency,
    );
    for (const [repId, snapshot] of snapshots) {
      const draft = some.find((candidate) => candidate.repId === repId);
      if ((await contentHash(snapshot)) !== draft?.contentHash) stale.set(repId, staleState(snapshot.summary));
    }
  }
  return stale;
}

function hasTotals(draft: TeamStatementRow, { main, others }: ReturnType<LiveTotals>): boolean {
  const stored = [...(draft.otherCurrencies ?? [])];
  if (draft.currency !== main.currency || draft.summary === null || stored.length !== others.length) return false;
  return isSame(draft.summary, main.summary) && others.every((other, index) => isSameTotal(stored[index], other));
}

function isSameTotal(a: CurrencySummary | undefined, b: CurrencySummary): boolean {
  return a !== undefined && a.currency === b.currency && isSame(a.summary, b.summary);
}

function isSame(a: Summary, b: Summary): boolean {
  return amountFields.every((field) => Decimal.of(a[field]).equals(Decimal.of(b[field])));
}

const amountFields = ['totalCommission', 'totalBonuses', 'totalAdjustments', 'netPayout'] as const;

/**
 * `updated_at` is the start of the writing transaction, which may have waited for the transaction that generated the
 * draft.
 */
const waitMargin = sql`interval '5 minutes'`;

async function repsWithLaterEvents(
  tx: Transaction,
  { period }: { readonly period: Period },
  drafts: readonly TeamStatementRow[],
): Promise<ReadonlySet<string>> {
  if (drafts.length === 0) return new Set();
  if (tx.asOf !== null) return new Set(drafts.map(({ repId }) => repId));
  const { from, to } = await loadRange(tx, period);
  const { rows } = await sql<{ repId: string }>`
    select d.rep_id as "repId" from (select * from ${unnestRows(drafts, [
      ['rep_id', 'uuid', (draft) => draft.repId],
      ['generated_at', 'timestamptz', (draft) => (draft.generatedAt as Date).toISOString()],
    ])}) d
    where exists (select from commission_events e where e.workspace_id = ${tx.workspaceId} and e.rep_id = d.rep_id
      and e.earned_on between ${from}::date and ${to}::date
        and e.updated_at > d.generated_at - ${waitMargin})`.execute(tx.db);
  return new Set(rows.map(({ repId }) => repId));
}
