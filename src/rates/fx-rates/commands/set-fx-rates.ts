import { z } from 'zod';
import { defaultRateTable } from '../../../engine/exchange-rates.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { changeOfRates, runRateChange } from '../change-fx-rates.js';
import { loadConvertingAssignments } from '../converting-plans.js';
import { rateTerms, readRates, tableName } from '../fx-rate.js';
import { storeRates } from '../fx-rate-store.js';
import { findReplacedRates } from '../fx-rate-views.js';

const body = z.strictObject({
  table: tableName.optional(),
  rates: z.array(rateTerms).min(1).max(10_000).describe('The rates; each replaces that of its pair and day'),
});

const response = z.object({
  stored: z.int().describe('Number of rates in the request'),
  changed: z.int().describe('Number of them that were not stored so before'),
  ...changeOfRates,
});

export const setFxRates = operation({
  id: 'setFxRates',
  summary: 'Enter or correct exchange rates; people whose deals they convert are calculated again',
  method: 'put',
  path: '/v1/fx-rates',
  access: 'admin',
  query: dryRunQuery,
  body,
  maxKeys: 100_000,
  response,
  failures: { invalid_rate: 400 },
  tool: {
    name: 'set_fx_rates',
    title: 'Set exchange rates',
    hints: effects.sets,
    description: {
      purpose: 'Enter exchange rates, or correct those of the same pair and day.',
      useWhen: 'list_exceptions has fx_rate_missing, or a rate was wrong. Call it with dryRun true first.',
      notFor: 'which day a plan converts at (update_plan with fx).',
      formats: 'rate is units of to for one unit of from; it holds from its day until the next rate of the pair',
      changes: 'deals that these rates convert are calculated again; approved statements stay.',
    },
    arguments: {
      table: 'Table of rates; default when absent',
      rates: {
        description: 'The rates: [{from, to, day, rate}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      dryRun: 'true: only say the effect',
    },
    summary: ({ changed, affected }) =>
      `Rates: ${changed} changed. Deals that are converted otherwise: ${affected.events}, of ${affected.reps} people.`,
  },
  subject: async (tx, { body: { table = defaultRateTable, rates } }) => ({
    paid: [...new Set((await loadConvertingAssignments(tx, [table])).map(({ repId }) => repId))],
    state: await findReplacedRates(tx, readRates(rates, table)),
  }),
  example: {
    body: { rates: [{ from: 'EUR', to: 'USD', day: '2026-02-02', rate: 1.0837 }] },
    response: { stored: 1, changed: 1, affected: { reps: 0, events: 0 }, jobId: null },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: { dryRun }, body: { table, rates } }, caller, uses): Promise<z.input<typeof response>> {
    const read = readRates(rates, table);
    return runRateChange(uses, caller, dryRun, async (tx) => {
      const changed = (await storeRates(tx, read)).map(({ after }) => after);
      return { result: { stored: read.length, changed: changed.length }, changed };
    });
  },
});
