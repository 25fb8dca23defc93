import 'reflect-metadata';
import { expect } from 'chai';
import { type Insertable, sql } from 'kysely';
import { type QueryResultRow } from 'pg';
import { container as root } from 'tsyringe';
import { DealExplainer } from '#src/commissions/deal-explainer.js';
import { simulationThreads } from '#src/commissions/simulation-limits.js';
import { type Caller, type Role } from '#src/kernel/caller.js';
import { type Clock } from '#src/kernel/clock.js';
import { allDays } from '#src/kernel/day.js';
import { Failure } from '#src/kernel/failure.js';
import { newId } from '#src/kernel/ids.js';
import { type BatchRun, calculateLanes } from '#src/ledger/calculate-lanes.js';
import { type CalculationRequest, requestCalculation } from '#src/ledger/calculation-requests.js';
import { CommissionChanges } from '#src/ledger/commission-changes.js';
import { LaneRunner, type WakeLanes } from '#src/ledger/lane-runner.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { type Tables } from '#src/platform/database/tables.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { CLOCK } from '#src/platform/injection-tokens.js';
import { createLog } from '#src/platform/log.js';
import { type AnyOperation } from '#src/platform/operation.js';
import { OperationDispatcher } from '#src/platform/operation-dispatcher.js';
import { afterFile } from './after-file.js';
import { query } from './ledger-checks.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Answer = any;

export interface Parts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

export interface SliceOptions {
  readonly fieldMapping?: object;
  readonly tier?: 'free' | 'pro' | 'enterprise';
  readonly timezone?: string;
}

type Urls = Pick<TestDatabase, 'ownerUrl' | 'appUrl' | 'drop'>;

const startOfTests = new Date('2026-05-15T12:00:00Z');

let ofFile: Promise<SliceFixture> | undefined;

/** Runs operations on their own database as the dispatcher does: access, schemas, `execute`, response. */
export class SliceFixture {
  /** The time of the fixture's clock. */
  now = startOfTests;
  readonly clock: Clock = { now: () => this.now };
  /** Reps for whom a wake-up was sent, newest last. */
  readonly woken: string[] = [];

  private constructor(
    readonly ownerUrl: string,
    readonly appUrl: string,
    readonly owner: Database,
    readonly app: Database,
    readonly unitOfWork: UnitOfWork,
    private readonly drop: () => Promise<void>,
  ) {}

  static async create(
    database: Promise<Urls> = createTestDatabase({ migrate: migrateTestDatabase }),
  ): Promise<SliceFixture> {
    const { ownerUrl, appUrl, drop } = await database;
    const owner = createDatabase({ url: ownerUrl, size: 2, onError: () => {}, asOwner: true });
    const app = createDatabase({ url: appUrl, size: 6, onError: () => {} });
    return new SliceFixture(ownerUrl, appUrl, owner, app, new UnitOfWork(app), drop);
  }

  /** The database of the current test file, without rows. The first call creates it; it is dropped after the file. */
  static async emptied(): Promise<SliceFixture> {
    if (ofFile === undefined) {
      const created = SliceFixture.create();
      ofFile = created;
      afterFile(async () => {
        ofFile = undefined;
        await (await created).close();
      });
    }
    const slice = await ofFile;
    await slice.empty();
    return slice;
  }

  /** Takes a tenth of the time of TRUNCATE, which makes new files for every table and index. */
  private async empty(): Promise<void> {
    const { rows } = await sql<{ table: string }>`
      select quote_ident(tablename) as table from pg_tables
      where schemaname = 'public' and tablename not like 'kysely%'`.execute(this.owner);
    const tables = rows.map(({ table }) => table);
    await this.owner.transaction().execute(async (trx) => {
      await sql.raw(`lock table ${tables.join(', ')} in share row exclusive mode`).execute(trx);
      // Foreign keys and the triggers that keep the audit log are not checked.
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql.raw(tables.map((table) => `delete from ${table}`).join(';')).execute(trx);
    });
    this.now = startOfTests;
    this.woken.length = 0;
  }

  async close(): Promise<void> {
    await this.app.destroy();
    await this.owner.destroy();
    await this.drop();
  }

  async workspace({ tier = 'enterprise', timezone = 'UTC', fieldMapping }: SliceOptions = {}): Promise<string> {
    const workspaceId = newId();
    const mapping = fieldMapping && { field_mapping: JSON.stringify(fieldMapping) };
    const row = { workspace_id: workspaceId, name: 'Test', currency: 'USD', timezone, tier, ...mapping };
    await this.insert('workspaces', row);
    return workspaceId;
  }

  /** Adds a row as the owner of the tables. */
  async insert<Table extends keyof Tables>(table: Table, row: Insertable<Tables[Table]>): Promise<void> {
    await this.owner
      .insertInto(table)
      .values(row as never)
      .execute();
  }

