import { formatNumber } from '../../shared/format/numbers.js';
import { type Rule } from './draft.js';

export type Clawback = NonNullable<Rule['clawback']>;

export type ClawbackKind = 'none' | 'whole' | 'declining' | 'steps';

export function kindOfClawback(policy: Rule['clawback']): ClawbackKind {
  if (policy === undefined || policy === null) return 'none';
  if (policy.steps !== undefined) return 'steps';
  return policy.declining === true ? 'declining' : 'whole';
}

/** The policy with which a kind begins; what holds for every kind stays. */
export function firstClawback(kind: ClawbackKind, before: Rule['clawback']): Clawback | undefined {
  if (kind === 'none') return undefined;
  const { window, credit, causes } = before ?? {};
  const unchanged = { ...(credit === undefined ? {} : { credit }), ...(causes === undefined ? {} : { causes }) };
  const days = window?.days ?? 180;
  if (kind === 'steps')
    return {
      ...unchanged,
      steps: [
        { untilDay: 30, percent: 100 },
        { untilDay: 90, percent: 50 },
      ],
    };
  return { ...unchanged, window: { ...window, days }, ...(kind === 'declining' ? { declining: true } : {}) };
}

const causeWords = {
  cancellation: 'a cancellation',
  refund: 'a refund',
  non_payment: 'a customer who never pays',
} as const;

/** The policy as one sentence. */
export function clawbackSentence(policy: Clawback, nameOf: (slug: string) => string): string {
  const causes = (policy.causes ?? []).map((cause) => causeWords[cause]);
  const when = causes.length === 0 ? 'When money goes back to the customer' : `After ${causes.join(' or ')}`;
  const credit = policy.credit === 'none' ? ' The quota keeps the credit.' : '';
  return `${when}, ${takenWords(policy, nameOf)} is taken back.${credit}`;
}

/** What the policy takes back, as a part of a sentence. */
export function clawbackPhrase(policy: Clawback, nameOf: (slug: string) => string): string {
  const causes = (policy.causes ?? []).map((cause) => causeWords[cause]);
  const when = causes.length === 0 ? '' : ` after ${causes.join(' or ')}`;
  const credit = policy.credit === 'none' ? ', while the quota keeps the credit' : '';
  return `${takenWords(policy, nameOf).replace(/,$/, '')}${when}${credit}`;
}

function takenWords(policy: Clawback, nameOf: (slug: string) => string): string {
  const { window, steps } = policy;
  const from = window?.from === undefined || window.from === 'close_date' ? 'the close date' : nameOf(window.from);
  if (steps !== undefined) {
    const parts = steps.map(({ untilDay, percent }) => `${formatNumber(percent)} % until day ${untilDay}`);
    return `${parts.join(', ')} after ${from} and nothing later`;
  }
  if (window?.days === undefined) return 'all that was paid for the deal';
  if (policy.declining === true) return `a part that falls from everything on ${from} to nothing on day ${window.days}`;
  return `all that was paid for the deal within ${window.days} days of ${from}, and nothing later,`;
}

/** A stretch of days with the share that is taken back at its beginning and its end. */
interface ClawbackStretch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** What is taken back over time, up to the end of the window; nothing without one. */
export function clawbackStretches({ window, steps, declining }: Clawback): ClawbackStretch[] {
  if (steps !== undefined)
    return steps.map(({ untilDay, percent }, index) => ({
      from: index === 0 ? 0 : (steps[index - 1]?.untilDay ?? 0),
      to: untilDay,
      start: percent / 100,
      end: percent / 100,
    }));
  if (window?.days === undefined) return [];
  return [{ from: 0, to: window.days, start: 1, end: declining === true ? 0 : 1 }];
}
