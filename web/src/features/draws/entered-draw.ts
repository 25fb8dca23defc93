import { type Draw, type NewDraw } from '../../api/draw-queries.js';
import { isDay, isEnteredRange } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';

/** A draw as a form has it, with texts. */
export interface EnteredDraw {
  readonly kind: Draw['kind'];
  readonly recoverable: 'yes' | 'no';
  readonly amount: string;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly start: Draw['recovery']['start'];
  readonly day: string;
  readonly maxPercent: string;
  readonly forgiveOn: string;
}

/** A new one is a guarantee that is paid back: it never replaces pay that only waits. */
export function toEnteredDraw(draw: Draw | null): EnteredDraw {
  return {
    kind: draw?.kind ?? 'guarantee',
    recoverable: draw?.recoverable === false ? 'no' : 'yes',
    amount: writeNumber(draw?.amount),
    currency: draw?.currency ?? '',
    from: draw?.from ?? '',
    to: draw?.to ?? '',
    start: draw?.recovery.start ?? 'next_period',
    day: draw?.recovery.day ?? '',
    maxPercent: formatNumber(draw?.recovery.maxPercent ?? 100),
    forgiveOn: draw?.recovery.forgiveOn ?? '',
  };
}

/** The draw as it is sent; null while it is incomplete. */
export function readDraw(repId: string, entered: EnteredDraw): NewDraw | null {
  const { kind, recoverable, from, to, start } = entered;
  const amount = readNumber(entered.amount);
  // The form hides how a draw is paid back that is not.
  const recovery = recoverable === 'yes' ? readRecovery(entered) : {};
  const currency = entered.currency.trim().toUpperCase();
  if (amount === null || amount <= 0 || recovery === null || (currency !== '' && currency.length !== 3)) return null;
  if (!isDay(from) || !isEnteredRange(from, to === '' ? null : to)) return null;
  return {
    repId,
    kind,
    recoverable: recoverable === 'yes',
    amount,
    ...(currency === '' ? {} : { currency }),
    from,
    to: to === '' ? null : to,
    ...(recoverable === 'yes' ? { recovery: { start, ...recovery } } : {}),
  };
}

function readRecovery({ start, day, maxPercent, forgiveOn }: EnteredDraw) {
  const percent = readNumber(maxPercent);
  if (percent === null || percent < 0 || percent > 100) return null;
  if (start === 'day' && !isDay(day)) return null;
  if (!isEnteredRange(start === 'day' ? day : null, null) || !isEnteredRange(forgiveOn || null, null)) return null;
  return {
    day: start === 'day' ? day : null,
    maxPercent: percent,
    forgiveOn: forgiveOn === '' ? null : forgiveOn,
  };
}
