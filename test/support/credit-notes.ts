/** A rule with deals in close order, and what each pays. */
export interface CreditNoteExample {
  readonly name: string;
  readonly rule: object;
  readonly quota?: { readonly target: number; readonly variableTarget?: number };
  /** The percentage of each deal that belongs to the person. */
  readonly percent?: number;
  readonly amounts: readonly number[];
  readonly pays: readonly string[];
  /** What the explanation of the last deal says about it, if anything. */
  readonly words?: string;
}

const tenPercent = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
const byValue = {
  tierBy: 'value',
  tierValueField: 'amount',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 100_000, rate: 0.12 },
  ],
};
const byCount = {
  measure: '_deals',
  tiers: [
    { tierIndex: 0, minThreshold: 0, flatAmount: 100, name: 'Base' },
    { tierIndex: 1, minThreshold: 1, flatAmount: 200, name: 'Over' },
  ],
};
const capped = { cap: 500, tiers: tenPercent };

/** Sales and credit notes of one rule, on days that follow one another. */
export const creditNoteExamples: readonly CreditNoteExample[] = [
  {
    name: 'a fixed amount of each deal',
    rule: {
      measure: '_deals',
      payoutMode: 'flat_per_event',
      tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }],
    },
    amounts: [10_000, -10_000],
    pays: ['500', '-500'],
    words: 'Credit note: takes back the fixed amount',
  },
  { name: 'tiers by value', rule: byValue, amounts: [150_000, -150_000], pays: ['18000', '-18000'] },
  { name: 'tiers by value without a sale', rule: byValue, amounts: [-60_000], pays: ['-4800'] },
  {
    name: 'a cap',
    rule: capped,
    amounts: [10_000, -10_000],
    pays: ['500', '-500'],
    words: 'Credit note: 500.00 of it was above the cap',
  },
  { name: 'less than the cap cut off', rule: capped, amounts: [10_000, -4000, 3000], pays: ['500', '0', '0'] },
  { name: 'more than the cap cut off', rule: capped, amounts: [10_000, -6000, 3000], pays: ['500', '-100', '100'] },
  { name: 'a cap before the sale', rule: capped, amounts: [-2000, 10_000], pays: ['-200', '700'] },
  {
    name: 'a cap on the variable target',
    rule: { capMultiplier: 0.3, tiers: tenPercent },
    quota: { target: 100_000, variableTarget: 1000 },
    amounts: [10_000, -10_000],
    pays: ['300', '-300'],
  },
  {
    name: 'fixed amounts by attainment',
    rule: byCount,
    quota: { target: 2 },
    amounts: [5000, 5000, -5000],
    pays: ['100', '200', '-200'],
    words: 'Credit note: takes back the fixed amount of tier Over',
  },
  {
    name: 'fixed amounts of a shared deal',
    rule: byCount,
    quota: { target: 1.2 },
    percent: 60,
    amounts: [5000, 5000, -5000],
    pays: ['60', '120', '-120'],
    words: 'Credit note: takes back the fixed amount of tier Over',
  },
];
