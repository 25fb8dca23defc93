import { z } from 'zod';
import { pageFields } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day } from '../../kernel/day.js';
import { dayOfState } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery, offsetPage, uuid } from '../../platform/operations/schemas.js';
import { entityCode } from '../entity.js';
import {
  addByCurrency,
  type LiabilityRow,
  liabilityExample,
  liabilityRow,
  listByPerson,
  listMissingRates,
  missingRates,
  nameRows,
  toLiabilityRow,
} from '../liability.js';
import { loadBooks, type MonthBooks } from '../load-books.js';
import { month } from '../month.js';
import { liabilityList } from '../month-report.js';
import { MonthReports } from '../month-reports.js';

export const liabilityQuery = {
  month: month.optional().describe('Month of the books, YYYY-MM; the present month by default'),
  repId: uuid.optional().describe('Only this rep, by id (UUID)'),
  entity: entityCode.optional().describe('Only this entity, by code'),
  asOf: asOfQuery,
};

const query = z.strictObject({
  ...liabilityQuery,
  groupBy: z
    .enum(['currency', 'person'])
    .default('currency')
    .describe('currency: one row for each entity and currency; person: one for each entity, person and currency'),
  ...offsetPage('rows', 1000, 200),
});

const response = z.object({
  month: month.describe('The month, YYYY-MM'),
  status: z.enum(['open', 'closed']).describe('closed: the amounts are those that the closing stored'),
  liability: z.array(liabilityRow).describe('The roll-forward, by entity, currency and name'),
  missingRates,
  ...pageFields,
});

interface BookReader {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

/** Reads what the books contain now, or at the instant, with the day of then. */
export function readAsOf<T>(
  caller: Caller,
  { unitOfWork, clock }: BookReader,
  asOf: Date | undefined,
  work: (tx: Transaction, today: Day) => Promise<T>,
): Promise<T> {
  const options = { lock: 'none', access: 'read', isolation: 'repeatable read', asOf } as const;
  return unitOfWork.run(caller, options, async (tx) => work(tx, await dayOfState(tx, clock)));
}

/** Reads the books of a month as they are known now, or at the instant. */
export function readBooks<T>(
  caller: Caller,
  reader: BookReader,
  request: {
    readonly month?: string | undefined;
    readonly repId?: string | undefined;
    readonly entity?: string | undefined;
    readonly asOf?: Date | undefined;
    readonly isAlone?: boolean;
  },
  work: (tx: Transaction, books: MonthBooks) => Promise<T>,
): Promise<T> {
  const { repId, entity = null, asOf, isAlone } = request;
  return readAsOf(caller, reader, asOf, async (tx, today) => {
    const repIds = repId === undefined ? null : [repId];
    return work(tx, await loadBooks(tx, { month: request.month ?? null, repIds, entity, today, isAlone }));
  });
}

interface LiabilityReader extends BookReader {
  readonly reports: MonthReports;
}

/** Reads a large month from its report. */
export async function readLiability(
  caller: Caller,
  reader: LiabilityReader,
  request: z.output<typeof query>,
): Promise<z.input<typeof response>> {
  const { groupBy: grouping, entity = null, limit, offset } = request;
  const list = liabilityList(grouping, entity);
  const page = await reader.reports.page<LiabilityRow>(caller, request, list);
  if (page !== null) {
    const { report, rows, count } = page;
    const { month: name, status, missingRates: missing } = report.head;
    const own = missing.filter((each) => entity === null || each.entity === entity);
    return { month: name, status, liability: rows, missingRates: listMissingRates(own), count, limit, offset };
  }
  return readBooks(caller, reader, request, async (tx, books) => {
    const people = listByPerson(books);
    const rows = await nameRows(tx, grouping === 'person' ? people : addByCurrency(people));
    return {
      month: books.month,
      status: books.closing === null ? ('open' as const) : ('closed' as const),
      liability: rows.slice(offset, offset + limit).map(toLiabilityRow),
      missingRates: listMissingRates(books.missingRates),
      count: rows.length,
      limit,
      offset,
    };
  });
}

export const getLiability = operation({
  id: 'getLiability',
  summary: 'What people are owed at the end of a month, and how it came from the end of the month before',
  method: 'get',
  path: '/v1/accounting/liability',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query,
  response,
  failures: { accounting_off: 409, month_not_found: 404, entity_not_found: 404 },
  cacheScope: () => null,
  tool: {
    name: 'get_liability',
    title: 'Get liability',
    hints: effects.reads,
    description: {
      purpose: 'What people are owed at the end of a month, and what moved it.',
      useWhen: 'someone asks what the company owes.',
      notFor: 'what one rep waits for (list_payables).',
      changes: 'nothing.',
    },
    arguments: {
      month: 'This month by default',
      repId: 'This rep',
      entity: { always: undefined },
      asOf: { always: undefined },
      groupBy: { always: 'currency' },
    },
    listsWithin: ['liability'],
    summary: ({ count, month: of }) => `What is owed in ${of}: ${count} sums by currency.`,
  },
  example: {
    query: { month: '2026-03' },
    response: {
      month: '2026-03',
      status: 'open',
      liability: [liabilityExample],
      missingRates: [],
      count: 1,
      limit: 200,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, reports: MonthReports },
  execute: ({ query: request }, caller, parts) => readLiability(caller, parts, request),
});
