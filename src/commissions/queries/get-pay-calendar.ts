import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { maySee } from '../../kernel/caller.js';
import { currentDay } from '../../kernel/day.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { inParallel } from '../../kernel/waiting.js';
import { loadWorkspaceTerms, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type PayPeriods } from '../../pay/payables/pay-periods.js';
import { loadPayPeriods } from '../../pay/payables/payout-settings.js';
import { payTotals } from '../../pay/payables/statement-payable.js';
import { notYours, repIdQuery } from '../../people/reps/rep.js';
import { requireRepName } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { forecastRep, forecastStamp, seedQuery } from '../forecast/forecast-rep.js';
import { forecastedAmount } from '../forecast/forecasted-releases.js';
import { type Forecast, Forecaster } from '../forecast/forecaster.js';
import { loadStageHistory } from '../forecast/open-deals.js';
import { loadPayCalendar, type PayCalendar, shownPeriods } from '../forecast/pay-calendar.js';

const query = z.strictObject({
  repId: repIdQuery.describe('The person, by id (UUID); reps may see only themselves'),
  seed: seedQuery,
});

const amounts = z.array(z.object(forecastedAmount).describe('An amount of one currency'));

const response = z.object({
  repId: fields.repId,
  name: z.string().describe('Name of the person'),
  periods: z
    .array(
      z
        .object({
          period: z.string().describe('The pay period, such as 2026-01'),
          from: z.string().describe('First day of the period, YYYY-MM-DD'),
          to: z.string().describe('Last day of the period, YYYY-MM-DD'),
          status: z.enum(['open', 'approved']).describe('Whether the statement is approved'),
          amounts: amounts.describe(
            'What the statement pays and no paid batch contains: `sure` by what is earned and known today, `expected` with the open deals',
          ),
          totals: z
            .array(payTotals)
            .describe(
              'How the statement comes to what it surely pays: with draws, corrections and what the person owes',
            ),
        })
        .describe('A pay period'),
    )
    .describe(
      'The pay periods of this month and the next two, and earlier ones that are not paid, in their order. Empty without payouts',
    ),
  later: amounts.describe('What later pay periods release'),
  undated: amounts.describe(
    'What waits for a day that is not known, such as that of the payment of a customer, or is held',
  ),
  ...forecastStamp,
});
type Response = z.input<typeof response>;

export const getPayCalendar = operation({
  id: 'getPayCalendar',
  summary:
    'What the statements of the next three months pay a person: what is sure, and what open deals are expected to add',
  method: 'get',
  path: '/v1/pay-calendar',
  access: 'rep',
  query,
  response,
  failures: { plan_too_complex: 400, rep_not_found: 404 },
  tool: {
    name: 'get_pay_calendar',
    title: 'Get pay calendar',
    hints: effects.reads,
    description: {
      purpose: 'Sure and expected pay of the next three months.',
      useWhen: 'a person asks when pay comes.',
      notFor: 'a deal (list_payables).',
      changes: 'nothing.',
    },
    arguments: { repId: 'The rep', seed: { always: undefined } },
    summary: ({ name, periods }) => `Pay periods of ${name}: ${periods.length}.`,
  },
  example: {
    query: { repId: sampleIds.repId },
    response: {
      repId: sampleIds.repId,
      name: 'Ben',
      periods: [
        {
          period: '2026-02',
          from: '2026-02-01',
          to: '2026-02-28',
          status: 'open',
          amounts: [{ currency: 'USD', sure: 1600, expected: 2400 }],
          totals: [],
        },
      ],
      later: [],
      undated: [{ currency: 'USD', sure: 3200, expected: 4000 }],
      seed: 1,
      calculatedAt: '2026-02-01T08:30:00.000Z',
    },
  },
  uses: { forecaster: Forecaster, clock: CLOCK },
  execute({ query: { repId, seed } }, caller, { forecaster, clock }): Promise<Response> {
    if (!maySee(caller, repId)) throw notYours();
    return forecaster.run(caller, async (tx, forecast) => {
      const name = await requireRepName(tx, repId);
      const now = clock.now();
      const [workspace, payPeriods] = await inParallel(
        () => loadWorkspaceTerms(tx),
        () => loadPayPeriods(tx),
      );
      const today = currentDay(workspace, now);
      const calendar =
        payPeriods === null
          ? { periods: [], later: [], undated: [] }
          : await read(tx, { repId, seed, workspace, payPeriods, today, forecast });
      return { repId, name, ...calendar, seed, calculatedAt: now.toISOString() };
    });
  },
});

interface Scope {
  readonly repId: string;
  readonly seed: number;
  readonly workspace: WorkspaceTerms;
  readonly payPeriods: PayPeriods;
  readonly today: string;
  readonly forecast: Forecast;
}

/** With the open deals that close from the first day of the present pay period on. */
async function read(tx: Transaction, { repId, seed, ...scope }: Scope): Promise<PayCalendar> {
  const { payPeriods, today } = scope;
  const [first, ...others] = shownPeriods(payPeriods, today).filter(({ range }) => range.to >= today);
  if (first === undefined) return loadPayCalendar(tx, { repId, payPeriods, today, added: [] });
  const days = { from: first.range.from, to: (others.at(-1) ?? first).range.to };
  const history = await loadStageHistory(tx);
  const terms = { ...scope, days, seed, goal: null, history, withRows: true };
  const { result } = await forecastRep(tx, repId, terms, 'of all days');
  return loadPayCalendar(tx, { repId, payPeriods, today, added: result.rows?.expected ?? [] });
}
