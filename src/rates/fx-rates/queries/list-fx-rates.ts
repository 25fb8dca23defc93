import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery, currency, day, offsetPage } from '../../../platform/operations/schemas.js';
import { fxRate, fxRateExample, tableName } from '../fx-rate.js';
import { listRates } from '../fx-rate-views.js';

const query = z.strictObject({
  table: tableName.optional().describe('Only rates of this table; all tables by default'),
  from: currency.optional().describe('Only rates from this currency, ISO 4217 code'),
  to: currency.optional().describe('Only rates to this currency, ISO 4217 code'),
  since: day.optional().describe('Only rates from this day on, YYYY-MM-DD'),
  until: day.optional().describe('Only rates up to this day, YYYY-MM-DD'),
  asOf: asOfQuery,
  ...offsetPage('rates', 10_000, 1000),
});

export const listFxRates = operation({
  id: 'listFxRates',
  summary: 'Exchange rates by table and pair, newest first',
  method: 'get',
  path: '/v1/fx-rates',
  access: 'admin',
  query,
  response: z.object({
    fxRates: z.array(fxRate).describe('The rates of the page'),
    count: z.int().describe('Number of rates on all pages'),
  }),
  failures: {},
  tool: {
    name: 'list_fx_rates',
    title: 'List exchange rates',
    hints: effects.reads,
    description: {
      purpose: 'Exchange rates of the workspace, by table and pair of currencies.',
      useWhen: 'a deal has the reason fx_rate_missing.',
      notFor: 'one deal (get_commissions).',
      changes: 'nothing.',
    },
    arguments: {
      table: { always: undefined },
      from: 'From this currency',
      to: 'To this currency',
      since: 'First day',
      until: 'Last day',
      asOf: { always: undefined },
    },
    listsWithin: ['fxRates'],
    summary: ({ count }) => `Exchange rates: ${count}.`,
  },
  example: { query: { from: 'EUR' }, response: { fxRates: [fxRateExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { asOf, limit, offset, ...filter } }, caller, { unitOfWork }) {
    const { rates, count } = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) =>
      listRates(tx, filter, { limit, offset }),
    );
    return { fxRates: rates, count };
  },
});
