import { expect } from 'chai';
import { getCommissions } from '#src/commissions/queries/get-commissions.js';
import { listCommissionPeriods } from '#src/commissions/queries/list-commission-periods.js';
import { listDeals } from '#src/deals/queries/list-deals.js';
import { serviceCaller } from '#src/kernel/caller.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient } from './api-client.js';
import { type Service } from './service.js';

type Question = readonly [operation: AnyOperation, query: Readonly<Record<string, string>>];

/** Every response that may be cached, for the workspace and for each rep. */
function cachedReads(repIds: readonly string[], periods: readonly string[]): Question[] {
  return [
    [listDeals, {}],
    [listCommissionPeriods, {}],
    ...periods.map((period): Question => [getCommissions, { period }]),
    ...repIds.flatMap((repId): Question[] => [
      [listDeals, { repId }],
      [listCommissionPeriods, { repId }],
      ...periods.map((period): Question => [getCommissions, { repId, period }]),
    ]),
  ];
}

/**
 * Compares the responses of the API, which may be cached, with those of `execute`. During calculations and checks of
 * approved periods both may be read at different moments, so a difference is read again after them; a stale cache
 * entry still differs.
 */
export async function expectCurrentResponses(
  service: Service,
  api: ApiClient,
  workspaceId: string,
  repIds: readonly string[],
  periods: readonly string[],
): Promise<void> {
  const { dispatcher } = service.running.service;
  const caller = serviceCaller(workspaceId, 'test');
  const read = async ([operation, query]: Question) => ({
    cached: await api.expect(200, 'GET', `${operation.path}?${new URLSearchParams(query)}`),
    current: JSON.parse(
      JSON.stringify((await dispatcher.run(operation, { params: {}, query, body: {} }, caller)).body),
    ),
  });
  for (const question of cachedReads(repIds, periods)) {
    const first = await read(question);
    if (JSON.stringify(first.cached) === JSON.stringify(first.current)) continue;
    await service.waitForChecks(workspaceId);
    const { cached, current } = await read(question);
    expect(cached, `${question[0].path} ${JSON.stringify(question[1])}`).to.deep.equal(current);
  }
}