  /** Rows as the owner of the tables reads them. */
  sql<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return query(this.ownerUrl, text, values);
  }

  /** Runs the operation and returns the body of the response. */
  async run(operation: AnyOperation, caller: Caller, parts: Parts = {}): Promise<Answer> {
    return (await this.respond(operation, caller, parts)).body;
  }

  respond(operation: AnyOperation, caller: Caller, parts: Parts = {}): Promise<{ status: number; body: Answer }> {
    return this.dispatcher(operation).run(operation, { params: {}, query: {}, body: undefined, ...parts }, caller);
  }

  /** Runs the operation and returns the failure, which must have the code and be declared with the status. */
  async expectError(
    code: string,
    status: number,
    operation: AnyOperation,
    caller: Caller,
    parts: Parts = {},
  ): Promise<Failure> {
    const failure = await this.run(operation, caller, parts).then(
      (answer) => expect.fail(`was not rejected: ${JSON.stringify(answer).slice(0, 300)}`),
      (error: unknown) => error,
    );
    if (!(failure instanceof Failure)) throw failure;
    expect(failure.code, failure.message).to.equal(code);
    const common: Record<string, number> = { VALIDATION_FAILED: 400, forbidden: 403 };
    expect(operation.failures[code] ?? common[code]).to.equal(status);
    return failure;
  }

  requests(workspaceId: string) {
    return this.sql<{ rep_id: string; from_day: string; to_day: string; trigger: string }>(
      'select rep_id, from_day, to_day, trigger from calculation_requests where workspace_id = $1 order by request_id',
      workspaceId,
    );
  }

  async deleteRequests(workspaceId: string): Promise<void> {
    await this.sql('delete from calculation_requests where workspace_id = $1', workspaceId);
    this.woken.length = 0;
  }

  /** Calculates until no request is left, all reps with requests in one batch. */
  async calculateAll(workspaceId: string): Promise<void> {
    for (
      let pending = await this.requests(workspaceId);
      pending.length > 0;
      pending = await this.requests(workspaceId)
    ) {
      const repIds = [...new Set(pending.map((request) => request.rep_id))];
      await this.calculate(workspaceId, repIds, { wait: true });
    }
  }

  /** Requests the calculation of the reps, without a wake-up. */
  async request(
    workspaceId: string,
    repIds: readonly string[],
    { days = allDays, trigger = 'recalculation', dealId }: Partial<Omit<CalculationRequest, 'repId'>> = {},
  ): Promise<void> {
    await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
      requestCalculation(
        trx,
        workspaceId,
        repIds.map((repId) => ({ repId, days, trigger, dealId })),
      ),
    );
  }

  /** Calculates the lanes in one transaction. */
  calculate(
    workspaceId: string,
    repIds: readonly string[],
    { wait = false, ...limits }: { readonly wait?: boolean; readonly maxDeals?: number } = {},
  ): Promise<BatchRun> {
    return calculateLanes({ unitOfWork: this.unitOfWork, clock: this.clock, ...limits }, workspaceId, repIds, { wait });
  }

  /** A runner of lanes as in a worker. Its wake-ups are added to `woken`. */
  laneRunner({ maxDeals }: { readonly maxDeals?: number } = {}): LaneRunner {
    return new LaneRunner(this.unitOfWork, this.clock, this.wake, createLog('silent'), async () => {}, maxDeals);
  }

  private readonly wake: WakeLanes = async (_workspaceId, repIds) => {
    this.woken.push(...repIds);
  };

  /** All rows of the workspace in the table as text, to compare them before and after a rejected operation. */
  async contents(workspaceId: string, ...tables: string[]): Promise<string> {
    const parts = tables.map(async (table) => {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.table(table)} t where workspace_id = ${workspaceId} order by 1`.execute(
        this.owner,
      );
      return `${table}: ${rows.map(({ row }) => row).join('\n')}`;
    });
    return (await Promise.all(parts)).join('\n');
  }

  private dispatcher(operation: AnyOperation): OperationDispatcher {
    return dispatcherFor(operation, {
      unitOfWork: this.unitOfWork,
      clock: this.clock,
      wakeLanes: this.wake,
    });
  }
}

interface Wiring {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly wakeLanes: WakeLanes;
}

const threadLimits = { threads: 1, heapMb: 192, seconds: 60 };
/** A thread starts with the first large explanation, and does not keep the process alive. */
const threads = simulationThreads(threadLimits);

/** A dispatcher for one operation, wired as in the composition but without a queue. */
export function dispatcherFor(operation: AnyOperation, { unitOfWork, clock, wakeLanes }: Wiring): OperationDispatcher {
  const container = root.createChildContainer();
  container.registerInstance(UnitOfWork, unitOfWork);
  const laneRunner = new LaneRunner(unitOfWork, clock, wakeLanes, createLog('silent'));
  container.registerInstance(CommissionChanges, new CommissionChanges(unitOfWork, wakeLanes, laneRunner, clock));
  container.registerInstance(LaneRunner, laneRunner);
  container.registerInstance(CLOCK, clock);
  container.registerInstance(DealExplainer, new DealExplainer(unitOfWork, threads, threadLimits));
  return new OperationDispatcher([operation], container);
}

export function callerAs(accessLevel: Role | 'connection', workspaceId: string, repId: string | null = null): Caller {
  return {
    workspaceId,
    accessLevel,
    repId,
    actor: repId === null ? 'api-key' : `rep:${repId}`,
    requestId: 'test',
  };
}
