import { sql } from 'kysely';
import { defaultRateTable } from '../engine/exchange-rates.js';
import { type PlanTerms } from '../engine/plan-config.js';
import { type PlanFx } from '../engine/plan-fx.js';
import { type Day } from '../kernel/day.js';
import { exchangeRatesOf, loadFxTerms } from '../ledger/input/exchange-rates.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type PlanWarning } from './plan-warnings.js';

interface ConvertingPlan {
  readonly terms: Pick<PlanTerms, 'rules'>;
  /** Null for the currency of the workspace. */
  readonly currency: string | null;
  readonly fx: PlanFx | null;
}

/** Currencies of recent deals that the plan cannot convert, and months that are approved with a rate for now. */
export async function collectRateWarnings(
  tx: Transaction,
  { terms, currency: ofPlan, fx }: ConvertingPlan,
): Promise<PlanWarning[]> {
  if (fx === null) return [];
  const workspace = await loadWorkspaceTerms(tx);
  const currency = ofPlan ?? workspace.currency;
  const rates = exchangeRatesOf(workspace.fx ?? (await loadFxTerms(tx, workspace.revision)), workspace.currency);
  const foreign = await loadForeignCurrencies(tx, currency);
  const missing = foreign.filter(({ code, lastDay }) => {
    const day = fx.date === 'fixed' ? (fx.day ?? lastDay) : lastDay;
    const on = { day, isProvisional: fx.date === 'period_end' };
    return rates.find(fx.table ?? defaultRateTable, code, currency, on) === null;
  });
  return [...missing.map(({ code, deals }) => noRate(code, currency, deals)), ...laterRates(terms, fx)];
}

/** The currencies of the deals of a year, each with the last close date. */
async function loadForeignCurrencies(
  tx: Transaction,
  currency: string,
): Promise<{ readonly code: string; readonly lastDay: Day; readonly deals: number }[]> {
  const { rows } = await sql<{ code: string; lastDay: Day; deals: number }>`
    select upper(btrim(currency)) as code, max(close_date) as "lastDay", count(*)::int as deals from deals
    where workspace_id = ${tx.workspaceId} and deleted_at is null and btrim(currency) <> ''
      and close_date between current_date - 366 and current_date + 31
    group by 1 having upper(btrim(currency)) <> ${currency} order by 3 desc limit 20`.execute(tx.db);
  return rows;
}

function noRate(code: string, currency: string, deals: number): PlanWarning {
  return {
    code: 'no_rate',
    path: 'fx',
    message: `${deals} deals are in ${code}, and there is no exchange rate from ${code} to ${currency} for the latest of them, so the plan pays nothing on it. Enter the rate (PUT /v1/fx-rates).`,
  };
}

function laterRates({ rules }: Pick<PlanTerms, 'rules'>, { date }: PlanFx): PlanWarning[] {
  const isLong = rules.some(({ attainmentPeriod }) => attainmentPeriod !== 'monthly');
  if (date !== 'period_end' || !isLong) return [];
  return [
    {
      code: 'rates_come_later',
      path: 'fx.date',
      message:
        'A rule counts periods that are longer than a month, and their rate is that of the last day. Months that are approved before become discrepancies when it arrives.',
    },
  ];
}
