import { calculateRep } from '../../engine/calculate.js';
import { type Decision, type RepInput } from '../../engine/model.js';
import { type Deal } from '../../engine/slug.js';
import { addTo } from '../../kernel/add-to.js';
import { type DayRange, isWithin } from '../../kernel/day.js';
import { type Decimal } from '../../kernel/decimal.js';
import { type WonForm } from './forecast-task.js';

/** Amounts by currency. */
export type Amounts = ReadonlyMap<string, Decimal>;

/** The fields with which CRMs say that a deal is closed and won. */
const closedSlugs = new Set(['is_won', 'is_closed', 'IsWon', 'IsClosed', 'hs_is_closed', 'hs_is_closed_won']);

/** The open deal as it will be when it is won, with its amount and close date. */
function wonDeal(deal: Deal, { stage, stageLabel, stageSlugs }: WonForm): Deal {
  const fields = Object.entries(deal.fields).map(([slug, value]) => {
    if (stageSlugs.includes(slug)) return [slug, stage];
    if (slug === 'stage_label') return [slug, stageLabel];
    return closedSlugs.has(slug) ? [slug, typeof value === 'string' ? 'true' : true] : [slug, value];
  });
  return { ...deal, fields: Object.fromEntries(fields), standard: { ...deal.standard, dealStage: stage } };
}

/** What a person is paid on the days for an outcome of the open deals. A lost deal pays nothing, also where rules read no stage. */
export class OutcomePay {
  private readonly others: readonly Deal[];
  private readonly won: ReadonlyMap<string, Deal>;

  constructor(
    private readonly input: RepInput,
    open: ReadonlyMap<string, WonForm>,
    private readonly range: DayRange,
    /** What is paid whatever the outcome is. */
    private readonly certain: Amounts,
  ) {
    this.others = input.deals.filter(({ dealId }) => !open.has(dealId));
    this.won = new Map(
      input.deals.flatMap((deal) => {
        const form = open.get(deal.dealId);
        return form === undefined ? [] : [[deal.dealId, wonDeal(deal, form)]];
      }),
    );
  }

  of(won: readonly string[]): Amounts {
    return this.sum(this.decide(won));
  }

  /** What the engine pays on the days. */
  decide(won: readonly string[]): Decision[] {
    const deals = [...this.others, ...won.flatMap((dealId) => this.won.get(dealId) ?? [])];
    const { decisions } = calculateRep({ ...this.input, deals, explain: false });
    return decisions.filter(({ earnedOn }) => isWithin(earnedOn, this.range));
  }

  sum(decisions: readonly Decision[]): Amounts {
    const amounts = new Map(this.certain);
    for (const { currency, amount } of decisions) addTo(amounts, currency, amount);
    return amounts;
  }
}
