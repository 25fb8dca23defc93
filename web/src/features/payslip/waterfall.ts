import { type PayslipLine } from './words.js';

/** Where a line begins and ends, as shares of the widest one. */
export interface Step {
  readonly from: number;
  readonly to: number;
}

/** The lines as steps from what is earned to what is payable: each begins where the one before ended. */
export function listSteps(lines: readonly Pick<PayslipLine, 'kind' | 'amount'>[]): readonly Step[] {
  let reached = 0;
  const steps = lines.map(({ kind, amount }) => {
    if (kind === 'earned' || kind === 'payable') return { from: 0, to: amount };
    const from = reached;
    reached += amount;
    return { from, to: reached };
  });
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const share = (value: number) => (high === low ? 0 : (value - low) / (high - low));
  return steps.map(({ from, to }) => ({ from: share(Math.min(from, to)), to: share(Math.max(from, to)) }));
}
