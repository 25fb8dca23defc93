import { expect } from 'chai';
import { sql } from 'kysely';
import { deriveFromPeople } from '#src/deals/derive-from-people.js';
import { type Caller, type Role } from '#src/kernel/caller.js';
import { allDays } from '#src/kernel/day.js';
import { Failure } from '#src/kernel/failure.js';
import { newId } from '#src/kernel/ids.js';
import { type BatchRun, calculateLanes } from '#src/ledger/lanes/calculate-lanes.js';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { type CalculationRequest, requestCalculation } from '#src/ledger/requests/calculation-requests.js';
import { recalculateIn } from '#src/ledger/requests/recalculate.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { createPlan } from '#src/plans/commands/create-plan.js';
import { type PlanVersion } from '#src/plans/plan.js';
import { createLog } from '#src/platform/log.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { OfflineDatabase } from './offline-database.js';
import { WorkspaceRows } from './workspace-rows.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Body = any;

export interface Parts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

export interface OfflineOptions {
  readonly fieldMapping?: object;
  readonly tier?: 'free' | 'pro' | 'enterprise';
  readonly timezone?: string;
  /** The time of the clock. Default: noon of 15 May 2026, UTC. */
  readonly now?: string;
}

/**
 * A workspace without a running service. Operations run as the dispatcher runs them: access, schemas, `execute`, response.
 * Lanes are calculated when a test calls for it, and the clock stands still.
 */
export class OfflineWorkspace {
  readonly admin: Caller;
  /** Adds rows to the workspace without an operation. */
  readonly insert: WorkspaceRows;

  constructor(
    readonly db: OfflineDatabase,
    readonly workspaceId: string,
  ) {
    this.admin = this.caller('admin');
    this.insert = new WorkspaceRows(db, workspaceId);
  }

  /** The only workspace in the database of the test file. */
  static async create({ now, ...options }: OfflineOptions = {}): Promise<OfflineWorkspace> {
    const db = await OfflineDatabase.emptied();
    if (now !== undefined) db.now = new Date(now);
    return OfflineWorkspace.in(db, options);
  }

  /** A new workspace in the database. */
  static async in(
    db: OfflineDatabase,
    { tier = 'enterprise', timezone = 'UTC', fieldMapping }: Omit<OfflineOptions, 'now'> = {},
  ): Promise<OfflineWorkspace> {
    const workspace = new OfflineWorkspace(db, newId());
    const mapping = fieldMapping && { field_mapping: JSON.stringify(fieldMapping) };
    await workspace.insert.row('workspaces', { name: 'Test', currency: 'USD', timezone, tier, ...mapping });
    return workspace;
  }

  caller(accessLevel: Role | 'connection', repId: string | null = null): Caller {
    const actor = repId === null ? 'api-key' : `rep:${repId}`;
    return { workspaceId: this.workspaceId, accessLevel, repId, actor, requestId: 'test' };
  }

  /** Runs the operation and returns the body of the response. */
  async run(operation: AnyOperation, parts?: Parts, caller?: Caller): Promise<Body> {
    return (await this.respond(operation, parts, caller)).body;
  }

  respond(operation: AnyOperation, parts: Parts = {}, caller = this.admin): Promise<{ status: number; body: Body }> {
    const request = { params: {}, query: {}, body: undefined, ...parts };
    return this.db.dispatcher(operation).run(operation, request, caller);
  }

  /** Runs the operation and returns the failure, which must have the code and be declared with the status. */
  async expectError(
    code: string,
    status: number,
    operation: AnyOperation,
    parts?: Parts,
    caller?: Caller,
  ): Promise<Failure> {
    const failure = await this.run(operation, parts, caller).then(
      (body) => expect.fail(`was not rejected: ${JSON.stringify(body).slice(0, 300)}`),
      (error: unknown) => error,
    );
    if (!(failure instanceof Failure)) throw failure;
    expect(failure.code, failure.message).to.equal(code);
    const common: Record<string, number> = { VALIDATION_FAILED: 400, forbidden: 403 };
    expect(operation.failures[code] ?? common[code]).to.equal(status);
    return failure;
  }

  /** Creates reps of these names and returns their ids in the same order. */
  async addReps<Names extends readonly string[]>(...names: Names): Promise<{ -readonly [At in keyof Names]: string }> {
    const reps = names.map((name) => ({ email: `${name.toLowerCase()}@x.io`, name }));
    const saved = await this.run(upsertReps, { body: { reps } });
    return saved.reps.map(({ id }: { id: string }) => id);
  }

  addPlan(name: string, rules: readonly object[], fields: object = {}): Promise<PlanVersion> {
    return this.run(createPlan, { body: { name, config: { rules }, ...fields } });
  }

  /** All rows of the workspace in the tables as text, to compare them before and after a rejected operation. */
  async contents(...tables: string[]): Promise<string> {
    const parts = tables.map(async (table) => {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.table(table)} t where workspace_id = ${this.workspaceId} order by 1`.execute(
        this.db.owner,
      );
      return `${table}: ${rows.map(({ row }) => row).join('\n')}`;
    });
    return (await Promise.all(parts)).join('\n');
  }

  /** The pending requests for calculations, oldest first. */
  requests() {
    return this.db.sql<{ rep_id: string; from_day: string; to_day: string; trigger: string }>(
      'select rep_id, from_day, to_day, trigger from calculation_requests where workspace_id = $1 order by request_id',
      this.workspaceId,
    );
  }

  async deleteRequests(): Promise<void> {
    await this.db.sql('delete from calculation_requests where workspace_id = $1', this.workspaceId);
    this.db.woken.length = 0;
  }

  /** Requests the calculation of the reps, without a wake-up. */
  async request(
    repIds: readonly string[],
    { days = allDays, trigger = 'recalculation', dealId }: Partial<Omit<CalculationRequest, 'repId'>> = {},
  ): Promise<void> {
    const requests = repIds.map((repId) => ({ repId, days, trigger, dealId }));
    await this.db.unitOfWork.run(this.admin, { lock: 'none', access: 'write' }, (tx) =>
      requestCalculation(tx, requests),
    );
  }

  /** Calculates the lanes in one transaction. */
  calculate(
    repIds: readonly string[],
    { wait = false, ...limits }: { readonly wait?: boolean; readonly maxDeals?: number } = {},
  ): Promise<BatchRun> {
    const { unitOfWork, clock } = this.db;
    return calculateLanes({ unitOfWork, clock, ...limits }, this.workspaceId, repIds, { wait });
  }

  /** Calculates every rep and the reps that depend on them. */
  async recalculate(): Promise<void> {
    await this.db.unitOfWork.run(this.admin, { lock: 'none', access: 'write' }, (tx) =>
      recalculateIn(tx, new Set(), deriveFromPeople).workspace('recalculation'),
    );
    await this.calculateAll();
  }

  /** Calculates until no request is left, all reps with requests in one batch. */
  async calculateAll(): Promise<void> {
    for (let pending = await this.requests(); pending.length > 0; pending = await this.requests())
      await this.calculate([...new Set(pending.map((request) => request.rep_id))], { wait: true });
  }

  /** A runner of lanes as in a worker. Its wake-ups are added to `db.woken`. */
  laneRunner({ maxDeals }: { readonly maxDeals?: number } = {}): LaneRunner {
    const { unitOfWork, clock, wake } = this.db;
    return new LaneRunner(unitOfWork, clock, wake, createLog('silent'), async () => {}, maxDeals);
  }
}
