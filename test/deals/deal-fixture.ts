import 'reflect-metadata';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { importDeals } from '#src/deals/commands/import-deals.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { type DealRecord } from '#src/deals/deal.js';
import { listDeals } from '#src/deals/queries/list-deals.js';
import { type Caller } from '#src/kernel/caller.js';
import { newId } from '#src/kernel/ids.js';
import { type AnyOperation } from '#src/platform/operation.js';
import { callerAs, type Parts, SliceFixture } from '#test/support/slice-fixture.js';
import { addPlan, rule } from '#test/support/slice-plans.js';
import { flatTier } from '#test/support/terms.js';

export interface ImportFile {
  readonly text: string | Buffer | Readable;
  readonly type?: 'application/json' | 'text/csv';
  readonly query?: Record<string, string>;
}

interface DealPage {
  readonly deals: DealRecord[];
  readonly count: number;
  readonly limit: number;
  readonly offset: number;
}

interface Removal {
  readonly reversed: number;
  readonly statementLocked: boolean;
  readonly softDeleted: boolean;
  readonly hardDeleted: boolean;
}

interface ImportAnswer {
  readonly accepted: number;
  readonly unchanged: number;
  readonly stale: number;
  readonly rejected: readonly { readonly row: number; readonly reason: string; readonly code?: string }[];
  readonly warnings: readonly { readonly column: string; readonly message: string }[];
  readonly numberFormat: 'en' | 'eu' | null;
  readonly jobId: string;
}

/** The only workspace of the file's database, with the deal operations called through the dispatcher. */
export class DealWorld {
  private constructor(
    readonly slice: SliceFixture,
    readonly workspaceId: string,
    readonly admin: Caller,
  ) {}

  static async create({ fieldMapping }: { fieldMapping?: object } = {}): Promise<DealWorld> {
    const slice = await SliceFixture.emptied();
    const workspaceId = await slice.workspace(fieldMapping === undefined ? {} : { fieldMapping });
    return new DealWorld(slice, workspaceId, callerAs('admin', workspaceId));
  }

  async addRep(email: string, crmMemberId: string | null = null): Promise<string> {
    const repId = newId();
    await this.rows(
      sql`insert into reps (workspace_id, rep_id, email, name, role, crm_member_id)
        values (${this.workspaceId}, ${repId}, ${email}, ${email}, 'rep', ${crmMemberId})`,
    );
    await this.rows(sql`insert into lanes (workspace_id, rep_id) values (${this.workspaceId}, ${repId})`);
    return repId;
  }

  /** A flat percentage of every won deal, for the reps. */
  payTenPercent(...repIds: string[]): Promise<void> {
    return this.assign('Ten percent', rule('Commission', { tiers: flatTier(0.1) }), repIds);
  }

  async payOverride(managerId: string, repId: string): Promise<void> {
    await this.rows(
      sql`insert into reporting_lines (workspace_id, rep_id, from_day, manager_id)
        values (${this.workspaceId}, ${repId}, '1900-01-01', ${managerId})`,
    );
    await this.assign('Override', rule('Override', { executionPhase: 'cascade', tiers: flatTier(0.5) }), [managerId]);
  }

  private async assign(name: string, planRule: object, repIds: readonly string[]): Promise<void> {
    const { planId } = await addPlan(this.slice, this.admin, name, [planRule]);
    for (const repId of repIds)
      await this.rows(
        sql`insert into assignments (workspace_id, assignment_id, rep_id, plan_id)
          values (${this.workspaceId}, ${newId()}, ${repId}, ${planId})`,
      );
  }

  /** Runs a statement as the owner of the tables. */
  async rows<T>(statement: string | ReturnType<typeof sql>): Promise<T[]> {
    return (await (typeof statement === 'string' ? sql.raw(statement) : statement).execute(this.slice.owner))
      .rows as T[];
  }

  /** Calculates as a worker does, which also completes the jobs. */
  async calculateAll(): Promise<void> {
    const repIds = (await this.requests()).map((request) => request.rep_id);
    await this.slice.laneRunner().calculateNow(this.workspaceId, [...new Set(repIds)]);
  }

  respond<T>(operation: AnyOperation, parts: Parts, caller = this.admin): Promise<{ status: number; body: T }> {
    return this.slice.respond(operation, caller, parts);
  }

  putResponse(dealId: string, body: object) {
    return this.respond<DealRecord & { stale?: true }>(putDeal, { params: { dealId }, body });
  }

  async put(dealId: string, body: object) {
    return (await this.putResponse(dealId, body)).body;
  }

  async importFile({ text, type = 'text/csv', query = {} }: ImportFile): Promise<ImportAnswer> {
    const stream = text instanceof Readable ? text : Readable.from([Buffer.from(text as string)]);
    return this.slice.run(importDeals, this.admin, { query, body: { contentType: type, stream } });
  }

  list(query: Record<string, string> = {}, caller: Caller = this.admin): Promise<DealPage> {
    return this.slice.run(listDeals, caller, { query });
  }

  remove(dealId: string, query: Record<string, string> = {}): Promise<Removal> {
    return this.slice.run(deleteDeal, this.admin, { params: { dealId }, query });
  }

  requests() {
    return this.rows<{
      rep_id: string;
      from: string;
      to: string;
      trigger: string;
      deal_id: string | null;
      job_id: string | null;
    }>(
      'select rep_id, from_day::text as from, to_day::text as to, trigger, deal_id, job_id from calculation_requests order by request_id',
    );
  }
}
