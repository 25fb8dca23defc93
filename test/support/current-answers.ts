import { expect } from 'chai';
import { getCommissions } from '#src/commissions/queries/get-commissions.js';
import { listCommissionPeriods } from '#src/commissions/queries/list-commission-periods.js';
import { listDeals } from '#src/deals/queries/list-deals.js';
import { serviceCaller } from '#src/kernel/caller.js';
import { type AnyOperation } from '#src/platform/operation.js';
import { type ApiClient, type TestService } from './test-service.js';

type Question = readonly [operation: AnyOperation, query: Readonly<Record<string, string>>];

/** Everything that may be answered from memory, about the workspace and each of the reps. */
function questions(repIds: readonly string[], periods: readonly string[]): Question[] {
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
 * Asks the API, which may remember, and the handlers, which read. While calculations go on the two may be asked at
 * different moments, and are asked again; what was remembered for too long stays different.
 */
export async function expectCurrentAnswers(
  service: TestService,
  api: ApiClient,
  workspaceId: string,
  repIds: readonly string[],
  periods: readonly string[],
): Promise<void> {
  const { dispatcher } = service.running.service;
  const caller = serviceCaller(workspaceId, 'test');
  const ask = async ([operation, query]: Question) => ({
    told: await api.expect(200, 'GET', `${operation.path}?${new URLSearchParams(query)}`),
    read: JSON.parse(JSON.stringify((await dispatcher.run(operation, { params: {}, query, body: {} }, caller)).body)),
  });
  for (const question of questions(repIds, periods)) {
    const first = await ask(question);
    if (JSON.stringify(first.told) === JSON.stringify(first.read)) continue;
    await service.settled(workspaceId);
    const { told, read } = await ask(question);
    expect(told, `${question[0].path} ${JSON.stringify(question[1])}`).to.deep.equal(read);
  }
}
