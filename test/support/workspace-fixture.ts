import { type Insertable, sql } from 'kysely';
import { type Caller, type Role } from '#src/kernel/caller.js';
import { idOf, newId } from '#src/kernel/ids.js';
import { periodRange } from '#src/kernel/period.js';
import { recalculateIn } from '#src/ledger/recalculate.js';
import { refreshMonths } from '#src/ledger/totals.js';
import { type PlanStatus, planTerms } from '#src/plans/plan.js';
import { insertPlan, insertVersion, loadPlan } from '#src/plans/plan-store.js';
import { type Tables } from '#src/platform/database/tables.js';
import { callerAs, SliceFixture } from './slice-fixture.js';

interface DealValues {
  readonly amount?: number | null;
  readonly currency?: string | null;
  readonly stage?: string;
  readonly closeDate?: string | null;
  readonly isClosed?: boolean;
  readonly deleted?: boolean;
}

/** A workspace filled by SQL and calculated by the lanes, read through the dispatcher. */
export class WorkspaceFixture {
  private constructor(
    readonly slice: SliceFixture,
    readonly workspaceId: string,
    readonly admin: Caller,
  ) {}

  static async create(timezone = 'UTC'): Promise<WorkspaceFixture> {
    const slice = await SliceFixture.emptied();
    slice.now = new Date('2026-03-20T12:00:00Z');
    const workspaceId = await slice.workspace({ timezone });
    return new WorkspaceFixture(slice, workspaceId, callerAs('admin', workspaceId));
  }

  /** Another workspace in the same database. */
  async another(): Promise<WorkspaceFixture> {
    const workspaceId = await this.slice.workspace({ timezone: 'UTC' });
    return new WorkspaceFixture(this.slice, workspaceId, callerAs('admin', workspaceId));
  }

  as(role: Role | 'connection', repId: string | null = null): Caller {
    return callerAs(role, this.workspaceId, repId);
  }

  async rep(name: string, more: Partial<Insertable<Tables['reps']>> = {}): Promise<string> {
    const rep_id = newId();
    const { workspaceId: workspace_id, slice } = this;
    await slice.insert('reps', { workspace_id, rep_id, email: `${rep_id}@example.com`, name, role: 'rep', ...more });
    await slice.insert('lanes', { workspace_id, rep_id });
    return rep_id;
  }

  async plan(
    name: string,
    config: Record<string, unknown>,
    more: { currency?: string; status?: PlanStatus; effectiveStart?: string; planId?: string } = {},
  ): Promise<string> {
    return this.slice.unitOfWork.run(this.admin, { lock: 'exclusive', access: 'write' }, async (trx) => {
      const status = more.status ?? 'active';
      const planId = more.planId ?? (await insertPlan(trx, this.workspaceId, { name, status }));
      const earlier = (await loadPlan(trx, this.workspaceId, planId))?.versions ?? [];
      await insertVersion(
        trx,
        this.workspaceId,
        {
          planId,
          planVersionId: newId(),
          version: earlier.length + 1,
          supersedes: null,
          status,
          effectiveStart: more.effectiveStart ?? null,
          effectiveEnd: null,
          currency: more.currency ?? null,
          fieldMapping: null,
          config,
          tests: [],
        },
        planTerms(config),
      );
      return planId;
    });
  }

  async assign(repId: string, planId: string): Promise<void> {
    const row = { workspace_id: this.workspaceId, assignment_id: newId(), rep_id: repId, plan_id: planId };
    await this.slice.insert('assignments', row);
  }

  async quota(repId: string, planId: string, measure: string, period: string, target: number): Promise<void> {
    await this.slice.insert('quotas', {
      workspace_id: this.workspaceId,
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
    await this.slice.insert('deals', {
      workspace_id: this.workspaceId,
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
      content_hash: idOf(dealId),
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
      from generate_series(1, ${count}::int) n`.execute(this.slice.owner);
  }

  async reportTo(managerId: string, ...repIds: readonly string[]): Promise<void> {
    const line = { workspace_id: this.workspaceId, from_day: '1900-01-01', manager_id: managerId };
    for (const repId of repIds) await this.slice.insert('reporting_lines', { ...line, rep_id: repId });
  }

  /** A plan that pays managers a share of what the people below earn. */
  overridePlan(rate: number): Promise<string> {
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate }];
    return this.plan('Override', { rules: [{ name: 'Team', measure: 'amount', executionPhase: 'cascade', tiers }] });
  }

  async adjust(repId: string, amount: number, earnedOn: string, dealId: string | null = null): Promise<void> {
    await this.slice.insert('commission_events', {
      workspace_id: this.workspaceId,
      rep_id: repId,
      event_id: newId(),
      kind: 'adjustment',
      status: 'earned',
      deal_key: dealId,
      category: 'adjustment',
      amount,
      credit: 0,
      currency: 'USD',
      period: earnedOn.slice(0, 7),
      earned_on: earnedOn,
      idempotency_key: newId(),
      reason: 'agreed',
      actor: 'api-key',
    });
    await this.slice.unitOfWork.run(this.admin, { lock: 'none', access: 'write' }, (trx) =>
      refreshMonths(trx, this.workspaceId, [{ repId, month: earnedOn.slice(0, 7) }]),
    );
  }

  async statement(repId: string, period: string, status: 'draft' | 'approved'): Promise<void> {
    const { from, to } = periodRange(period);
    const row = { workspace_id: this.workspaceId, rep_id: repId, period, from_day: from, to_day: to, status };
    await this.slice.insert('statement_periods', row);
  }

  /** Calculates every rep and the reps that depend on them. */
  async calculate(): Promise<void> {
    await this.slice.unitOfWork.run(this.admin, { lock: 'none', access: 'write' }, (trx) =>
      recalculateIn(trx, this.workspaceId, new Set()).workspace('recalculation'),
    );
    await this.slice.calculateAll(this.workspaceId);
  }
}
