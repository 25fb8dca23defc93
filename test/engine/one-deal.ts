import { type DealLine } from '#src/engine/deal-line.js';
import { type Decision } from '#src/engine/model.js';
import { decodeTrace, type Reason, type Trace } from '#src/engine/trace.js';
import { run, type Scenario } from './scenario.js';

/** What a line of the deal has besides its id. */
export type Line = Omit<Partial<DealLine>, 'amount' | 'lineId'> & { readonly amount: number };

interface PaidDeal extends Decision {
  readonly decoded: Trace;
  readonly reason: Reason | null;
}

/** The trace of an event as people see it, without conditions. */
export function decode({ trace, tierName, amount, earnedOn }: Decision): Trace {
  return decodeTrace(trace, { conditions: [], day: earnedOn, timeZone: 'UTC', tierName, amount: amount.toNumber() });
}

/** What one rule pays on a deal whose amount is that of its lines, numbered from 1. */
export function payLines(terms: object, lines: readonly Line[], more: Partial<Scenario> = {}): PaidDeal {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const rule = { name: 'Rule', measure: 'line.amount', lines: {}, ...terms };
  const { decisions, outcomes } = run({
    config: { rules: [rule] },
    deals: `D | 2026-02-10 | ${total}`,
    lines: { D: lines.map((line, index) => ({ lineId: String(index + 1), ...line })) },
    ...more,
  });
  const [decision] = decisions;
  if (decision === undefined) throw new Error(`nothing fired: ${outcomes[0]?.reason}`);
  return { ...decision, decoded: decode(decision), reason: outcomes[0]?.reason ?? null };
}

/** A tier with its position. */
export function tiersOf(...tiers: readonly object[]): object[] {
  return tiers.map((tier, tierIndex) => ({ tierIndex, ...tier }));
}
