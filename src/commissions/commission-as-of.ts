import { z } from 'zod';
import { toEventResponse } from '../earnings/commission-event.js';
import { sumByCurrency } from '../earnings/earnings.js';
import { loadTrend } from '../earnings/trend.js';
import { type Caller } from '../kernel/caller.js';
import { type Period } from '../kernel/period.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { notYours } from '../people/reps/rep.js';
import { requireRepName } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { toCorrectionResponse } from '../statements/correction.js';
import { repDashboard } from './dashboards/rep-dashboard.js';
import { readTeamOverview, type SelectedReps, teamOverview } from './dashboards/team-overview.js';
import { computeTotals, dealBreakdown, dealNotFound, decodeEventTrace, visibleEvents } from './deal-breakdown.js';

/** Deals, quotas, open pipeline, discrepancies and sums at exchange rates have no history, so these responses do not contain them. */
const asOf = z.string().describe('The instant whose state the response shows, in ISO 8601');

export const teamAsOf = z
  .object({
    asOf,
    ...teamOverview.omit({ reps: true, openDiscrepancies: true, bookings: true, converted: true }).shape,
    reps: z
      .array(
        teamOverview.shape.reps.element.omit({ attainment: true, bookings: true, converted: true }).describe('One rep'),
      )
      .describe('The reps, by name'),
  })
  .describe('What the team had earned in a period at an earlier instant');

export const repAsOf = z
  .object({
    asOf,
    ...repDashboard.omit({
      attainment: true,
      closedDealCount: true,
      closedDeals: true,
      openPipeline: true,
      converted: true,
    }).shape,
  })
  .describe('What one rep had earned in a period at an earlier instant');

export const dealAsOf = z
  .object({
    asOf,
    dealId: z.string().describe('Id of the deal in the CRM'),
    ...dealBreakdown.omit({ deal: true, outcomes: true, openDifferences: true, credits: true }).shape,
  })
  .describe('The commission events of one deal at an earlier instant');

/** The instant of the transaction; the functions below run in a transaction that has one. */
export function requireInstant({ asOf: instant }: Pick<Transaction, 'asOf'>): Date {
  if (instant === null) throw new Error('the transaction reads the current state');
  return instant;
}

export async function readTeamAsOf(
  tx: Transaction,
  period: Period,
  terms: Parameters<typeof readTeamOverview>[2],
  selection: SelectedReps,
): Promise<z.input<typeof teamAsOf>> {
  const { reps, openDiscrepancies: _, ...totals } = await readTeamOverview(tx, period, terms, selection);
  return { asOf: requireInstant(tx).toISOString(), ...totals, reps: reps.map(({ attainment: __, ...rep }) => rep) };
}

export async function readRepAsOf(
  tx: Transaction,
  repId: string,
  period: Period,
  currency: string,
): Promise<z.input<typeof repAsOf>> {
  const name = await requireRepName(tx, repId);
  const { rows, trend } = await loadTrend(tx, repId, { period, calendar: await loadCalendar(tx), currency });
  return {
    asOf: requireInstant(tx).toISOString(),
    repId,
    name,
    period,
    currency,
    ...sumByCurrency(rows, currency),
    trend: [...trend],
  };
}

export async function readDealAsOf(
  tx: Transaction,
  caller: Caller,
  dealId: string,
  workspace: WorkspaceTerms,
): Promise<z.input<typeof dealAsOf>> {
  const { head, repIds, rows, corrections } = await visibleEvents(tx, caller, dealId);
  const isEmpty = rows.length === 0 && corrections.length === 0;
  if (isEmpty && repIds !== null) throw notYours();
  if (isEmpty && head === null) throw dealNotFound();
  return {
    asOf: requireInstant(tx).toISOString(),
    dealId,
    currency: workspace.currency,
    events: rows.map((row) => toEventResponse(row, decodeEventTrace(row, workspace.timeZone))),
    corrections: corrections.map(toCorrectionResponse),
    ...computeTotals(rows, corrections, workspace.currency),
  };
}
