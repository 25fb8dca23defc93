import { z } from 'zod';
import { fields, pageFields } from '../../api/resource-fields.js';
import { findDealHeads } from '../../deals/deal-heads.js';
import { findRepNames } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { offsetPage } from '../../platform/operations/schemas.js';
import {
  contractCostRow,
  costGroupings,
  type NamedCostRow,
  nameCostRows,
  rollCostsForward,
  splitByTerm,
} from '../contract-costs.js';
import { entityCode } from '../entity.js';
import { type Future } from '../lot.js';
import { readFuture } from '../lots-of-rep.js';
import { type Month, month } from '../month.js';
import { costList } from '../month-report.js';
import { MonthReports } from '../month-reports.js';
import { mainEntity, type StoredEntity } from '../settings-views.js';
import { liabilityQuery, readBooks } from './get-liability.js';

const query = z.strictObject({
  ...liabilityQuery,
  entity: entityCode.default(mainEntity).describe('The entity whose cost it is, by code'),
  groupBy: z
    .enum(costGroupings)
    .default('total')
    .describe('total: one row; person: one for each person; deal: one for each person and deal'),
  ...offsetPage('rows', 1000, 200),
});

const response = z.object({
  month: month.describe('The month, YYYY-MM'),
  status: z.enum(['open', 'closed']).describe('closed: the amounts are those that the closing stored'),
  entity: entityCode,
  currency: fields.currency,
  contractCosts: z.array(contractCostRow).describe('The roll-forward of the asset'),
  current: z
    .number()
    .nullable()
    .describe('What of the carrying amount is amortised within the next twelve months; null as `future` is'),
  nonCurrent: z.number().nullable().describe('What is amortised after them; null as `future` is'),
  future: z
    .array(
      z
        .object({
          month: month.describe('A later month, YYYY-MM'),
          amount: z.number().describe('What is amortised in it, as things are at the end of the month'),
        })
        .describe('Future expense'),
    )
    .nullable()
    .describe('Future expense by month; null for one rep in a closed month, of which only that of everyone is stored'),
  ...pageFields,
});

function describeFuture(ofEntity: Future, name: Month) {
  const future = [...ofEntity].map(([later, amount]) => ({ month: later, amount: amount.toNumber() }));
  return { ...splitByTerm(ofEntity, name), future };
}

/** A closing stores future expense of everyone together. */
const notStored = { current: null, nonCurrent: null, future: null };

export const getContractCosts = operation({
  id: 'getContractCosts',
  summary: 'The capitalised cost of obtaining contracts in a month: its roll-forward, and future expense by month',
  method: 'get',
  path: '/v1/accounting/contract-costs',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query,
  response,
  failures: { accounting_off: 409, month_not_found: 404, entity_not_found: 404 },
  cacheScope: () => null,
  tool: {
    name: 'get_contract_costs',
    title: 'Get contract costs',
    hints: effects.reads,
    description: {
      purpose: 'Capitalised commission in a month, and its future amortisation.',
      useWhen: 'someone asks what is an asset.',
      notFor: 'what is owed (get_liability).',
      changes: 'nothing.',
    },
    arguments: {
      month: 'This month by default',
      repId: 'This rep',
      entity: { always: mainEntity },
      asOf: { always: undefined },
      groupBy: { always: 'total' },
    },
    listsWithin: ['contractCosts'],
    summary: ({ count, month: of }) => `Capitalised commission of ${of}: ${count} sums.`,
  },
  example: {
    query: { month: '2026-01' },
    response: {
      month: '2026-01',
      status: 'open',
      entity: 'main',
      currency: 'USD',
      contractCosts: [
        {
          repId: null,
          repName: null,
          dealId: null,
          dealName: null,
          opening: 0,
          imported: 0,
          additions: 4800,
          corrections: 0,
          amortised: -133.33,
          clawedBack: 0,
          impaired: 0,
          closing: 4666.67,
        },
      ],
      current: 1600,
      nonCurrent: 3066.67,
      future: [{ month: '2026-02', amount: 133.34 }],
      count: 1,
      limit: 200,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, reports: MonthReports },
  async execute({ query: request }, caller, parts): Promise<z.input<typeof response>> {
    const { groupBy: grouping, entity, limit, offset } = request;
    const page = await parts.reports.page<NamedCostRow>(caller, request, costList(grouping, entity));
    if (page !== null) {
      const { report, rows, count } = page;
      const { month: name, status, currencies, future } = report.head;
      const currency = currencies[entity] as string;
      const later = describeFuture(readFuture(future[entity] ?? {}), name);
      return { month: name, status, entity, currency, contractCosts: rows, ...later, count, limit, offset };
    }
    return readBooks(caller, parts, request, async (tx, books) => {
      const rows = rollCostsForward(books, grouping);
      const names = await findRepNames(
        tx,
        rows.flatMap(({ repId }) => repId ?? []),
      );
      const deals = await findDealHeads(
        tx,
        rows.flatMap(({ dealId }) => dealId ?? []),
      );
      const [{ code, currency }] = books.entities as [StoredEntity];
      const status = books.closing === null ? 'open' : 'closed';
      const isStored = status === 'open' || request.repId === undefined;
      return {
        month: books.month,
        status,
        entity: code,
        currency,
        contractCosts: nameCostRows(rows, names, deals).slice(offset, offset + limit),
        ...(isStored ? describeFuture(books.future.get(code) ?? new Map(), books.month) : notStored),
        count: rows.length,
        limit,
        offset,
      };
    });
  },
});
