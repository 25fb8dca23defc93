import { type Day, isWithin } from '../kernel/day.js';
import { type Decimal, sum } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { type CompiledRule, type CompiledVersion } from './compiled-plan.js';
import {
  type CompiledFx,
  DealConverter,
  type FieldConversion,
  type FiringConversion,
  type FxInput,
} from './convert-deal.js';
import { type ConvertedLine, convertLine, currencyOfLine } from './convert-line.js';
import { type Share, wholeShare } from './credit-lines.js';
import { type DealLine } from './deal-line.js';
import { convertAmount, ExchangeRates, type RateDay } from './exchange-rates.js';
import { type RepInput, type UpstreamEvent } from './model.js';
import { type PlanQuotas } from './plan-quotas.js';
import { type Deal } from './slug.js';

/** A deal as one rule sees it, with what was converted for this rule and the fields that have no rate. */
export interface RuleDeal {
  readonly deal: Deal;
  readonly on: RateDay;
  readonly conversions: readonly FieldConversion[];
  readonly missing: readonly string[];
}

const noRates: FxInput = {
  rates: new ExchangeRates([], [], { workspaceCurrency: '', maxAgeDays: null }),
  currencyFields: new Set(),
  amountSlug: null,
};

/** The exchange rates of one rep under the rules of one plan. */
export class PlanRates {
  private readonly converters = new Map<CompiledFx, DealConverter>();

  constructor(
    private readonly input: Pick<RepInput, 'fx' | 'asOf'>,
    private readonly quotas: PlanQuotas,
  ) {}

  /** Converts the money that the rule names. The rule must have an attainment period on the close date. */
  convert(fx: CompiledFx, rule: CompiledRule, deal: Deal): RuleDeal {
    const on = this.rateDay(fx, rule, deal.closeDate);
    const converted = this.converterOf(fx).convert(deal, on);
    return {
      on,
      deal: converted.deal,
      conversions: converted.conversions.filter(({ field }) => rule.fields.has(field)),
      missing: converted.missing.filter((field) => rule.fields.has(field)),
    };
  }

  /** Converts the money of a line that the rule names. */
  convertLine(fx: CompiledFx, rule: CompiledRule, deal: Deal, line: DealLine): ConvertedLine {
    const on = this.rateDay(fx, rule, deal.closeDate);
    const from = currencyOfLine(line, deal) ?? fx.currency;
    const rate = from === fx.currency ? null : this.converterOf(fx).findRate(from, on);
    return convertLine(line, rule.lines?.names ?? [], { from, to: fx.currency, on, rate });
  }

  /** The sum of the events in the currency of the version; null if a rate is missing. */
  sumEvents(
    { fx, version }: CompiledVersion,
    events: readonly UpstreamEvent[],
    on: RateDay | null,
  ): { readonly earned: Decimal; readonly conversions: readonly FiringConversion[] } | null {
    const conversions: FiringConversion[] = [];
    const amounts: Decimal[] = [];
    for (const [upstream, { currency, amount }] of events.entries()) {
      if (fx === null || on === null || currency === version.currency) {
        amounts.push(amount);
        continue;
      }
      const rate = this.converterOf(fx).findRate(currency, on);
      if (rate === null) return null;
      const converted = convertAmount(amount, rate);
      amounts.push(converted);
      conversions.push({ upstream, value: amount, converted, rate, on });
    }
    return { earned: sum(amounts), conversions };
  }

  private converterOf(fx: CompiledFx): DealConverter {
    return getOrInsert(this.converters, fx, () => new DealConverter(fx, this.input.fx ?? noRates));
  }

  /** The rates of an open period are provisional until its last day is over. */
  private rateDay({ terms }: CompiledFx, rule: CompiledRule, closeDate: Day): RateDay {
    if (terms.date === 'close_date') return { day: closeDate, isProvisional: false };
    if (terms.date === 'fixed') return { day: terms.day ?? closeDate, isProvisional: false };
    const period = this.quotas.findPeriod(rule, closeDate);
    const range = period === null ? null : this.quotas.calendar.findRange(period);
    if (range === null || !isWithin(closeDate, range)) return { day: closeDate, isProvisional: false };
    return terms.date === 'period_start'
      ? { day: range.from, isProvisional: false }
      : { day: range.to, isProvisional: range.to >= this.input.asOf };
  }
}

/** What a periodic rule converted: one entry for each field and rate, with the sums of its deals times their shares. */
export function sumConversions(
  deals: readonly { readonly conversions: readonly FieldConversion[]; readonly share: Share }[],
): FieldConversion[] {
  const parts = deals.flatMap(({ conversions, share }) =>
    conversions.map((conversion) => ({ conversion, share: share === wholeShare ? null : share.pay })),
  );
  const keyOf = ({ conversion: { field, rate, on } }: (typeof parts)[number]) =>
    JSON.stringify([field, rate.from, on.day, on.isProvisional]);
  return [...groupBy(parts, keyOf).values()].map((same) => {
    const total = (of: 'value' | 'converted') =>
      sum(same.map(({ conversion, share }) => (share === null ? conversion[of] : conversion[of].times(share))));
    return { ...(same[0] as (typeof parts)[number]).conversion, value: total('value'), converted: total('converted') };
  });
}
