import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type Day } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { readBasis } from '../platform/database/cache-versions.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import { assertBookMonth, type BookMonths, loadBookMonths } from './book-months.js';
import { loadBooks } from './load-books.js';
import { listMonths, type Month } from './month.js';
import { makeReport, partOf, type ReportPart } from './month-report.js';
import { findReport, readList, type StoredReport, storeReport } from './report-store.js';

/** Books with more lines than this are computed once for all requests: 10,000 take about a second. */
const maxComputedLines = 10_000;

interface WantedRows {
  /** Undefined for the present month. */
  readonly month?: string | undefined;
  readonly repId?: string | undefined;
  readonly asOf?: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

interface Computed {
  readonly part?: ReportPart;
  /** Called each time after the books of so many more people are computed. */
  readonly onKept?: ((people: number) => Promise<unknown>) | undefined;
}

interface FoundMonth {
  readonly month: Month;
  readonly isOpen: boolean;
  /** Its report is stored: computing it takes seconds. */
  readonly isLarge: boolean;
  readonly stored: StoredReport | null;
}

/** The reports of large months. The first request after a change computes them, and stores them for the others. */
export class MonthReports {
  /** Reports that this process computes, by workspace, month and state of the books. */
  private readonly computing = new Map<string, Promise<StoredReport>>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly maxLines = maxComputedLines,
  ) {}

  /** The report that is stored of the month as its books are now. */
  async find(caller: Caller, requested?: Month, part: ReportPart = 'sums'): Promise<FoundMonth> {
    return this.unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, this.clock);
      const months = await loadBookMonths(tx, today);
      const month = requested ?? months.current;
      assertBookMonth(months, month);
      const isLarge = await hasMoreLines(tx, months, month, this.maxLines);
      const stored = isLarge ? await findReport(tx, { month, part }, today) : null;
      return { month, isOpen: months.firstOpen <= month, isLarge, stored };
    });
  }

  /** A page of a list of a large month, of its rows with these values; null where the request computes what it needs. */
  async page<Row>(
    caller: Caller,
    { month: requested, repId, asOf, limit, offset }: WantedRows,
    list: string,
    match: Readonly<Record<string, string | undefined>> = {},
  ): Promise<{ readonly report: StoredReport; readonly rows: Row[]; readonly count: number } | null> {
    if (repId !== undefined || asOf !== undefined) return null;
    const part = partOf(list);
    const { month, isLarge, stored } = await this.find(caller, requested, part);
    if (!isLarge) return null;
    const report = stored ?? (await this.compute(caller, month, { part }));
    const page = await this.unitOfWork.read(caller, (tx) => readList<Row>(tx, report, list, { limit, offset, match }));
    return page === null ? null : { report, ...page };
  }

  /** Computes the report in one snapshot, and stores it. Requests of this process that need it meanwhile share it. */
  async compute(caller: Caller, month: Month, { part = 'sums', onKept }: Computed = {}): Promise<StoredReport> {
    const { workspaceId } = caller;
    const basis = await this.unitOfWork.read(caller, async (tx) => readBasis(tx, await workspaceToday(tx, this.clock)));
    const key = `${workspaceId} ${month} ${part} ${basis}`;
    return getOrInsert(this.computing, key, () =>
      this.computeAndStore(caller, month, { part, onKept }).finally(() => this.computing.delete(key)),
    );
  }

  private async computeAndStore(
    caller: Caller,
    month: Month,
    { part, onKept }: Computed & Required<Pick<Computed, 'part'>>,
  ): Promise<StoredReport> {
    const { workspaceId } = caller;
    const options = { lock: 'none', access: 'read', isolation: 'repeatable read' } as const;
    const { basis, report } = await this.unitOfWork.run({ workspaceId }, options, async (tx) => {
      const today: Day = await workspaceToday(tx, this.clock);
      const books = await loadBooks(tx, { month, repIds: null, entity: null, today, onKept });
      const months = await loadBookMonths(tx, today);
      return { basis: await readBasis(tx, today), report: await makeReport(tx, months, books, part) };
    });
    return this.unitOfWork.write({ workspaceId }, (tx) => storeReport(tx, caller, report, { basis, part }));
  }
}

/** Whether the books have more lines: each row of the ledger has about one in each open month. */
async function hasMoreLines(
  tx: Transaction,
  { firstOpen }: BookMonths,
  month: Month,
  maxLines: number,
): Promise<boolean> {
  const open = Math.max(1, listMonths(firstOpen, month).length);
  const maxRows = Math.floor(maxLines / open);
  const { rows } = await sql<{ isLarge: boolean }>`
    select count(*) > ${maxRows}::int as "isLarge"
    from (select from commission_events where workspace_id = ${tx.workspaceId} limit ${maxRows + 1}::int) counted`.execute(
    tx.db,
  );
  return rows[0]?.isLarge === true;
}
