import { type Forecast } from '../../api/forecast-query.js';
import { formatCount, formatMoney, formatPercent } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

type Pace = Forecast['paces'][number];
type Goal = NonNullable<Forecast['goal']>;

/** How far a person is with a quota; null before the first working day and without a target. */
export function paceWords({ measure, period, credit, target, pace, elapsedDays, workingDays }: Pace): string | null {
  if (pace === null) return null;
  const days = `${elapsedDays} of ${formatCount(workingDays, 'working day')}`;
  return `${measure}, ${formatPeriod(period)}: ${formatPercent(credit / target, 0)} of the target after ${days}, ${formatPercent(pace, 0)} of the pace that reaches it.`;
}

/** What reaches a goal, such as "Win Acme to reach it: $10,200.00." */
export function goalWords(goal: Goal, { deals, currency }: Pick<Forecast, 'deals' | 'currency'>): string {
  const money = (amount: number) => formatMoney(amount, currency);
  const names = goal.dealIds.map((dealId) => deals.find((deal) => deal.dealId === dealId)?.name ?? dealId);
  const list = new Intl.ListFormat('en').format(names);
  if (!goal.reached)
    return `Open deals do not reach it: with all of them ${money(goal.pay)}, and ${money(goal.missing)} are missing.`;
  return names.length === 0
    ? `You reach it with ${money(goal.pay)} already.`
    : `Win ${list} to reach it: ${money(goal.pay)}.`;
}
