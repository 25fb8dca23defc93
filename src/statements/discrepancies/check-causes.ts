import { sql } from 'kysely';
import { type Day, type DayRange, overlap } from '../../kernel/day.js';
import { loadTeam } from '../../ledger/input/hierarchy.js';
import { computeWindow } from '../../ledger/input/load-window.js';
import { hasCascades, type RepTerms } from '../../ledger/input/rep-terms.js';
import { type PendingRequest } from '../../ledger/lanes/lanes.js';
import { affectedDays, type CheckCause, distinctCauses } from '../../ledger/requests/period-checks.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Cause } from './discrepancy-tables.js';

/** A change that is stored but not calculated yet, with the days on which it may change amounts. */
interface PendingChange {
  readonly days: DayRange;
  readonly request: PendingRequest;
}

/**
 * The changes that a dry run of the rep reads although they are not calculated yet. Their own check comes later and finds
 * the same delta, so this check must name them.
 */
export async function loadPendingChanges(tx: Transaction, terms: RepTerms): Promise<PendingChange[]> {
  const { repId } = terms;
  const team = hasCascades(terms) ? await loadTeam(tx, repId) : [];
  const { rows } = await sql<PendingRequest>`
    select request_id, rep_id, from_day, to_day, trigger, deal_id, job_id from calculation_requests
    where workspace_id = ${tx.workspaceId} and rep_id = any(${[repId, ...team.map((member) => member.repId)]}::uuid[])
    order by request_id`.execute(tx.db);
  return rows.map((request) => {
    const days = { from: request.from_day, to: request.to_day };
    return {
      days: affectedDays(terms, days, computeWindow(terms, days)),
      request: request.rep_id === repId ? request : { ...request, trigger: 'cascade', deal_id: null },
    };
  });
}

/** The causes of the pending changes that affect the days. */
export function pendingCauses(changes: readonly PendingChange[], days: DayRange, at: Date): Cause[] {
  const requests = changes.filter((change) => overlap(change.days, days)).map(({ request }) => request);
  return distinctCauses(requests).map((cause) => toCause(cause, at));
}

/**
 * A true-up pays all that its period owes, and an approval only reveals a difference: each is a cause only if nothing else
 * has changed.
 */
export function withoutConsequences(causes: readonly Cause[]): readonly Cause[] {
  return ['true_up', 'statement_approved'].reduce((left, consequence) => {
    const others = left.filter(({ kind }) => kind !== consequence);
    return others.length === 0 ? left : others;
  }, causes);
}

/** The causes of an undecided difference of an approved period that ended on the day. */
interface EarlierCauses {
  readonly period: string;
  readonly to: Day;
  readonly causes: readonly Cause[];
}

export async function loadEarlierCauses(tx: Transaction, repId: string): Promise<readonly EarlierCauses[]> {
  const { rows } = await sql<EarlierCauses>`
    select d.period, h.to_day as "to", d.causes from discrepancies d
    join statement_periods h on h.workspace_id = d.workspace_id and h.rep_id = d.rep_id and h.period = d.period
    where d.workspace_id = ${tx.workspaceId} and d.rep_id = ${repId} and d.status = 'open'
    order by h.to_day desc`.execute(tx.db);
  return rows;
}

/**
 * An approval only reveals a difference: undecided differences of earlier periods, which a new calculation counts and an
 * approved statement does not, cause it.
 */
export function nameFacts(causes: readonly Cause[], earlier: readonly EarlierCauses[]): readonly Cause[] {
  const facts = earlier.flatMap(({ period, causes: ofPeriod }) =>
    ofPeriod.map((cause) => ({ ...cause, what: `${cause.what}, of ${period}, which is not decided` })),
  );
  if (facts.length === 0) return causes;
  return causes.flatMap((cause) => (cause.kind === 'statement_approved' ? facts : [cause]));
}

const descriptions: Readonly<Record<string, string>> = {
  deal_deletion: 'Deleted deals',
  credits: 'Credit lines of deals',
  import: 'Imported deals',
  sync: 'Deals of a sync',
  plan_change: 'A version or the status of a plan',
  assignment_change: 'Assignments of plans',
  quota_change: 'Quotas',
  hierarchy_change: 'Reporting lines',
  rep_change: 'The person',
  person: 'A dated field of the person',
  absence: 'An absence',
  calendar: 'The fiscal calendar',
  ramp: 'A ramp',
  fx_rate: 'An exchange rate',
  rate_table: 'A rate table',
  mapping_change: 'The field mapping',
  workspace_change: 'The currency or time zone of the workspace',
  cascade: 'Amounts of people below',
  rank: 'Credit of other reps of the plan',
  periodic: 'The end of a period',
  true_up: 'A true-up of the period',
  statement_unlock: 'Another period was opened again',
  statement_approved: 'The approval of the period',
};

export function toCause({ kind, dealId }: CheckCause, at: Date): Cause {
  const of = kind === 'credits' ? 'Credit lines of deal' : kind === 'lines' ? 'Lines of deal' : 'Deal';
  const what = dealId === null ? (descriptions[kind] ?? 'A new calculation') : `${of} ${dealId}`;
  return { kind, at: at.toISOString(), what };
}
