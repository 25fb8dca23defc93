import { expect } from 'chai';
import { calculationSteps } from '#src/engine/calculate.js';
import { computePlanCost, maxPlanCost } from '#src/engine/plan-cost.js';
import { inputOf } from './scenario.js';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('the calculation of an expensive plan', () => {
  it('has steps of at most 50 ms', () => {
    const lost = { field: 'stage', fieldType: 'text', operator: 'not_equals', value: 'lost' } as const;
    const rules = many(50, (at) => ({
      name: `R${at}`,
      measure: 'amount',
      conditions: many(50, () => lost),
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
    }));
    expect(computePlanCost({ rules })).to.be.within(maxPlanCost / 2, maxPlanCost);
    const deals = many(300, (at) => `d${at} | 2026-01-15 | 100 |`).join('\n');
    const steps = calculationSteps(inputOf({ config: { rules }, deals }));
    const times: number[] = [];
    for (let last = performance.now(), step = steps.next(); step.done !== true; step = steps.next()) {
      times.push(performance.now() - last);
      last = performance.now();
    }
    expect(times.filter((ms) => ms > 50).length).to.be.lessThan(times.length / 20);
  });
});
