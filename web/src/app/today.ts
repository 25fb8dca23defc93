import { todayIn } from '../shared/format/dates.js';
import { toMonth } from '../shared/format/periods.js';
import { endedPeriod, payPeriodOn } from './ended-period.js';
import { useSession } from './session.js';

/** The present day in the time zone of the workspace. */
export function useToday(): string {
  return todayIn(useSession().workspace.timezone);
}

/** The chosen period, or the present month. */
export function usePeriod(chosen?: string): string {
  const month = toMonth(useToday());
  return chosen ?? month;
}

/** The pay period of the present day, or the present month. */
export function usePayPeriod(): string {
  const today = useToday();
  return payPeriodOn(today, useSession().workspace.payPeriods);
}

/** The chosen period, or the one that ended last, which is usually the one to approve and to pay. */
export function useEndedPeriod(chosen?: string): string {
  const today = useToday();
  const { payPeriods } = useSession().workspace;
  return chosen ?? endedPeriod(today, payPeriods);
}
