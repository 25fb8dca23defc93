import { type Breakdown, type Dispute } from '../../api/queries.js';
import { type DisputeDetail } from '../../api/team-queries.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { groupBy } from '../../shared/format/group-by.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { kindWords } from '../lines/words.js';
import { reasonWords } from '../plans/words.js';

type Evidence = DisputeDetail['evidence'];

/** What rules paid a person for a deal, then or now. */
export type PaidRules = Pick<Evidence, 'events' | 'outcomes' | 'corrections'>;

/** The part of a deal's breakdown that belongs to the person. */
export function ofRep({ events, outcomes, corrections }: Breakdown, repId: Dispute['repId']): PaidRules {
  return {
    events: events.filter((event) => event.repId === repId),
    outcomes: outcomes.filter((outcome) => outcome.repId === repId),
    corrections: corrections.filter((correction) => correction.repId === repId),
  };
}

export interface ComparedAmount {
  readonly name: string;
  readonly before: string;
  /** Null without a present state. */
  readonly now: string | null;
}

const nothing = 'nothing';

/** Each rule with what it paid then and pays now, corrections included, or why it paid nothing. */
export function comparedRules(then: PaidRules, now: PaidRules | null): readonly ComparedAmount[] {
  const earlier = byRule(then);
  const after = now === null ? null : byRule(now);
  const names = new Set([...earlier.keys(), ...(after?.keys() ?? [])]);
  return [...names].map((name) => ({
    name,
    before: earlier.get(name) ?? nothing,
    now: after === null ? null : (after.get(name) ?? nothing),
  }));
}

function byRule({ events, outcomes, corrections }: PaidRules): ReadonlyMap<string, string> {
  const earned = events.filter(({ status }) => status === 'earned');
  const amounts = [
    ...earned.map(({ ruleName, kind, amount, currency }) => ({ name: ruleName ?? kindWords[kind], amount, currency })),
    ...corrections.map(({ ruleName, delta, currency }) => ({ name: ruleName, amount: delta, currency })),
  ];
  const reasons = outcomes
    .filter(({ paid }) => !paid)
    .map(({ ruleName, reason }) => [ruleName ?? 'No rule', reasonWords[reason ?? ''] ?? 'It paid nothing.'] as const);
  const sums = groupBy(amounts, ({ name, currency }) => `${currency} ${name}`).map((group) => {
    const [{ name, currency }] = group;
    return [name, sumAmounts(group.map(({ amount }) => amount)), currency] as const;
  });
  const paid = sums
    .filter(([, sum]) => Number(sum) !== 0)
    .map(([name, sum, currency]) => [name, formatMoney(sum, currency)] as const);
  const zero = sums.map(([name, , currency]) => [name, formatMoney(0, currency)] as const);
  return new Map([...zero, ...reasons, ...paid]);
}
