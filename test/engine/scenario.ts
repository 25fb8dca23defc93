import { calculateRep } from '#src/engine/calculate.js';
import { type Refund } from '#src/engine/clawback.js';
import { compileVersion, type Overrides } from '#src/engine/compiled-plan.js';
import { type CreditLine, withOwner } from '#src/engine/credit-lines.js';
import { type DealLine } from '#src/engine/deal-line.js';
import { type AssignedDays } from '#src/engine/effective-quota.js';
import { ExchangeRates } from '#src/engine/exchange-rates.js';
import { type Fields } from '#src/engine/field-value.js';
import { type FixedEvent, type RepInput, type RepResult, type UpstreamEvent } from '#src/engine/model.js';
import { type PersonFacts } from '#src/engine/person-facts.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { type RateTable } from '#src/engine/rate-table.js';
import { type Deal } from '#src/engine/slug.js';
import { Decimal } from '#src/kernel/decimal.js';
import { periodRange } from '#src/kernel/period.js';

export interface Scenario {
  readonly config: unknown;
  /** One deal per line: `id | close date | amount | field=value, field=value`. */
  readonly deals: string;
  /** More deals with fields of any type, closed on 2026-01-15. */
  readonly more?: readonly { readonly dealId: string; readonly fields: Fields }[];
  /** Credit lines by the id of the deal, which then belongs to someone else. */
  readonly credits?: Readonly<Record<string, readonly CreditLine[]>>;
  readonly quotas?: Readonly<Record<string, { readonly target: number; readonly variableTarget?: number | undefined }>>;
  readonly currency?: string;
  readonly asOf?: string;
  readonly assigned?: AssignedDays;
  readonly frozen?: readonly string[];
  readonly fixed?: readonly FixedEvent[];
  /** Products by the id of the deal. */
  readonly lines?: Readonly<Record<string, readonly DealLine[]>>;
  readonly tables?: readonly RateTable[];
  readonly overrides?: Overrides;
  readonly person?: PersonFacts;
  /** Exchange rates such as `EUR USD 2026-01-01 1.1`; with them the plan converts at the close date. */
  readonly rates?: readonly string[];
  /** The currency of all deals. */
  readonly dealCurrency?: string;
  readonly refunds?: Readonly<Record<string, readonly Refund[]>>;
  readonly peerCredits?: readonly number[];
  /** Deals of people below in the same format, and their events on them. */
  readonly team?: { readonly deals: string; readonly upstream: (dealId: string) => readonly UpstreamEvent[] };
}

/** Calculates one rep on one plan with all traces. */
export function run(scenario: Scenario): RepResult {
  return calculateRep(inputOf(scenario));
}

export function inputOf(scenario: Scenario): RepInput {
  const read = readPlanConfig(scenario.config);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  const version = compileVersion(
    {
      planId: 'plan',
      planVersionId: 'v1',
      version: 1,
      effectiveStart: null,
      effectiveEnd: null,
      currency: scenario.currency ?? 'USD',
      ...(scenario.rates === undefined ? {} : { fx: { date: 'close_date' as const } }),
      fieldMapping: {},
      dealConditions: read.terms.dealConditions,
      rules: read.terms.rules.map((rule) => ({ ...rule, id: `rule:${rule.name}` })),
    },
    'rep',
    scenario.overrides ?? new Map(),
    {},
    'UTC',
    undefined,
    scenario.tables,
  );
  const withFacts = (deal: Deal): Deal => {
    const [lines, refunds] = [scenario.lines?.[deal.dealId], scenario.refunds?.[deal.dealId]];
    const standard = { ...deal.standard, currency: scenario.dealCurrency, dealAmount: deal.fields['amount'] ?? null };
    return {
      ...deal,
      ...(scenario.dealCurrency === undefined && refunds === undefined ? {} : { standard }),
      ...(lines === undefined ? {} : { lines }),
      ...(refunds === undefined ? {} : { refunds }),
    } as Deal;
  };
  return {
    repId: 'rep',
    asOf: scenario.asOf ?? '2026-12-31',
    window: { from: '2026-01-01', to: '2026-12-31' },
    plans: [{ planId: 'plan', assignments: [scenario.assigned ?? { start: null, end: null }], versions: [version] }],
    deals: [
      ...dealsOf(scenario.deals)
        .map(withFacts)
        .map((deal) => {
          const credits = scenario.credits?.[deal.dealId];
          return credits === undefined ? deal : { ...deal, credits: withOwner(credits, 'owner') };
        }),
      ...(scenario.more ?? []).map((deal) => ({
        ...deal,
        closeDate: '2026-01-15',
        standard: { closeDate: '2026-01-15' },
      })),
    ],
    teamDeals: dealsOf(scenario.team?.deals ?? '').map((deal) => ({
      deal: withFacts(deal),
      upstream: scenario.team?.upstream(deal.dealId) ?? [],
    })),
    fixed: scenario.fixed ?? [],
    frozen: (scenario.frozen ?? []).map((period) => ({ period, range: periodRange(period) })),
    quota: (_plan, key, period) => {
      const quota = scenario.quotas?.[`${key} ${period}`];
      if (quota === undefined) return null;
      return {
        target: Decimal.of(quota.target),
        variableTarget: quota.variableTarget === undefined ? null : Decimal.of(quota.variableTarget),
      };
    },
    ...(scenario.person === undefined ? {} : { person: scenario.person }),
    ...(scenario.refunds === undefined ? {} : { refunds: { sources: [], terms: () => null, below: () => [] } }),
    ...(scenario.rates === undefined
      ? {}
      : { fx: { rates: ratesOf(scenario.rates), currencyFields: new Set<string>(), amountSlug: null } }),
    peerCredits: () => (scenario.peerCredits ?? []).map((credit) => Decimal.of(credit)),
    firstActivity: '2026-01-01',
    explain: true,
  };
}

function ratesOf(rates: readonly string[]): ExchangeRates {
  const assumed = rates.map((text) => {
    const [from = '', to = '', day = '', rate = ''] = text.split(' ');
    return { table: 'default', from, to, day, rate };
  });
  return new ExchangeRates([], assumed, { workspaceCurrency: 'USD', maxAgeDays: null });
}

function dealsOf(lines: string): Deal[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(dealOf);
}

function dealOf(line: string): Deal {
  const [dealId = '', closeDate = '', amount = '', extra = ''] = line.split('|').map((cell) => cell.trim());
  const more = extra
    .split(',')
    .filter((pair) => pair.includes('='))
    .map((pair) => pair.split('=').map((part) => part.trim()));
  const fields: Fields = {
    ...(amount === '' ? {} : { amount: Number(amount) }),
    ...Object.fromEntries(more.map(([key, value]) => [key, value])),
  };
  return { dealId, closeDate, fields, standard: { closeDate } };
}
