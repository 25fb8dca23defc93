/** Tiers of the worked example of the calculation rules: 8 %, 12 % from the quota on, 15 % from 125 % of it. */
export const workedTiers = [
  { tierIndex: 0, minThreshold: 0, name: 'Base', rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, name: 'Over', rate: 0.12 },
  { tierIndex: 2, minThreshold: 1.25, name: 'Top', rate: 0.15 },
];

/** Its deals, which earn 4,800, 7,200 and 4,500 against a quota of 100,000 for 2026-Q1. */
export const workedDeals = [
  { dealId: 'D1', amount: 60_000, closeDate: '2026-01-15' },
  { dealId: 'D2', amount: 60_000, closeDate: '2026-02-10' },
  { dealId: 'D3', amount: 30_000, closeDate: '2026-03-05' },
] as const;
