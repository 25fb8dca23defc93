import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Period, periodRange } from '../../kernel/period.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { readsAsWidget, repNotFound, visibleRep } from '../../reps/rep.js';
import { findRepName } from '../../reps/rep-views.js';
import { askedRep } from '../asked-rep.js';
import { listEventPeriods } from '../commission-views.js';

const query = z.strictObject({ repId: askedRep.optional() });

@injectable()
export class ListCommissionPeriods {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute({ query: { repId } }: Input<unknown, z.infer<typeof query>>, caller: Caller): Promise<Period[]> {
    const { workspaceId } = caller;
    const onlyOfRep = repShown(caller, repId);
    const periods = await this.unitOfWork.run(caller, 'stale reads', async (trx) => {
      if (onlyOfRep !== null && (await findRepName(trx, workspaceId, onlyOfRep)) === null) throw repNotFound();
      return listEventPeriods(trx, workspaceId, onlyOfRep);
    });
    return periods.sort(newestFirst);
  }
}

/** A connection token sees the periods of everyone: they hold no amounts. */
function repShown(caller: Caller, repId: string | undefined): string | null {
  return readsAsWidget(caller) ? (repId ?? null) : visibleRep(caller, repId);
}

/** By the last day, the latest first; of periods that end together the longest first. */
function newestFirst(a: Period, b: Period): number {
  const [first, second] = [periodRange(a), periodRange(b)];
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
  restsOn: ({ query: { repId } }, caller) => repShown(caller, repId),
  handler: ListCommissionPeriods,
});
