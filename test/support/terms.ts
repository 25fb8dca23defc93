/** The condition that most plans of tests have. */
export const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };

/** One tier without a threshold. */
export const flatTier = (rate: number) => [{ tierIndex: 0, minThreshold: 0, rate }];

/** A rule that pays the rate of the amount of every deal. */
export function flatRule(name: string, rate: number, overrides: object = {}) {
  return { name, measure: 'amount', tiers: flatTier(rate), ...overrides };
}
