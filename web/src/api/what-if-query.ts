import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { missingQuotas, quarterResults, shownResults, triedQuarters } from '../features/plans/what-if.js';
import { dashboardQuery, type Plan, type SimulatedDeal, simulationQuery } from './queries.js';

/** What the rep would earn in every quarter that the deals change, with the quotas that they need and that are not set. */
export const whatIfQuery = (plans: readonly Plan[], repId: string, deals: readonly SimulatedDeal[], today: string) =>
  queryOptions({
    queryKey: ['what-if', plans.map(({ planVersionId }) => planVersionId), repId, deals, today],
    queryFn: async ({ client }) => {
      const closeDates = new Map(deals.map(({ dealId, closeDate }) => [dealId, closeDate]));
      const days = [...closeDates.values()];
      const quarters = [];
      // One quarter after the other: simulations of one workspace share a few threads.
      for (const period of triedQuarters(plans, days, today))
        quarters.push(await triedQuarter(client, plans, repId, period, deals));
      const results = quarters.flatMap(({ period, tried, dashboard }) => quarterResults(period, tried, dashboard));
      return {
        deals: deals.length,
        results: shownResults(results, days, today),
        missing: missingQuotas(
          quarters.flatMap(({ tried }) => tried),
          closeDates,
        ),
      };
    },
  });

async function triedQuarter(
  client: QueryClient,
  plans: readonly Plan[],
  repId: string,
  period: string,
  deals: readonly SimulatedDeal[],
) {
  const simulated = (plan: Plan, varied: readonly SimulatedDeal[]) =>
    client.fetchQuery(simulationQuery(plan.planId, repId, period, varied));
  const [dashboard, tried] = await Promise.all([
    client.fetchQuery(dashboardQuery(repId, period)),
    Promise.all(
      plans.map(async (plan) => ({ plan, before: await simulated(plan, []), after: await simulated(plan, deals) })),
    ),
  ]);
  return { period, dashboard, tried };
}
