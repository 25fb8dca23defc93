/**
 * How much the benchmarks measure: `quick` exercises all of them in a few minutes and its figures say nothing, `small`
 * uses 10,000 deals, `large` also a million, which takes hours.
 */
const sizes = ['quick', 'small', 'usual', 'large'] as const;

export type Size = (typeof sizes)[number];
