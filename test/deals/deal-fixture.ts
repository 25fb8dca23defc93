import 'reflect-metadata';
import { Readable } from 'node:stream';
import pg from 'pg';
import { container as root } from 'tsyringe';
import { migrations } from '#migrations/index.js';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { importDeals } from '#src/deals/commands/import-deals.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { type DealRecord } from '#src/deals/deal.js';
import { listDeals } from '#src/deals/queries/list-deals.js';
import { saveFieldMapping } from '#src/fields/commands/save-field-mapping.js';
import { getFieldMapping } from '#src/fields/queries/get-field-mapping.js';
import { type Caller } from '#src/kernel/caller.js';
import { systemClock } from '#src/kernel/clock.js';
import { newId } from '#src/kernel/ids.js';
import { CommissionChanges } from '#src/ledger/commission-changes.js';
import { LaneRunner } from '#src/ledger/lane-runner.js';
import { createPlan } from '#src/plans/commands/create-plan.js';
import { migrateToLatest } from '#src/platform/database/migrate.js';
import { createDatabase } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createLog } from '#src/platform/log.js';
import { type AnyOperation } from '#src/platform/operation.js';
import { OperationDispatcher } from '#src/platform/operation-dispatcher.js';
import { CLOCK } from '#src/platform/tokens.js';
import { createTestDatabase } from '#test/support/test-database.js';

const migrate = async (ownerUrl: string): Promise<void> => {
  await migrateToLatest(ownerUrl, migrations);
};

export interface Rep {
  readonly email: string;
  readonly crmMemberId?: string;
}

export interface ImportFile {
  readonly text: string | Buffer | Readable;
  readonly type?: 'application/json' | 'text/csv';
  readonly query?: Record<string, string>;
}

const operations = [putDeal, importDeals, listDeals, deleteDeal, saveFieldMapping, getFieldMapping, createPlan];

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

/** One workspace in a database of its own, with the deal operations called through the dispatcher. */
export async function dealWorld(settings: { readonly timezone?: string; readonly mapping?: object } = {}) {
  const database = await createTestDatabase({ migrate });
  const pool = createDatabase({ url: database.ownerUrl, size: 6, onError: () => undefined });
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  // The database is dropped while its last connections are still being closed.
  owner.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const unitOfWork = new UnitOfWork(pool);
  const woken: string[] = [];
  const wakeLanes = async (_workspaceId: string, repIds: readonly string[]) => {
    woken.push(...repIds);
  };
  const laneRunner = new LaneRunner(unitOfWork, systemClock, async () => undefined, createLog('silent'));
  const changes = new CommissionChanges(unitOfWork, wakeLanes, laneRunner, systemClock);
  const container = root.createChildContainer();
  container.register(UnitOfWork, { useValue: unitOfWork });
  container.register(CommissionChanges, { useValue: changes });
  container.register(LaneRunner, { useValue: laneRunner });
  container.register(CLOCK, { useValue: systemClock });
  const dispatcher = new OperationDispatcher(operations, container);
  const workspaceId = newId();
  const mapping = JSON.stringify(settings.mapping ?? { standard: {}, measures: {} });
  await owner.query(
    'insert into workspaces (workspace_id, name, currency, timezone, tier, field_mapping) values ($1, $2, $3, $4, $5, $6)',
    [workspaceId, 'Test', 'USD', settings.timezone ?? 'UTC', 'enterprise', mapping],
  );
  const admin: Caller = { workspaceId, accessLevel: 'admin', repId: null, actor: 'api-key', requestId: 'test' };

  async function addRep({ email, crmMemberId }: Rep): Promise<string> {
    const repId = newId();
    await owner.query(
      'insert into reps (workspace_id, rep_id, email, name, role, crm_member_id) values ($1, $2, $3, $3, $4, $5)',
      [workspaceId, repId, email, 'rep', crmMemberId ?? null],
    );
    await owner.query('insert into lanes (workspace_id, rep_id) values ($1, $2)', [workspaceId, repId]);
    return repId;
  }

  /** A flat percentage of every won deal, for the reps. */
  async function payTenPercent(repIds: readonly string[]): Promise<void> {
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
    await assign('Ten percent', { rules: [{ name: 'Commission', measure: 'amount', tiers }] }, repIds);
  }

  async function payOverride(managerId: string, repId: string): Promise<void> {
    await owner.query(
      'insert into reporting_lines (workspace_id, rep_id, from_day, manager_id) values ($1, $2, $3, $4)',
      [workspaceId, repId, '1900-01-01', managerId],
    );
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.5 }];
    await assign('Override', { rules: [{ name: 'Override', measure: 'amount', executionPhase: 'cascade', tiers }] }, [
      managerId,
    ]);
  }

  async function assign(name: string, config: Record<string, unknown>, repIds: readonly string[]): Promise<void> {
    const plan = await call<{ planId: string }>(createPlan, { body: { name, config } });
    for (const repId of repIds) {
      await owner.query(
        'insert into assignments (workspace_id, assignment_id, rep_id, plan_id) values ($1, $2, $3, $4)',
        [workspaceId, newId(), repId, plan.planId],
      );
    }
  }

  async function rows<T>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await owner.query(text, [...values])).rows as T[];
  }

  async function calculateAll(): Promise<void> {
    const lanes = await rows<{ rep_id: string }>('select distinct rep_id from calculation_requests');
    await laneRunner.calculateNow(
      workspaceId,
      lanes.map((lane) => lane.rep_id),
    );
  }

  async function call<T>(
    operation: AnyOperation,
    raw: { params?: object; query?: object; body?: unknown },
    caller = admin,
    onStatus?: (status: number) => void,
  ) {
    const { status, body: answer } = await dispatcher.run(
      operation,
      { params: raw.params ?? {}, query: raw.query ?? {}, body: raw.body },
      caller,
    );
    onStatus?.(status);
    return answer as T;
  }

  function put(dealId: string, body: object, onStatus?: (status: number) => void) {
    return call<DealRecord & { stale?: true }>(putDeal, { params: { dealId }, body }, admin, onStatus);
  }

  function importFile({ text, type = 'text/csv', query = {} }: ImportFile) {
    const stream = text instanceof Readable ? text : Readable.from([Buffer.from(text as string)]);
    return call<ImportAnswer>(importDeals, { query, body: { contentType: type, stream } });
  }

  function list(query: Record<string, string> = {}, caller: Caller = admin) {
    return call<DealPage>(listDeals, { query }, caller);
  }

  function remove(dealId: string, query: Record<string, string> = {}) {
    return call<Removal>(deleteDeal, { params: { dealId }, query });
  }

  async function requests() {
    return rows<{
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

  async function deleteRequests(): Promise<void> {
    await owner.query('delete from calculation_requests');
  }

  async function close(): Promise<void> {
    await pool.destroy();
    await owner.end();
    await database.drop();
  }

  return {
    workspaceId,
    ownerUrl: database.ownerUrl,
    admin,
    unitOfWork,
    woken,
    owner,
    call,
    addRep,
    payTenPercent,
    payOverride,
    rows,
    calculateAll,
    put,
    importFile,
    list,
    remove,
    requests,
    deleteRequests,
    close,
  };
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

export type DealWorld = Awaited<ReturnType<typeof dealWorld>>;
