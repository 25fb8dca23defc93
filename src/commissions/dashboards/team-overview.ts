import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import {
  attainment,
  attainmentExample,
  attainmentWithNextTier,
  type QuotaRow,
  toAttainment,
} from '../../earnings/attainment.js';
import { listQuotas, listTeam, sumEarnings } from '../../earnings/commission-views.js';
import { convertedTotal, ratesOfTotals, withConvertedTotal } from '../../earnings/converted-total.js';
import { earnings, earningsExample, otherEarnings, sumByCurrency } from '../../earnings/earnings.js';
import { withRunningCredits } from '../../earnings/running-quotas.js';
import { countEarners, listTeamPage, sumTeamEarnings, type TeamPage } from '../../earnings/team-page.js';
import { loadTiersOfQuotas } from '../../earnings/tiers-of-quotas.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { EventLoopSlice, filterInSlices, inParallel, mapInSlices } from '../../kernel/waiting.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { calendarOf, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { openDiscrepancies, sumOpenDiscrepancies } from '../../statements/discrepancies/open-discrepancies.js';
import { bookings, loadBookings } from './bookings.js';

export const teamOverview = z
  .object({
    period: fields.period,
    currency: fields.currency,
    totals: earnings,
    otherCurrencies: otherEarnings,
    converted: convertedTotal.optional(),
    openDiscrepancies,
    bookings: bookings.optional(),
    reps: z
      .array(
        z
          .object({
            repId: fields.repId,
            name: z.string().describe('Name of the rep'),
            earnings,
            otherCurrencies: otherEarnings,
            converted: convertedTotal.optional(),
            attainment: z.array(attainment).describe('Attainment of every quota of the rep'),
            dealCount: z.int().describe('Number of deals that paid'),
            bookings: bookings.optional(),
            statementStatus: z
              .enum(['none', 'draft', 'approved'])
              .describe('Status of the statement of the period; none if no statement was generated'),
          })
          .describe('One rep'),
      )
      .describe('The reps, by name'),
    count: z.int().optional().describe('Number of reps on all pages; with limit or status only'),
    earners: z.int().optional().describe('Number of reps who earned an amount other than 0; with limit or status only'),
  })
  .describe('What the team earned in a period');
type TeamOverview = z.input<typeof teamOverview>;

export interface SelectedReps {
  /** Null for everyone. */
  readonly repIds: readonly string[] | null;
  /** Whether people without a plan, a quota or an amount are included. */
  readonly everyone: boolean;
  /** Only one page of the reps, with the sums of all of them. */
  readonly page?: TeamPage | undefined;
}

/**
 * Earnings of the team in the period: active people with a plan or a quota in it, and every person with an amount or an
 * approved statement of it; `everyone` adds the other active people. A page has the sums of everyone.
 */
export async function readTeamOverview(
  tx: Transaction,
  period: Period,
  { workspace, today }: { readonly workspace: WorkspaceTerms; readonly today: Day },
  { repIds, everyone, page }: SelectedReps,
): Promise<TeamOverview> {
  const days = await loadRange(tx, period);
  const listed = page === undefined ? null : await listTeamPage(tx, period, { repIds, everyone }, page);
  const { currency } = workspace;
  const sold = tx.asOf === null ? await loadBookings(tx, days, repIds) : null;
  const listedReps = listed === null ? { repIds, everyone } : { repIds: listed.repIds, everyone: true };
  const rates = tx.asOf === null ? ratesOfTotals(workspace, days, today) : null;
  const reps = await readReps(tx, period, { workspace, today, days, rates, sold }, listedReps);
  const earned = sumByCurrency(await sumTeamEarnings(tx, days, repIds), currency);
  const { earnings: totals, ...others } = withConvertedTotal(earned, rates);
  return {
    period,
    currency,
    totals,
    ...others,
    openDiscrepancies: await sumOpenDiscrepancies(tx, repIds, currency),
    ...(sold === null ? {} : { bookings: sold.total }),
    reps,
    ...(listed === null ? {} : { count: listed.count, earners: await countEarners(tx, days, repIds) }),
  };
}

interface OverviewTerms {
  readonly workspace: WorkspaceTerms;
  readonly today: Day;
  readonly days: DayRange;
  readonly rates: ReturnType<typeof ratesOfTotals> | null;
  readonly sold: Awaited<ReturnType<typeof loadBookings>>;
}

/** The rows of the reps. */
async function readReps(
  tx: Transaction,
  period: Period,
  { workspace, today, days, rates, sold }: OverviewTerms,
  { repIds, everyone }: Omit<SelectedReps, 'page'>,
): Promise<TeamOverview['reps']> {
  const { currency } = workspace;
  const [team, earned, quotas] = await inParallel(
    () => listTeam(tx, period, repIds),
    () => sumEarnings(tx, days, repIds),
    () => listQuotas(tx, period, repIds),
  );
  const slice = new EventLoopSlice();
  const earnedBy = groupBy(earned, (row) => row.repId);
  await slice.pause();
  const counted = await withRunningCredits(tx, quotas, today);
  const quotasByRep = groupBy(counted, (quota) => quota.repId);
  const toResponse = await attainmentIn(tx, counted, workspace, today);
  const listed = await filterInSlices(
    team,
    (rep) =>
      earnedBy.has(rep.repId) || rep.statementStatus === 'approved' || (rep.active && (everyone || rep.hasTerms)),
  );
  return mapInSlices(listed, (rep) => ({
    repId: rep.repId,
    name: rep.name,
    ...withConvertedTotal(sumByCurrency(earnedBy.get(rep.repId) ?? [], currency), rates),
    attainment: (quotasByRep.get(rep.repId) ?? []).map(toResponse),
    dealCount: (earnedBy.get(rep.repId) ?? []).reduce((count, row) => count + row.deals, 0),
    ...(sold === null ? {} : { bookings: sold.byRep.get(rep.repId) ?? [] }),
    statementStatus: rep.statementStatus,
  }));
}

/** A state of an earlier instant has no next tiers: the credit is that of now. */
async function attainmentIn(tx: Transaction, quotas: readonly QuotaRow[], workspace: WorkspaceTerms, today: Day) {
  if (tx.asOf !== null) return toAttainment;
  const planOf = await loadTiersOfQuotas(tx, quotas, workspace);
  const calendar = calendarOf({ workspace });
  return (quota: QuotaRow) => attainmentWithNextTier(quota, [planOf(quota)], calendar, today);
}

export const teamOverviewExample = {
  period: '2026-02',
  currency: 'USD',
  totals: earningsExample,
  otherCurrencies: [],
  openDiscrepancies: { count: 1, total: 620, otherCurrencies: [] },
  reps: [
    {
      repId: sampleIds.repId,
      name: 'Ben',
      earnings: earningsExample,
      otherCurrencies: [],
      attainment: [{ planId: sampleIds.planId, ...attainmentExample }],
      dealCount: 1,
      statementStatus: 'none',
    },
  ],
};
