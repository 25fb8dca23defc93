import { addDays, type Day } from '#src/kernel/day.js';
import { type Period, periodRange, previousPeriod, toPeriod } from '#src/kernel/period.js';
import { managers, sellers } from './people.js';

const [seller = ''] = sellers;
const [manager = ''] = managers;

function deal(name: string, amount: number, closeDate: Day) {
  return {
    name,
    amount,
    closeDate,
    createdDate: addDays(closeDate, -30),
    stage: 'Closed Won',
    currency: 'USD',
    ownerId: seller,
    fields: { deal_type: 'New', contract_years: 1, meetings: 0, region: 'EMEA' },
  };
}

/** A refund before every other deal of its quarter, so that attainment starts below zero. */
export function demoRefund(today: Day) {
  const { from } = periodRange(toPeriod(today, 'quarterly'));
  return { dealId: 'D-0000-refund', deal: deal('Granite Foods, refund', -18_000, from) };
}

interface DemoCorrection {
  /** The rep of the statement; the manager approves it and pays the difference. */
  readonly seller: string;
  readonly manager: string;
  readonly period: Period;
  readonly dealId: string;
  readonly deal: ReturnType<typeof deal>;
  /** What changes after the true-up, and what the seller objects to. */
  readonly amended: ReturnType<typeof deal>;
  readonly objection: string;
}

/**
 * The manager approves the last quarter of a seller; a late deal of that quarter is then paid by a true-up. Later its
 * amount grows, which is a discrepancy, and the seller disputes the statement.
 */
export function demoCorrection(today: Day): DemoCorrection {
  const period = previousPeriod(toPeriod(today, 'quarterly'));
  const { to } = periodRange(period);
  const late = deal('Harbour Media, signed late', 24_000, to);
  return {
    seller,
    manager,
    period,
    dealId: 'D-0000-late',
    deal: late,
    amended: { ...late, amount: 27_500 },
    objection: 'Harbour Media signed an addendum: the deal is 27,500, not 24,000.',
  };
}
