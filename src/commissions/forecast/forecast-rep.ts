import { z } from 'zod';
import { type Day, type DayRange } from '../../kernel/day.js';
import { computeWindow } from '../../ledger/input/load-window.js';
import { loadRepTerms, type RepTerms, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { type ForecastResult } from './forecast-task.js';
import { type Forecast } from './forecaster.js';
import { listOpenDeals, type OpenDeal, type StageHistory } from './open-deals.js';

const maxSeed = 2 ** 32 - 1;

export const seedQuery = wholeNumber(0, maxSeed)
  .default(1)
  .describe('Seed of the draws; equal seeds draw equal outcomes of a deal, whatever the plan is');

export const forecastStamp = {
  seed: z.int().describe('Seed of the draws'),
  calculatedAt: z.string().describe('When the forecast was calculated, instant in ISO 8601; it is not stored'),
};

/** What the forecasts of one request have in common. */
export interface ForecastScope {
  readonly workspace: WorkspaceTerms;
  readonly today: Day;
  /** The close dates of the open deals. */
  readonly days: DayRange;
  readonly seed: number;
  readonly goal: number | null;
  readonly history: StageHistory;
  readonly withRows: boolean;
  readonly forecast: Forecast;
}

export interface RepForecast {
  readonly terms: RepTerms;
  readonly open: readonly OpenDeal[];
  readonly result: ForecastResult;
}

/**
 * The pay of the days, or of all days on which the open deals change what is paid: they may raise what other deals of their
 * attainment period pay.
 */
export async function forecastRep(
  tx: Transaction,
  repId: string,
  { workspace, today, days, seed, goal, history, withRows, forecast }: ForecastScope,
  pay: 'of the days' | 'of all days' = 'of the days',
): Promise<RepForecast> {
  const terms = await loadRepTerms(tx, repId, workspace);
  const open = await listOpenDeals(tx, terms, days, history);
  const deals = open.map(({ dealId, amount, probability, won }) => ({
    dealId,
    amount,
    probability: probability?.value.toString() ?? null,
    won,
  }));
  const range = pay === 'of the days' ? days : computeWindow(terms, days);
  return { terms, open, result: await forecast({ repId, range, workspace, today, seed, deals, goal, withRows }) };
}
