import { type Selectable, type SqlBool, sql } from 'kysely';
import { type Tables } from '../platform/database/tables.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AuditRun } from './audit-run.js';
import { type RunOutcome } from './audit-tables.js';

export interface AuditFilter {
  readonly actor?: string | undefined;
  /** Runs for this deal alone and runs that included it. */
  readonly dealId?: string | undefined;
  readonly outcome?: readonly RunOutcome[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export async function listAuditRuns(
  tx: Transaction,
  filter: AuditFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ runs: AuditRun[]; count: number }> {
  const where = sql<SqlBool>`
    audit_runs.workspace_id = ${tx.workspaceId}
    ${filter.actor === undefined ? sql`` : sql`and audit_runs.actor = ${filter.actor}`}
    ${filter.outcome === undefined ? sql`` : sql`and audit_runs.outcome = any(${filter.outcome}::text[])`}
    ${filter.from === undefined ? sql`` : sql`and audit_runs.started_at >= ${filter.from}::timestamptz`}
    ${filter.to === undefined ? sql`` : sql`and audit_runs.started_at < ${filter.to}::timestamptz`}
    ${
      filter.dealId === undefined
        ? sql``
        : sql`and (audit_runs.deal_id = ${filter.dealId} or audit_runs.run_id in (
      select d.run_id from audit_run_deals d where d.workspace_id = ${tx.workspaceId} and d.deal_id = ${filter.dealId}))`
    }`;
  const { count } = await tx.db
    .selectFrom('audit_runs')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where(where)
    .executeTakeFirstOrThrow();
  const rows = await tx.db
    .selectFrom('audit_runs')
    .selectAll()
    .where(where)
    .orderBy('started_at', 'desc')
    .orderBy('run_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { runs: rows.map(toRun), count: Number(count) };
}

function toRun(row: Selectable<Tables['audit_runs']>): AuditRun {
  return {
    runId: row.run_id,
    actor: row.actor,
    trigger: row.trigger,
    scope: row.scope,
    ...(row.deal_id === null ? {} : { dealId: row.deal_id }),
    ...(row.rep_id === null ? {} : { repId: row.rep_id }),
    ...(row.period === null ? {} : { period: row.period }),
    outcome: row.outcome,
    counters: {
      eventsWritten: row.events_written,
      eventsReversed: row.events_reversed,
      statementLocked: row.statement_locked > 0,
      skipped: row.skipped,
    },
    ...(row.blocked === null ? {} : { blocked: row.blocked }),
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.details === null ? {} : { details: row.details as Record<string, unknown> }),
  };
}
