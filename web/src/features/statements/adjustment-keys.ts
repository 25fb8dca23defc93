import { type Line } from '../../api/queries.js';

/** Where an amount is kept until it is added to the period. */
export function adjustmentKey(repId: string, period: string): string {
  return `adjustment ${repId} ${period}`;
}

/** Where a changed amount is kept until it is saved. */
export function changeKey({ eventId }: Pick<Line, 'eventId'>): string {
  return `adjustment ${eventId}`;
}
