import { type RawBuilder, sql } from 'kysely';
import { type z } from 'zod';
import { within } from '../earnings/commission-views.js';
import { isCovered, sumTeamEarnings } from '../earnings/team-page.js';
import { type Period } from '../kernel/period.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadRange } from '../ledger/input/calendar.js';
import { isPayPeriod } from '../pay/payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { waitsFor } from './approvals/approval-response.js';
import { listSubjects, loadChains, readChain } from './approvals/approval-state.js';
import { type CurrencySummary } from './snapshot.js';
import { statementStatuses, toSummaryResponse } from './statement.js';
import {
  liveSummary,
  readUnstated,
  splitByCurrency,
  summaryEntry,
  type TeamSelection,
  type teamStatements,
} from './team-statements.js';

/** The sums of all statements of the team, without reading each of them. */
export async function sumTeamStatements(
  tx: Transaction,
  period: Period,
  currency: string,
  selection: TeamSelection,
): Promise<Pick<z.input<typeof teamStatements>, 'totals' | 'otherCurrencies' | 'sums'>> {
  const summaries = await readSummaries(tx, period, currency, selection);
  const { main, others } = splitByCurrency(summaries, currency);
  return {
    totals: toSummaryResponse(main.summary),
    otherCurrencies: others.map(summaryEntry),
    sums: statementStatuses.flatMap((status) => {
      const ofStatus = splitByCurrency(
        summaries.filter((each) => each.status === status),
        currency,
      );
      return [ofStatus.main, ...ofStatus.others].map((sum) => ({ status, ...summaryEntry(sum) }));
    }),
  };
}

/** The sum of one currency, of statements with the status. */
interface StatusSummary extends CurrencySummary {
  readonly status: (typeof statementStatuses)[number];
}

/**
 * How many drafts the person can approve or sign now. Where one person approves, these are all open drafts; where
 * statements are signed in steps, those whose next step waits for the person.
 */
export async function countToApprove(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
  { personId, now }: { readonly personId: string | null; readonly now: Date },
): Promise<number> {
  const chains = await loadChains(tx, period, repIds, now);
  const drafts = await openDrafts(tx, period, repIds, personId);
  if (chains === null) {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count ${drafts}`.execute(tx.db);
    return rows[0]?.count ?? 0;
  }
  const { rows } = await sql<{ repId: string }>`select h.rep_id as "repId" ${drafts}`.execute(tx.db);
  const subjects = await listSubjects(tx, { period, repIds: rows.map(({ repId }) => repId) });
  return subjects.filter((subject) => waitsFor(chains, readChain(chains, subject), personId)).length;
}

/** The drafts of other people, except where another approved statement pays some of the same days. */
async function openDrafts(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
  ownRepId: string | null,
): Promise<RawBuilder<unknown>> {
  const days = await loadRange(tx, period);
  return sql`
    from ${statementPeriodsTable(tx)} h
    where h.workspace_id = ${tx.workspaceId} and h.period = ${period} and h.status = 'draft'
      and h.rep_id is distinct from ${ownRepId}::uuid ${within('h.rep_id', repIds)}
      and not ${isCovered(tx, sql`h.rep_id`, period, days)}`;
}

/** The sums by status and currency. In a pay period, what is payable to people without a version is calculated for each of them. */
async function readSummaries(
  tx: Transaction,
  period: Period,
  currency: string,
  selection: TeamSelection,
): Promise<StatusSummary[]> {
  const { repIds } = selection;
  const live = (await isPayPeriod(tx, period))
    ? (await readUnstated(tx, period, currency, selection)).flatMap(({ main, others }) => [main, ...others])
    : (await sumTeamEarnings(tx, await loadRange(tx, period), repIds, period)).map(liveSummary);
  const ofNone = live.map((summary) => ({ status: 'none' as const, ...summary }));
  return [...(await sumVersions(tx, period, repIds)), ...ofNone];
}

/** The sums of the current versions by status and currency. */
async function sumVersions(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<StatusSummary[]> {
  const { rows } = await sql<StatusSummary>`
    select h.status, stated.currency, jsonb_strip_nulls(jsonb_build_object(
      'totalCommission', sum((stated.summary ->> 'totalCommission')::numeric)::text,
      'totalBonuses', sum((stated.summary ->> 'totalBonuses')::numeric)::text,
      'totalAdjustments', sum((stated.summary ->> 'totalAdjustments')::numeric)::text,
      'netPayout', sum((stated.summary ->> 'netPayout')::numeric)::text,
      'payable', sum((stated.summary ->> 'payable')::numeric)::text)) as summary
    from ${statementPeriodsTable(tx)} h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    cross join lateral (
      select s.currency, s.summary
      union all select other ->> 'currency', other -> 'summary' from jsonb_array_elements(s.other_currencies) other
    ) stated
    where h.workspace_id = ${tx.workspaceId} and h.period = ${period} ${within('h.rep_id', repIds)}
    group by h.status, stated.currency`.execute(tx.db);
  return rows;
}
