import { type PlanDocument } from '../../api/acceptance-queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatNumber, formatPercent } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { describeRecovery } from '../draws/words.js';

type Terms = PlanDocument['terms'];

/** The terms of the person as sentences. */
export function describeTerms({ assignments, quotas, overrides, draws }: Terms): readonly string[] {
  return [
    ...assignments.map(
      ({ from, to, ramp, rampFrom }) => `On the plan ${describeDays(from, to)}${describeRamp(ramp, rampFrom)}.`,
    ),
    ...quotas.map(
      ({ measure, period, target, variableTarget }) =>
        `Quota for ${measure} in ${formatPeriod(period)}: ${formatNumber(target)}${variableTarget === null ? '' : `, which pays ${formatNumber(variableTarget)}`}.`,
    ),
    ...overrides.flatMap(({ ruleName, tiers }) => tiers.map((tier) => `${ruleName} pays you ${describeTier(tier)}.`)),
    ...draws.map(
      ({ kind, recoverable, amount, currency, from, to, recovery }) =>
        `${kind === 'guarantee' ? 'Guarantee' : 'Advance'} of ${formatMoney(amount, currency)} ${describeDays(from, to)}, ${recoverable ? 'which later pay takes back' : 'which you keep'}.${recovery === undefined ? '' : ` ${describeRecovery({ recoverable, recovery, to })}`}`,
    ),
  ];
}

function describeRamp(ramp: unknown, from: string | undefined): string {
  if (ramp === null) return '';
  return from === undefined ? ', with a ramp' : `, with a ramp from ${formatDay(from, 'year')} on`;
}

function describeDays(from: string | null, to: string | null): string {
  const start = from === null ? 'from the beginning' : `from ${formatDay(from, 'year')}`;
  return to === null ? start : `${start} to ${formatDay(to, 'year')}`;
}

function describeTier(tier: unknown): string {
  const { rate, flatAmount } = tier as { readonly rate?: number; readonly flatAmount?: number };
  if (rate !== undefined) return formatPercent(rate, 4);
  return flatAmount === undefined ? 'other terms' : formatNumber(flatAmount);
}

/** The worked amounts as sentences, such as "A deal of 60,000 pays $4,800.00". */
export function describeExamples({ workedAmounts, plan }: PlanDocument, currency: string): readonly string[] {
  const code = plan.currency ?? currency;
  return workedAmounts.flatMap(({ name, deals, expected }) => {
    const values = (deals as readonly { readonly dealId: string; readonly amount?: number }[])
      .filter(({ amount }) => amount !== undefined)
      .map(({ amount }) => formatNumber(amount ?? 0));
    const of = values.length === 0 ? name : `${values.length === 1 ? 'A deal' : 'Deals'} of ${values.join(', ')}`;
    return (expected as readonly { readonly ruleName: string; readonly amount: number }[]).map(
      ({ ruleName, amount }) => `${of}: ${ruleName} pays ${formatMoney(amount, code)}.`,
    );
  });
}
