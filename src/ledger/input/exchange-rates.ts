import { type RawBuilder, sql } from 'kysely';
import { type FxInput } from '../../engine/convert-deal.js';
import { type AssumedRate, ExchangeRates, type RateSeries } from '../../engine/exchange-rates.js';
import { type RepInput } from '../../engine/model.js';
import { type PlanFx } from '../../engine/plan-fx.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The exchange rates of a workspace as plain data, which is sent between threads. */
export interface FxTerms {
  readonly maxAgeDays: number | null;
  /** The fields that a CRM defines as money. */
  readonly currencyFields: readonly string[];
  readonly series: readonly RateSeries[];
  /** Rates in place of stored ones. */
  readonly assumed: readonly AssumedRate[];
}

/** Whether a plan of the workspace converts, or rates are stored. */
export function usesRatesColumn(tx: Transaction): RawBuilder<boolean> {
  return sql`(
    exists (select from plan_versions where workspace_id = ${tx.workspaceId} and fx is not null)
    or exists (select from fx_rates where workspace_id = ${tx.workspaceId}))`;
}

/** All rates of a revision of the configuration, read once in a process. */
interface StoredSeries {
  readonly series: readonly RateSeries[];
}

/** Which rates count, and which fields hold money. */
export async function loadRateRules(tx: Transaction): Promise<Pick<FxTerms, 'currencyFields' | 'maxAgeDays'>> {
  const { rows } = await sql<Pick<FxTerms, 'currencyFields' | 'maxAgeDays'>>`
    select fx_max_age_days as "maxAgeDays", currency_fields as "currencyFields" from workspaces
    where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return rows[0] as (typeof rows)[number];
}

/** The rates and the fields that hold money. `revision` is that of the configuration, read before. */
export async function loadFxTerms(tx: Transaction, revision: string): Promise<FxTerms> {
  const cache = tx.cacheOf<StoredSeries>();
  const key = `fx-rates ${tx.workspaceId}`;
  const cached = cache.get(revision, key);
  const rules = await loadRateRules(tx);
  if (cached !== null) return { ...rules, series: cached.series, assumed: [] };
  const series = await loadSeries(tx);
  const { rows } = await sql<{ revision: string }>`
    select configuration_revision as revision from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const size = series.reduce((sum, { rates }) => sum + rates.length, 1);
  // Without the lane's lock the rates may have changed since the revision was read.
  if (rows[0]?.revision === revision) cache.set(revision, key, { series }, size);
  return { ...rules, series, assumed: [] };
}

async function loadSeries(tx: Transaction): Promise<RateSeries[]> {
  const { rows } = await sql<RateSeries>`
    select rate_table as "table", from_currency as "from", to_currency as "to",
      string_agg(day || ' ' || trim_scale(rate), ',' order by day) as rates
    from fx_rates where workspace_id = ${tx.workspaceId}
    group by 1, 2, 3`.execute(tx.db);
  return rows;
}

/** The parts of the terms of a workspace that decide about rates. */
interface FxWorkspace {
  readonly currency: string;
  readonly amountSlug: string | null;
  readonly fx: FxTerms | null;
}

const known = new WeakMap<FxTerms, ExchangeRates>();

/** The rates of the workspace, read once for all of its reps. */
export function exchangeRatesOf(fx: FxTerms, currency: string): ExchangeRates {
  const read = known.get(fx);
  if (read !== undefined) return read;
  const rules = { workspaceCurrency: currency, maxAgeDays: fx.maxAgeDays };
  const rates = new ExchangeRates(fx.series, fx.assumed, rules);
  known.set(fx, rates);
  return rates;
}

/** The part of the engine's input that plans need which convert. */
export function fxInput({ workspace }: { readonly workspace: FxWorkspace }): Pick<RepInput, 'fx'> {
  const { fx, amountSlug } = workspace;
  if (fx === null) return {};
  const input: FxInput = {
    rates: exchangeRatesOf(fx, workspace.currency),
    currencyFields: new Set(fx.currencyFields),
    amountSlug,
  };
  return { fx: input };
}

/** The terms with exchange rates, if a version that is not stored converts and the workspace has used none so far. */
export async function withRatesFor<Terms extends FxWorkspace & { readonly revision: string }>(
  tx: Transaction,
  workspace: Terms,
  versions: readonly { readonly fx?: PlanFx | null }[],
): Promise<Terms> {
  const converts = versions.some(({ fx }) => fx !== undefined && fx !== null);
  if (workspace.fx !== null || !converts) return workspace;
  return { ...workspace, fx: await loadFxTerms(tx, workspace.revision) };
}
