import { type Line } from '../../../api/queries.js';
import { kindWords } from '../../../features/lines/words.js';
import { absolute, difference, signOf, sumAmounts } from '../../../shared/format/exact.js';

/** What one deal and rule add to a change. */
interface ChangedLine {
  readonly name: string;
  readonly ruleName: string;
  readonly delta: string;
}

/** The differences of two versions by deal and rule, the largest first. */
export function changedLines(before: readonly Line[], after: readonly Line[]): ChangedLine[] {
  const [was, is] = [toAmounts(before), toAmounts(after)];
  const lines = new Map([...before, ...after].map((line) => [keyOf(line), line]));
  return [...lines]
    .map(([key, line]) => ({
      name: line.dealName ?? line.dealId ?? line.reason ?? 'Period',
      ruleName: line.ruleName ?? kindWords[line.kind],
      delta: difference(is.get(key) ?? 0, was.get(key) ?? 0),
    }))
    .filter(({ delta }) => signOf(delta) !== 0)
    .sort((a, b) => signOf(difference(absolute(b.delta), absolute(a.delta))));
}

function keyOf({ dealId, ruleName, kind, eventId, currency }: Line): string {
  return JSON.stringify(kind === 'commission_earned' ? [dealId, ruleName, currency] : [eventId]);
}

function toAmounts(lines: readonly Line[]): ReadonlyMap<string, string> {
  const amounts = new Map<string, string>();
  for (const line of lines) {
    if (line.status !== 'earned') continue;
    const key = keyOf(line);
    amounts.set(key, sumAmounts([amounts.get(key) ?? 0, line.amount]));
  }
  return amounts;
}
