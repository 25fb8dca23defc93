import { sql } from 'kysely';
import { type QueryResultRow } from 'pg';
import { readConfig } from '#src/app/config.js';
import { DealExplainer } from '#src/commissions/deal-explainer.js';
import { ExceptionReports } from '#src/commissions/exception-reports.js';
import { simulationThreads } from '#src/commissions/simulation-limits.js';
import { deriveFromPeople } from '#src/deals/derive-from-people.js';
import { REMOVE_PAY_FACTS } from '#src/deals/purge-deal.js';
import { MonthReports } from '#src/finance/month-reports.js';
import { type Clock } from '#src/kernel/clock.js';
import { LaneRunner, type WakeLanes } from '#src/ledger/lanes/lane-runner.js';
import { CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { removePayFacts } from '#src/pay/payouts/remove-pay-facts.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { CLOCK, CONFIG } from '#src/platform/injection-tokens.js';
import { JobQueue } from '#src/platform/jobs/job-queue.js';
import { createLog } from '#src/platform/log.js';
import { MailServer } from '#src/platform/mail/mail-server.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { OperationDispatcher } from '#src/platform/operations/operation-dispatcher.js';
import { PartContainer } from '#src/platform/part-container.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { afterFile } from './after-file.js';
import { query } from './ledger-checks.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

type Urls = Pick<TestDatabase, 'ownerUrl' | 'appUrl' | 'drop'>;

const startOfTests = new Date('2026-05-15T12:00:00Z');

let databaseOfFile: Promise<OfflineDatabase> | undefined;

/** A database without a service, and the parts of a service that operations and lanes use in this process. */
export class OfflineDatabase {
  now = startOfTests;
  readonly clock: Clock = { now: () => this.now };
  /** Months whose books have more lines are large; undefined for the limit of the service. */
  maxBookLines: number | undefined;
  /** Reps for whom a wake-up was sent, newest last. */
  readonly woken: string[] = [];
  readonly wake: WakeLanes = async (_workspaceId, repIds) => {
    this.woken.push(...repIds);
  };

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
  ): Promise<OfflineDatabase> {
    const { ownerUrl, appUrl, drop } = await database;
    const owner = createDatabase({ url: ownerUrl, size: 2, onError: () => {}, asOwner: true });
    const app = createDatabase({ url: appUrl, size: 6, onError: () => {} });
    return new OfflineDatabase(ownerUrl, appUrl, owner, app, new UnitOfWork(app), drop);
  }

  /** The database of the current test file, without rows. The first call creates it; it is dropped after the file. */
  static async emptied(): Promise<OfflineDatabase> {
    if (databaseOfFile === undefined) {
      const created = OfflineDatabase.create();
      databaseOfFile = created;
      afterFile(async () => {
        databaseOfFile = undefined;
        await (await created).close();
      });
    }
    const database = await databaseOfFile;
    await database.empty();
    return database;
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
    this.maxBookLines = undefined;
    this.woken.length = 0;
  }

  async close(): Promise<void> {
    await this.app.destroy();
    await this.owner.destroy();
    await this.drop();
  }

  /** Rows as the owner of the tables reads them. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql<Row extends QueryResultRow = any>(text: string, ...values: unknown[]): Promise<Row[]> {
    return query(this.ownerUrl, text, values);
  }

  dispatcher(operation: AnyOperation): OperationDispatcher {
    const { unitOfWork, clock, wake, maxBookLines } = this;
    return dispatcherFor(operation, { unitOfWork, clock, wake, maxBookLines });
  }
}

interface Wiring {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly wake: WakeLanes;
  readonly maxBookLines?: number | undefined;
}

const threadLimits = { threads: 1, heapMb: 192, seconds: 60 };
/** A thread starts with the first large explanation, and does not keep the process alive. */
const threads = simulationThreads(threadLimits);

/** A dispatcher for one operation, wired as in the composition but without a queue. */
export function dispatcherFor(
  operation: AnyOperation,
  { unitOfWork, clock, wake, maxBookLines }: Wiring,
): OperationDispatcher {
  const laneRunner = new LaneRunner(unitOfWork, clock, wake, createLog('silent'));
  const config = readConfig({ NODE_ENV: 'test' });
  const explainer = new DealExplainer(unitOfWork, threads, threadLimits);
  const parts = new PartContainer()
    .provide(UnitOfWork, () => unitOfWork)
    .provide(CommissionChanges, () => new CommissionChanges(unitOfWork, wake, laneRunner, clock, deriveFromPeople))
    .provide(LaneRunner, () => laneRunner)
    .provide(JobQueue, () => ({ add: async () => {} }) as unknown as JobQueue)
    .provide(CLOCK, () => clock)
    .provide(MailServer, () => new MailServer(config, unitOfWork, new Secrets(Buffer.alloc(32, 1))))
    .provide(CONFIG, () => config)
    .provide(REMOVE_PAY_FACTS, () => removePayFacts)
    .provide(DealExplainer, () => explainer)
    .provideClass(ExceptionReports, [UnitOfWork, DealExplainer, JobQueue, CLOCK])
    .provide(MonthReports, () => new MonthReports(unitOfWork, clock, maxBookLines));
  return new OperationDispatcher([operation], parts);
}
