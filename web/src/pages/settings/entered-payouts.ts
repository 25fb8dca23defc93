import { type Workspace } from '../../api/settings-queries.js';
import { formatDay, isDay } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';

type Payouts = NonNullable<Workspace['payouts']>;

/** The terms of payouts as a form has them, with texts. */
export interface EnteredPayouts {
  readonly enabled: 'on' | 'off';
  readonly from: string;
  readonly period: NonNullable<Payouts['period']>;
  readonly calendar: NonNullable<Payouts['calendar']>;
  readonly maxPercent: string;
}

export function toEnteredPayouts({ payouts, recovery }: Pick<Workspace, 'payouts' | 'recovery'>): EnteredPayouts {
  return {
    enabled: payouts === undefined ? 'off' : 'on',
    from: payouts?.from ?? '',
    period: payouts?.period ?? 'monthly',
    calendar: payouts?.calendar ?? 'calendar',
    maxPercent: writeNumber(recovery?.maxPercent ?? 100),
  };
}

interface SentPayouts {
  payouts?: Payouts;
  recovery?: { maxPercent: number };
}

/** What is sent: only what was changed. Null while it is incomplete. */
export function readPayouts(before: EnteredPayouts, entered: EnteredPayouts): SentPayouts | null {
  const { enabled, from, period, calendar, maxPercent } = entered;
  const percent = readNumber(maxPercent);
  if (percent === null || percent < 0 || percent > 100) return null;
  const recovery = maxPercent === before.maxPercent ? {} : { recovery: { maxPercent: percent } };
  if (enabled === 'off') return before.enabled === 'off' ? recovery : { payouts: { enabled: false } };
  if (!isDay(from)) return null;
  const payouts = { enabled: true, from, period, calendar };
  const isChanged = (['enabled', 'from', 'period', 'calendar'] as const).some((name) => before[name] !== entered[name]);
  return { ...(isChanged ? { payouts } : {}), ...recovery };
}

/** What the terms mean, in words. */
export function describePayouts({ enabled, from, period }: EnteredPayouts): string {
  if (enabled === 'off') return 'Statements pay what is earned in their period.';
  const start = isDay(from) ? `From ${formatDay(from, 'year')} on, statements` : 'Statements';
  return `${start} of each ${period === 'monthly' ? 'month' : 'quarter'} pay what rules release by its last day, and only they can be approved. What is earned does not change.`;
}
