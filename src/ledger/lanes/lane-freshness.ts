import { sql } from 'kysely';
import { addDays, allDays, type Day, type DayRange, latestDay } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { convertsAtPeriodEnds, hasPeriodicRules, type RepTerms } from '../input/rep-terms.js';
import { type Trigger } from '../requests/calculation-requests.js';
import { calculationCode } from './calculation-code.js';
import { type FreshnessMark, type StoredMark } from './lanes.js';

export function isAllDays({ from, to }: DayRange): boolean {
  return from <= allDays.from && to >= allDays.to;
}

/** A run of a lane whose freshness is marked. */
interface MarkedRun {
  readonly terms: RepTerms;
  readonly window: DayRange;
  readonly asOf: Day;
  readonly triggers: readonly Trigger[];
  readonly blocked: readonly unknown[];
  readonly deals: number;
  readonly skipped: number;
}

/**
 * The freshness mark that the run justifies. Null if another run could write something, because this one covered
 * only some days or a change was blocked. `'unchanged'` if all triggers were changes of other reps' earnings, which
 * change amounts and never which deals are paid. A run that begins where the last one ended continues its mark.
 */
export function toFreshnessMark(run: MarkedRun, before: StoredMark | null): FreshnessMark | null | 'unchanged' {
  const { terms, window, asOf, triggers, blocked, deals, skipped } = run;
  if (blocked.length > 0) return null;
  if (!isAllDays(window) && triggers.every(isOfOthers)) return 'unchanged';
  const { revision } = terms.workspace;
  const until = hasPeriodicRules(terms) || convertsAtPeriodEnds(terms) ? asOf : latestDay;
  const through = window.to;
  if (window.from <= allDays.from) return { revision, until, through, deals, skipped };
  if (before === null || !isContinued(before, window, revision)) return null;
  return {
    revision,
    until: until < before.until ? until : before.until,
    through,
    deals: before.deals + deals,
    skipped: before.skipped + skipped,
  };
}

/** Whether the cause of a request is what other reps have earned. */
export function isOfOthers(trigger: Trigger): boolean {
  return trigger === 'cascade' || trigger === 'rank';
}

function isContinued({ through, code, revision }: StoredMark, { from }: DayRange, currentRevision: string): boolean {
  return through < from && addDays(through, 1) === from && code === calculationCode && revision === currentRevision;
}

/** Whether the mark covers all days. */
export function isCompleteMark(mark: FreshnessMark | null | 'unchanged'): boolean {
  return mark !== null && mark !== 'unchanged' && mark.through >= allDays.to;
}

/** A mark of one lane; null deletes it. */
interface LaneMark {
  readonly repId: string;
  readonly mark: FreshnessMark | null | 'unchanged';
}

/** Stores the freshness marks of lanes, which the caller has locked, with the commit. */
export function saveFreshnessMarks(tx: Transaction, marks: readonly LaneMark[]): void {
  const changed = marks.flatMap(({ repId, mark }) => (mark === 'unchanged' ? [] : [{ repId, mark }]));
  if (changed.length === 0) return;
  const save = sql`
    update lanes l set (fresh_revision, fresh_until, fresh_through, fresh_code, fresh_deals, fresh_skipped) =
      row (revision, until, through, code, deals, skipped)
    from ${unnestRows(changed, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['revision', 'uuid', ({ mark }) => mark?.revision ?? null],
      ['until', 'date', ({ mark }) => mark?.until ?? null],
      ['through', 'date', ({ mark }) => mark?.through ?? null],
      ['code', 'uuid', ({ mark }) => (mark === null ? null : calculationCode)],
      ['deals', 'integer', ({ mark }) => mark?.deals ?? null],
      ['skipped', 'integer', ({ mark }) => mark?.skipped ?? null],
    ])}
    where l.workspace_id = ${tx.workspaceId} and l.rep_id = any(${changed.map(({ repId }) => repId)}::uuid[])
      and l.rep_id = input.rep_id
      and (l.fresh_revision, l.fresh_until, l.fresh_through, l.fresh_code, l.fresh_deals, l.fresh_skipped) is distinct from
        (input.revision, input.until, input.through, input.code, input.deals, input.skipped)`;
  tx.beforeCommit(save);
}

/** A rep to calculate, with the figures of its freshness mark; null if only a calculation can give them. */
export interface RequestedLane {
  readonly repId: string;
  readonly freshCounts: { readonly deals: number; readonly skipped: number } | null;
}

/**
 * The reps of the workspace, or those who are or were on the plan, each with the figures of a valid freshness mark:
 * no request since the last calculation, same configuration, same code. One statement, so that requests and marks
 * are from one snapshot.
 */
export async function selectLanesToCalculate(
  tx: Transaction,
  planId: string | null,
  today: Day,
): Promise<RequestedLane[]> {
  const { rows } = await sql<{ repId: string; deals: number | null; skipped: number | null }>`
    select r.rep_id as "repId", l.fresh_deals as deals, l.fresh_skipped as skipped
    from reps r
    left join (
      select l.* from lanes l join workspaces w on w.workspace_id = l.workspace_id
      where l.workspace_id = ${tx.workspaceId} and l.fresh_revision = w.configuration_revision
        and l.fresh_through >= ${allDays.to}::date and l.fresh_until >= ${today}::date and l.fresh_code = ${calculationCode}
        and not exists (
          select from calculation_requests q where q.workspace_id = ${tx.workspaceId} and q.rep_id = l.rep_id
        )
    ) l on l.rep_id = r.rep_id
    where r.workspace_id = ${tx.workspaceId} and (${planId}::uuid is null or r.rep_id in (
      select a.rep_id from assignments a where a.workspace_id = ${tx.workspaceId} and a.plan_id = ${planId}::uuid
    ))
    order by r.rep_id`.execute(tx.db);
  return rows.map(({ repId, deals, skipped }) => ({
    repId,
    freshCounts: deals === null || skipped === null ? null : { deals, skipped },
  }));
}
