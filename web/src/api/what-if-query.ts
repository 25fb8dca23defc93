import { type QueryClient, queryOptions } from '@tanstack/react-query';
import {
  type ChosenDeal,
  computeQuarterResults,
  listMissingQuotas,
  listSimulatedQuarters,
  selectVisibleResults,
  wonUnder,
} from '../features/plans/what-if.js';
import { listParts, listReleases } from '../features/plans/what-if-pay.js';
import { dashboardQuery, type Plan, simulationQuery } from './queries.js';

/** What the rep would earn in every quarter that the deals change, with the quotas that they need and that are not set. */
export const whatIfQuery = (plans: readonly Plan[], repId: string, deals: readonly ChosenDeal[], today: string) =>
  queryOptions({
    queryKey: ['what-if', plans.map(({ planVersionId }) => planVersionId), repId, deals, today],
    queryFn: async ({ client }) => {
      const closeDates = new Map(deals.map(({ dealId, closeDate }) => [dealId, closeDate]));
      const days = [...closeDates.values()];
      const quarters = [];
      // One quarter after the other: simulations of one workspace share a few threads.
      for (const period of listSimulatedQuarters(plans, days, today))
        quarters.push(await simulateQuarter(client, plans, repId, period, deals));
      const results = quarters.flatMap(({ period, simulated, dashboard }) =>
        computeQuarterResults(period, simulated, dashboard),
      );
      const simulated = quarters.flatMap((quarter) => quarter.simulated);
      return {
        deals: deals.length,
        results: selectVisibleResults(results, days, today),
        releases: listReleases(simulated),
        parts: listParts(simulated, [...closeDates.keys()], results),
        missing: listMissingQuotas(simulated, closeDates),
      };
    },
  });

async function simulateQuarter(
  client: QueryClient,
  plans: readonly Plan[],
  repId: string,
  period: string,
  deals: readonly ChosenDeal[],
) {
  const simulate = (plan: Plan, varied: readonly ChosenDeal[]) =>
    client.fetchQuery(simulationQuery(plan.planId, repId, period, wonUnder(plan, varied)));
  const [dashboard, simulated] = await Promise.all([
    client.fetchQuery(dashboardQuery(repId, period)),
    Promise.all(
      plans.map(async (plan) => ({ plan, before: await simulate(plan, []), after: await simulate(plan, deals) })),
    ),
  ]);
  return { period, dashboard, simulated };
}
