import { type TestResult } from '../../api/plan-queries.js';
import { type PlanTest } from './draft.js';

const names = ['ruleName', 'dealId', 'refundId', 'lineId', 'period', 'rep'] as const;

/** The test that expects what the plan pays instead of what its failures expected. */
export function adaptedTest(test: PlanTest, failed: TestResult['failed']): PlanTest {
  const own = failed.filter(({ name }) => name === test.name);
  const total = own.find(({ ruleName }) => ruleName === null);
  const expected = test.expected.map((entry) => {
    const failure = own.find((each) => names.every((name) => (each[name] ?? null) === (entry[name] ?? null)));
    return failure === undefined ? entry : { ...entry, amount: failure.actual };
  });
  return { ...test, expected, ...(total === undefined ? {} : { total: total.actual }) };
}
