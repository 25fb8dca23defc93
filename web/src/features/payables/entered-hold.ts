import { type Hold } from '../../api/payout-queries.js';
import { formatDay, isDay } from '../../shared/format/dates.js';

/** A hold as a form has it, with texts; empty for everyone, all deals and all rules. */
export interface EnteredHold {
  readonly person: string;
  readonly dealId: string;
  readonly ruleName: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** The terms of a hold as they are sent. */
export type SentHold = Pick<Hold, 'repId' | 'dealId' | 'ruleName' | 'from' | 'to' | 'reason'>;

/** The hold as it is sent; null while it is incomplete. */
export function readHold({ person, dealId, ruleName, from, to, reason }: EnteredHold): SentHold | null {
  const [repId, deal, rule, last] = [person, dealId.trim(), ruleName.trim(), to].map((text) => text || null);
  if (repId === null && deal === null && rule === null) return null;
  if (!isDay(from) || (last != null && (!isDay(last) || last < from)) || reason.trim() === '') return null;
  return {
    repId: repId ?? null,
    dealId: deal ?? null,
    ruleName: rule ?? null,
    from,
    to: last ?? null,
    reason: reason.trim(),
  };
}

/** Whose pay, for which deal and of which rule, such as "Ben, deal D-1". */
export function describeHeld({ repName, dealId, ruleName }: Pick<Hold, 'repName' | 'dealId' | 'ruleName'>): string {
  const parts = [
    repName ?? 'Everyone',
    ...(dealId === null ? [] : [`deal ${dealId}`]),
    ...(ruleName === null ? [] : [`rule ${ruleName}`]),
  ];
  return parts.join(', ');
}

export function describeHoldDays({ from, to }: Pick<Hold, 'from' | 'to'>): string {
  return to === null ? `since ${formatDay(from, 'year')}` : `${formatDay(from, 'year')} to ${formatDay(to, 'year')}`;
}

/** Whether the hold has not ended before the day. */
export function isRunning({ to }: Pick<Hold, 'to'>, today: string): boolean {
  return to === null || to >= today;
}
