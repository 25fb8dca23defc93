import { type Decimal } from '../kernel/decimal.js';
import { byCloseOrder } from './close-order-walk.js';
import {
  type BlockedChange,
  type Decision,
  isExplained,
  type Outcome,
  type RepInput,
  type RepResult,
} from './model.js';
import { outcome, PlanCalculation, toBlockedChange } from './plan-calculation.js';

/** The commission of one rep over the window: a pure function of its input, independent of the order of the deals. */
export function calculateRep(input: RepInput): RepResult {
  const steps = calculationSteps(input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The calculation in steps of a few milliseconds, so that the caller can let other work run between them. */
export function* calculationSteps(input: RepInput): Generator<void, RepResult> {
  const deals = [...input.deals.map((deal) => ({ deal, upstream: null })), ...input.teamDeals].sort((a, b) =>
    byCloseOrder(a.deal, b.deal),
  );
  const result = {
    decisions: [] as Decision[],
    blocked: [] as BlockedChange[],
    outcomes: [] as Outcome[],
    credits: new Map<string, Decimal>(),
  };
  for (const plan of input.plans) yield* new PlanCalculation(input, plan, result).run(deals);
  const known = new Set(input.plans.map((plan) => plan.planId));
  for (const planId of formerPlans(input, known)) {
    known.add(planId);
    yield* new PlanCalculation(input, { planId, assignments: [], versions: [] }, result).run([]);
  }
  for (const fixed of input.fixed) {
    if (!known.has(fixed.planId) && fixed.kind === 'frozen')
      result.blocked.push(toBlockedChange(input, fixed, 'reverse'));
  }
  if (input.plans.length === 0) {
    const explained = input.deals.filter((deal) => isExplained(input.explain, deal.dealId));
    for (const deal of explained) result.outcomes.push(outcome(deal.dealId, null, null, 'no_assignment'));
  }
  return result;
}

/** The plans that the rep has left and that have paid deals with refunds: their clawbacks are still calculated. */
function formerPlans({ refunds, fixed }: RepInput, known: ReadonlySet<string>): string[] {
  const rows = refunds === undefined ? [] : [...refunds.sources, ...fixed];
  return [...new Set(rows.map(({ planId }) => planId))].filter((planId) => !known.has(planId));
}
