import { getCommissions } from '../commissions/queries/get-commissions.js';
import { getForecast } from '../commissions/queries/get-forecast.js';
import { getPayCalendar } from '../commissions/queries/get-pay-calendar.js';
import { getUpdates } from '../commissions/queries/get-updates.js';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type PagesOfPerson, type ReadPages } from '../outgoing/notifications/pages-of-person.js';
import { type AnyOperation } from '../platform/operations/operation.js';
import { type OperationDispatcher } from '../platform/operations/operation-dispatcher.js';

/** Calls the operations that the pages call, as the person. */
export function readPagesThrough(dispatcher: OperationDispatcher): ReadPages {
  return async (workspaceId, repId, since) => {
    const caller: Caller = { workspaceId, accessLevel: 'rep', repId, actor: `rep:${repId}`, requestId: 'weekly mail' };
    const read = async (operation: AnyOperation, query: object = {}) =>
      (await dispatcher.run(operation, { params: {}, query: { repId, ...query }, body: undefined }, caller)).body;
    const readForecast = (operation: AnyOperation) =>
      read(operation).catch((error: unknown) => {
        if (error instanceof Failure && error.code === 'plan_too_complex') return null;
        throw error;
      });
    return {
      dashboard: (await read(getCommissions)) as PagesOfPerson['dashboard'],
      updates: (await read(getUpdates, { since: since.toISOString() })) as PagesOfPerson['updates'],
      forecast: (await readForecast(getForecast)) as PagesOfPerson['forecast'],
      calendar: (await readForecast(getPayCalendar)) as PagesOfPerson['calendar'],
    };
  };
}
