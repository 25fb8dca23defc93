import { dealOfKey, parseRefundKey, refundKey } from '../engine/clawback.js';
import { type Outcome } from '../engine/model.js';
import { isWithin } from '../kernel/day.js';
import { kindOfPeriod, type PeriodCalendar } from '../kernel/period-calendar.js';
import { defaultPerson, type FailedTest, type PlanTest } from './plan-tests.js';

/** What the rules decided for a person of a test. */
export interface PersonOutcomes {
  readonly person: string;
  readonly outcomes: readonly Outcome[];
}

const maxListed = 5;

/** Why the rule of the expectation paid nothing on deals or in periods that match it. */
export function findUnpaidOutcomes(
  { deals, refunds = [] }: PlanTest,
  { ruleName, dealId, refundId, period, rep }: PlanTest['expected'][number],
  people: readonly PersonOutcomes[],
  calendar: PeriodCalendar,
): FailedTest['unpaid'] {
  const closeDates = new Map(deals.map((deal) => [deal.dealId, deal.closeDate]));
  const refundDays = refunds.map((refund) => [refundKey(refund.dealId, refund.refundId), refund.day] as const);
  const days = new Map([...closeDates, ...refundDays]);
  const findDay = (key: string) =>
    days.get(key) ?? (kindOfPeriod(key) === null ? null : (calendar.findRange(key)?.to ?? null));
  const isMeant = ({ paid, dealKey, ruleName: ruleOfOutcome }: Outcome) => {
    const day = findDay(dealKey);
    return (
      !paid &&
      (ruleOfOutcome === null || ruleOfOutcome === ruleName) &&
      (dealId === undefined || dealOfKey(dealKey) === dealId) &&
      (refundId === undefined || parseRefundKey(dealKey)?.refundId === refundId) &&
      (period === undefined || (day !== null && isWithin(day, calendar.range(period))))
    );
  };
  return people
    .filter(({ person }) => rep === undefined || rep === person)
    .flatMap(({ person, outcomes }) =>
      outcomes.filter(isMeant).map(({ dealKey, reason, conditions, missing }) => ({
        ...namesOfKey(dealKey),
        ...(person === defaultPerson ? {} : { rep: person }),
        reason,
        conditions: [...conditions],
        missing: [...missing],
      })),
    )
    .slice(0, maxListed);
}

function namesOfKey(dealKey: string): Pick<FailedTest['unpaid'][number], 'dealKey' | 'refundId'> {
  const refund = parseRefundKey(dealKey);
  return refund === null ? { dealKey } : { dealKey: refund.dealId, refundId: refund.refundId };
}
