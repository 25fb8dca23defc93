import { Readable } from 'node:stream';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { importDeals } from '#src/deals/commands/import-deals.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { type DealRecord } from '#src/deals/deal.js';
import { listDeals } from '#src/deals/queries/list-deals.js';
import { type Caller } from '#src/kernel/caller.js';

import { type OfflineOptions, OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';

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

interface ImportResponse {
  readonly accepted: number;
  readonly unchanged: number;
  readonly stale: number;
  readonly rejected: readonly { readonly row: number; readonly reason: string; readonly code?: string }[];
  readonly warnings: readonly { readonly column: string; readonly message: string }[];
  readonly numberFormat: 'en' | 'eu' | null;
  readonly jobId: string;
}

/** The only workspace of the file's database, with the requests about deals. */
export class DealWorkspace extends OfflineWorkspace {
  static override async create(options?: OfflineOptions): Promise<DealWorkspace> {
    const { db, workspaceId } = await OfflineWorkspace.create(options);
    return new DealWorkspace(db, workspaceId);
  }

  addRep(email: string, crmMemberId: string | null = null): Promise<string> {
    return this.insert.rep(email, { email, crm_member_id: crmMemberId });
  }

  /** A flat percentage of every won deal, for the reps. */
  payTenPercent(...repIds: string[]): Promise<void> {
    return this.assign('Ten percent', flatRule('Commission', 0.1), repIds);
  }

  async payOverride(managerId: string, repId: string): Promise<void> {
    await this.insert.reportingLines(managerId, repId);
    await this.assign('Override', flatRule('Override', 0.5, { executionPhase: 'cascade' }), [managerId]);
  }

  private async assign(name: string, rule: object, repIds: readonly string[]): Promise<void> {
    const { planId } = await this.addPlan(name, [rule]);
    for (const repId of repIds) await this.insert.assignment(repId, planId);
  }

  /** Calculates as a worker does, which also completes the jobs. */
  override async calculateAll(): Promise<void> {
    const repIds = (await this.requests()).map((request) => request.rep_id);
    await this.laneRunner().calculateNow(this.workspaceId, [...new Set(repIds)]);
  }

  putResponse(dealId: string, body: object): Promise<{ status: number; body: DealRecord & { stale?: true } }> {
    return this.respond(putDeal, { params: { dealId }, body });
  }

  async put(dealId: string, body: object) {
    return (await this.putResponse(dealId, body)).body;
  }

  async importFile({ text, type = 'text/csv', query = {} }: ImportFile): Promise<ImportResponse> {
    const stream = text instanceof Readable ? text : Readable.from([Buffer.from(text as string)]);
    return this.run(importDeals, { query, body: { contentType: type, stream } });
  }

  list(query: Record<string, string> = {}, caller?: Caller): Promise<DealPage> {
    return this.run(listDeals, { query }, caller);
  }

  remove(dealId: string, query: Record<string, string> = {}): Promise<Removal> {
    return this.run(deleteDeal, { params: { dealId }, query });
  }

  /** The pending requests for calculations with their deal and job, oldest first. */
  dealRequests() {
    return this.db.sql<{
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
