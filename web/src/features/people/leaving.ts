import { api } from '../../api/client.js';
import { type Draw, sendDraw } from '../../api/draw-queries.js';
import { type PersonDetails } from '../../api/people-queries.js';
import { type Assignment } from '../../api/set-up-queries.js';
import { writeDeals } from '../deals/deal-changes.js';
import { type ChangedDeal } from '../deals/edited-deal.js';

/** What the last day of a person ends. */
export interface Leaving {
  readonly lastDay: string;
  /** Assignments that last longer. */
  readonly ended: readonly Assignment[];
  /** Assignments that begin later. */
  readonly removed: readonly Assignment[];
  /** Draws that last longer. One that begins later stays as it is. */
  readonly draws: readonly Draw[];
}

interface LastsUntil {
  readonly start: string | null;
  readonly end: string | null;
}

function lastsLonger({ start, end }: LastsUntil, day: string): boolean {
  return (start === null || start <= day) && (end === null || end > day);
}

export function planLeaving(lastDay: string, assignments: readonly Assignment[], draws: readonly Draw[]): Leaving {
  const lasting = ({ effectiveStart, effectiveEnd }: Assignment) => ({ start: effectiveStart, end: effectiveEnd });
  return {
    lastDay,
    ended: assignments.filter((assignment) => lastsLonger(lasting(assignment), lastDay)),
    removed: assignments.filter(({ effectiveStart }) => effectiveStart !== null && effectiveStart > lastDay),
    draws: draws.filter(({ from, to }) => lastsLonger({ start: from, end: to }, lastDay)),
  };
}

/** Each step may be sent again, so that a failure loses none; what the person needs to sign in ends last. */
export async function sendLeaving(
  { id }: Pick<PersonDetails, 'id'>,
  { lastDay, ended, removed, draws }: Leaving,
  deals: readonly ChangedDeal[],
  endsSignIn: boolean,
): Promise<void> {
  const params = { repId: id };
  await api.updateRep({ params, body: { endDate: lastDay } });
  for (const { assignmentId } of ended)
    await api.updateAssignment({ params: { assignmentId }, body: { effectiveEnd: lastDay } });
  for (const { assignmentId } of removed) await api.deleteAssignment({ params: { assignmentId } });
  for (const draw of draws) await sendDraw(draw.drawId, { ...draw, repId: id, to: lastDay });
  if (deals.length > 0) await writeDeals(deals);
  if (endsSignIn) await api.updateRep({ params, body: { active: false } });
}
