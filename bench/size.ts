/**
 * How much the benchmarks measure: `quick` exercises all of them in some minutes and its figures say nothing, `small`
 * uses 10,000 deals, `large` also a million, which takes hours.
 */
export type Size = 'quick' | 'small' | 'usual' | 'large';
