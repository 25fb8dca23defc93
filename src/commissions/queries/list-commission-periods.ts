import { z } from 'zod';
import { listEventPeriods } from '../../earnings/commission-views.js';
import { type Caller, onlyRep } from '../../kernel/caller.js';
import { type DayRange } from '../../kernel/day.js';
import { type Period } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { narrowedReps, readsAsWidget, repIdQuery } from '../../people/reps/rep.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';

const query = z.strictObject({ repId: repIdQuery.optional().describe('Only periods of this rep, by id (UUID)') });

/** A connection token sees the periods of every rep: they contain no amounts. */
function repsShown(caller: Caller, repId: string | undefined): readonly string[] | null {
  if (!readsAsWidget(caller)) return narrowedReps(caller, repId);
  return repId === undefined ? null : [repId];
}

/** Sorts by the last day, latest first; of periods with the same last day, the longest is first. */
function newestFirst(first: DayRange, second: DayRange): number {
  if (first.to !== second.to) return first.to > second.to ? -1 : 1;
  return first.from < second.from ? -1 : 1;
}

export const listCommissionPeriods = operation({
  id: 'listCommissionPeriods',
  summary: 'The periods that have commission events, newest first',
  method: 'get',
  path: '/v1/commissions/periods',
  access: 'connection',
  query,
  response: z.array(z.string()),
  failures: { rep_not_found: 404 },
  cacheScope: ({ query: { repId } }, caller) => onlyRep(repsShown(caller, repId)),
  example: { query: { repId: sampleIds.repId }, response: ['2026-02', '2026-01'] },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { repId } }, caller, { unitOfWork }): Promise<Period[]> {
    const repIds = repsShown(caller, repId);
    const periods = await unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true }, async (tx) => {
      if (repId !== undefined) await assertRepExists(tx, repId);
      const calendar = await loadCalendar(tx);
      return (await listEventPeriods(tx, repIds)).flatMap((period) => {
        const range = calendar.findRange(period);
        return range === null ? [] : [{ period, ...range }];
      });
    });
    return periods.sort(newestFirst).map(({ period }) => period);
  },
});
