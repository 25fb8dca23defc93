import { z } from 'zod';
import { fields, pageFields } from '../../api/resource-fields.js';
import { findDealHeads } from '../../deals/deal-heads.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { findRepNames } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { offsetPage, text } from '../../platform/operations/schemas.js';
import { accountRoles, entryKinds } from '../accounts.js';
import { assertBookMonth, loadBookMonths } from '../book-months.js';
import { loadPostedPage } from '../closing-views.js';
import { type ListedLine, linesOfMonth, toListedLine } from '../journal-line.js';
import { journalList } from '../month-report.js';
import { MonthReports } from '../month-reports.js';
import { requireEntity } from '../settings-views.js';
import { liabilityQuery, readAsOf, readBooks } from './get-liability.js';

const query = z.strictObject({
  ...liabilityQuery,
  account: z.enum(accountRoles).optional().describe('Only lines of this account'),
  kind: z.enum(entryKinds).optional().describe('Only entries of this kind'),
  dealId: text(200).optional().describe('Only lines of this deal'),
  ...offsetPage('lines', 1000, 200),
});

const line = z
  .object({
    lineId: z.string().describe('Id of the line: the same facts give the same id'),
    entity: z.string().describe('Code of the entity'),
    day: z.string().describe('Day of the line, YYYY-MM-DD'),
    kind: z.enum(entryKinds).describe('Kind of the entry'),
    ref: z.string().describe('The entry of the person: its lines add up to zero in every currency'),
    account: z.enum(accountRoles).describe('Role of the account'),
    repId: fields.repId,
    repName: fields.repName,
    currency: fields.currency,
    amount: z.number().describe('Debit, or credit if it is negative, in `currency`'),
    value: z.number().describe('The same in the currency of the entity'),
    late: z.boolean().describe('The line is about a month that was closed'),
    dealId: fields.dealId.nullable(),
    dealName: fields.dealName.nullable(),
    planId: fields.planId.nullable(),
    ruleName: fields.ruleName.nullable(),
    period: z.string().nullable().describe('Pay period of the statement; null for none'),
    batchId: z.string().nullable().describe('Id of the payout batch (UUID); null for none'),
    drawId: z.string().nullable().describe('Id of the draw (UUID); null for none'),
  })
  .describe('A line of the journal of the month');

const response = z.object({
  month: z.string().describe('The month, YYYY-MM'),
  status: z.enum(['open', 'closed']).describe('closed: the lines are those that the closing stored'),
  lines: z.array(line).describe('The lines that match, by person, kind and entry'),
  ...pageFields,
});

async function nameLines(tx: Transaction, lines: readonly ListedLine[]): Promise<z.input<typeof response>['lines']> {
  const names = await findRepNames(
    tx,
    lines.map(({ repId }) => repId),
  );
  const deals = await findDealHeads(
    tx,
    lines.flatMap(({ dealId }) => dealId ?? []),
  );
  return lines.map((each) => ({
    ...each,
    repName: names.get(each.repId) ?? '',
    dealName: deals.get(each.dealId ?? '')?.dealName ?? null,
  }));
}

interface Parts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly reports: MonthReports;
}

type Request = z.output<typeof query>;
type Response = z.input<typeof response>;

/** A page of the lines that the closing stored; null if the month is open. */
function readClosed(caller: Caller, parts: Parts, request: Request): Promise<Response | null> {
  const { month: requested, repId, entity, account, kind, dealId, asOf, limit, offset } = request;
  return readAsOf(caller, parts, asOf, async (tx, today) => {
    const months = await loadBookMonths(tx, today);
    const month = requested ?? months.current;
    assertBookMonth(months, month);
    if (entity !== undefined) await requireEntity(tx, entity);
    const closing = months.closed.find((each) => each.month === month);
    if (closing === undefined) return null;
    const page = { repId, entity, account, kind, dealId, limit, offset };
    const { lines, count } = await loadPostedPage(tx, closing, page);
    return { month, status: 'closed', lines: await nameLines(tx, lines.map(toListedLine)), count, limit, offset };
  });
}

/** A page of a large month from its report; null where the request computes what it needs. */
async function readStored(caller: Caller, parts: Parts, request: Request): Promise<Response | null> {
  const { entity, account, kind, dealId, limit, offset } = request;
  const match = { entity, account, kind, dealId };
  const page = await parts.reports.page<ListedLine>(caller, request, journalList, match);
  if (page === null) return null;
  const { report, rows, count } = page;
  const { month, status } = report.head;
  const lines = await parts.unitOfWork.read(caller, (tx) => nameLines(tx, rows));
  return { month, status, lines, count, limit, offset };
}

function computeOpen(caller: Caller, parts: Parts, request: Request): Promise<Response> {
  const { account, kind, dealId, limit, offset } = request;
  return readBooks(caller, parts, request, async (tx, books) => {
    const lines = (await linesOfMonth(books)).filter(
      (each) =>
        (account === undefined || each.account === account) &&
        (kind === undefined || each.kind === kind) &&
        (dealId === undefined || each.dealId === dealId),
    );
    return {
      month: books.month,
      status: books.closing === null ? ('open' as const) : ('closed' as const),
      lines: await nameLines(tx, lines.slice(offset, offset + limit).map(toListedLine)),
      count: lines.length,
      limit,
      offset,
    };
  });
}

export const listJournalLines = operation({
  id: 'listJournalLines',
  summary: 'The lines of the journal of a month, with the deal, statement or batch behind each of them',
  method: 'get',
  path: '/v1/accounting/journals',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query,
  response,
  failures: { accounting_off: 409, month_not_found: 404, entity_not_found: 404 },
  example: {
    query: { month: '2026-01', account: 'accrued_commission' },
    response: {
      month: '2026-01',
      status: 'open',
      lines: [
        {
          lineId: '9f86d081884c7d659a2feaa0c55ad015',
          entity: 'main',
          day: '2026-01-31',
          kind: 'earned',
          ref: 'earned|New business|D-1',
          account: 'accrued_commission',
          repId: sampleIds.repId,
          repName: 'Ben',
          currency: 'USD',
          amount: -4800,
          value: -4800,
          late: false,
          dealId: sampleIds.dealId,
          dealName: 'Acme renewal',
          planId: sampleIds.planId,
          ruleName: 'New business',
          period: null,
          batchId: null,
          drawId: null,
        },
      ],
      count: 1,
      limit: 200,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, reports: MonthReports },
  async execute({ query: request }, caller, parts): Promise<Response> {
    const stored = (await readClosed(caller, parts, request)) ?? (await readStored(caller, parts, request));
    return stored ?? computeOpen(caller, parts, request);
  },
});
