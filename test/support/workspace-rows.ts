import { type Insertable, sql } from 'kysely';
import { type PlanFx } from '#src/engine/plan-fx.js';
import { deriveId, newId } from '#src/kernel/ids.js';
import { periodRange } from '#src/kernel/period.js';
import { refreshMonths } from '#src/ledger/output/totals.js';
import { type PlanStatus, planTerms } from '#src/plans/plan.js';
import { insertPlan, insertVersion, loadPlan } from '#src/plans/plan-store.js';
import { type Tables } from '#src/platform/database/tables.js';
import { type OfflineDatabase } from './offline-database.js';
import { flatRule } from './terms.js';

interface DealValues {
  readonly amount?: number | null;
  readonly currency?: string | null;
  readonly stage?: string;
  readonly closeDate?: string | null;
  readonly isClosed?: boolean;
  readonly deleted?: boolean;
}

interface PlanValues {
  readonly currency?: string;
  readonly fx?: PlanFx;
  readonly status?: PlanStatus;
  readonly effectiveStart?: string;
  /** Adds a version to this plan. */
  readonly planId?: string;
}

/** Adds rows to a workspace as the owner of the tables, without requests for calculations. */
export class WorkspaceRows {
  constructor(
    private readonly db: OfflineDatabase,
    private readonly workspaceId: string,
  ) {}

  async row<Table extends keyof Tables>(
    table: Table,
    values: Omit<Insertable<Tables[Table]>, 'workspace_id'>,
  ): Promise<void> {
    await this.db.owner
      .insertInto(table)
      .values({ workspace_id: this.workspaceId, ...values } as never)
      .execute();
  }

  async rep(name: string, values: Partial<Insertable<Tables['reps']>> = {}): Promise<string> {
    const rep_id = newId();
    await this.row('reps', { rep_id, email: `${rep_id}@example.com`, name, role: 'rep', ...values });
    await this.row('lanes', { rep_id });
    return rep_id;
  }

  /** Managers, from the first day on. */
  async reportingLines(managerId: string, ...repIds: readonly string[]): Promise<void> {
    for (const repId of repIds)
      await this.row('reporting_lines', { from_day: '1900-01-01', manager_id: managerId, rep_id: repId });
  }

  async plan(name: string, config: Record<string, unknown>, values: PlanValues = {}): Promise<string> {
    const { workspaceId } = this;
    return this.db.unitOfWork.run({ workspaceId }, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const status = values.status ?? 'active';
      const planId = values.planId ?? (await insertPlan(tx, { name, status }));
      const earlier = (await loadPlan(tx, planId))?.versions ?? [];
      await insertVersion(
        tx,
        {
          planId,
          planVersionId: newId(),
          version: earlier.length + 1,
          supersedes: null,
          hasBeenActive: false,
          status,
          effectiveStart: values.effectiveStart ?? null,
          effectiveEnd: null,
          currency: values.currency ?? null,
          fx: values.fx ?? null,
          fieldMapping: null,
          config,
          tests: [],
        },
        planTerms(config),
      );
      return planId;
    });
  }

  /** A plan that pays managers a share of what the people below earn. */
  overridePlan(rate: number): Promise<string> {
    return this.plan('Override', { rules: [flatRule('Team', rate, { executionPhase: 'cascade' })] });
  }

  async assignment(repId: string, planId: string): Promise<void> {
    await this.row('assignments', { assignment_id: newId(), rep_id: repId, plan_id: planId });
  }

  async quota(repId: string, planId: string, measure: string, period: string, target: number): Promise<void> {
    await this.row('quotas', {
      quota_id: newId(),
      rep_id: repId,
      plan_id: planId,
      plan_rule_id: newId(),
      attainment_key: measure,
      period,
      target,
    });
  }

  async deal(dealId: string, repId: string | null, values: DealValues = {}): Promise<void> {
    const {
      amount = 1000,
      currency = null,
      stage = 'Closed Won',
      closeDate = '2026-02-10',
      isClosed = true,
      deleted = false,
    } = values;
    await this.row('deals', {
      deal_id: dealId,
      rep_id: repId,
      name: `Deal ${dealId}`,
      amount,
      currency,
      stage,
      close_date: closeDate,
      is_closed: isClosed,
      is_won: isClosed,
      fields: '{}',
      given: JSON.stringify({ repId, closeDate }),
      content_hash: deriveId(dealId),
      deleted_at: deleted ? new Date() : null,
    });
  }

  /** Adds won deals, one every `spacing` days of the first `days` days of 2026. */
  async deals(repId: string, count: number, { amount = 10, spacing = 7, days = 365 } = {}): Promise<void> {
    await sql`
      insert into deals (workspace_id, deal_id, rep_id, name, amount, stage, close_date, is_closed, is_won, fields, given,
        content_hash)
      select ${this.workspaceId}, ${repId} || n, ${repId}, 'Deal', ${amount}, 'Closed Won',
        date '2026-01-01' + n * ${spacing}::int % ${days}::int, true, true, '{}', '{}', md5(n::text)::uuid
      from generate_series(1, ${count}::int) n`.execute(this.db.owner);
  }

  async adjustment(repId: string, amount: number, earnedOn: string, dealId: string | null = null): Promise<void> {
    const { workspaceId } = this;
    const month = earnedOn.slice(0, 7);
    await this.row('commission_events', {
      rep_id: repId,
      event_id: newId(),
      kind: 'adjustment',
      status: 'earned',
      deal_key: dealId,
      category: 'adjustment',
      amount,
      credit: 0,
      currency: 'USD',
      period: month,
      earned_on: earnedOn,
      idempotency_key: newId(),
      reason: 'agreed',
      actor: 'api-key',
    });
    await this.db.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (tx) =>
      refreshMonths(tx, [{ repId, month }]),
    );
  }

  async statement(repId: string, period: string, status: 'draft' | 'approved'): Promise<void> {
    const { from, to } = periodRange(period);
    await this.row('statement_periods', { rep_id: repId, period, from_day: from, to_day: to, status });
  }
}
