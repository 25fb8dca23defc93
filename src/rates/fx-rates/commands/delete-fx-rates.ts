import { z } from 'zod';
import { defaultRateTable } from '../../../engine/exchange-rates.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { currency, day } from '../../../platform/operations/schemas.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { changeOfRates, runRateChange } from '../change-fx-rates.js';
import { tableName } from '../fx-rate.js';
import { removeRates } from '../fx-rate-store.js';
import { selectRates } from '../fx-rate-views.js';

const query = dryRunQuery.extend({
  table: tableName.default(defaultRateTable),
  from: currency.describe('ISO 4217 code of the currency that is converted'),
  to: currency.describe('ISO 4217 code of the currency into which it is converted'),
  since: day.optional().describe('First day of the deleted rates, YYYY-MM-DD; all earlier ones by default'),
  until: day.optional().describe('Last day of the deleted rates, YYYY-MM-DD; all later ones by default'),
});

const response = z.object({
  deleted: z.int().describe('Number of deleted rates'),
  ...changeOfRates,
});

export const deleteFxRates = operation({
  id: 'deleteFxRates',
  summary: 'Delete exchange rates of a pair; deals that they converted are calculated again',
  method: 'delete',
  path: '/v1/fx-rates',
  access: 'admin',
  query,
  response,
  failures: {},
  example: {
    query: { from: 'EUR', to: 'USD', since: '2026-02-02', until: '2026-02-02' },
    response: { deleted: 1, affected: { reps: 0, events: 0 }, jobId: null },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: { dryRun, ...filter } }, caller, uses): Promise<z.input<typeof response>> {
    return runRateChange(uses, caller, dryRun, async (tx) => {
      const changed = await selectRates(tx, filter);
      await removeRates(tx, changed);
      return { result: { deleted: changed.length }, changed };
    });
  },
});
