import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ApiClient } from './api-client.js';

/**
 * A public data set of 8,800 CRM opportunities of 35 sales agents under 6 managers, with dates as M/D/YYYY. The
 * expected sums under the plans below come from an independent implementation of the calculation.
 */
const folder = new URL('../../../test/data/crm-sales-opportunities/', import.meta.url);

export const importPath = '/v1/deals/import?idColumn=opportunity_id&dateFormat=MDY';

export async function readPipeline(): Promise<string> {
  return readFile(fileURLToPath(new URL('sales_pipeline.csv', folder)), 'utf8');
}

export interface SalesTeams {
  readonly repIdByName: ReadonlyMap<string, string>;
  readonly agents: readonly string[];
  readonly managers: readonly string[];
}

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };

const accountExecutivePlan = {
  name: 'AE',
  config: {
    dealConditions: [won],
    rules: [
      {
        name: 'New business',
        measure: 'amount',
        attainmentPeriod: 'quarterly',
        tierMode: 'marginal',
        tiers: [0, 0.8, 1, 1.25].map((minThreshold, tierIndex) => ({
          tierIndex,
          minThreshold,
          rate: [0.06, 0.08, 0.1, 0.13][tierIndex],
        })),
      },
      {
        name: 'GTK kicker',
        measure: 'amount',
        payoutBase: '1',
        tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 250 }],
        conditions: [{ field: 'product', fieldType: 'text', operator: 'equals', value: 'GTK 500' }],
      },
    ],
  },
};

const managerPlan = {
  name: 'M',
  config: {
    rules: [
      {
        name: 'Team override',
        measure: 'amount',
        executionPhase: 'cascade',
        dependsOn: '_total',
        tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.08 }],
      },
    ],
  },
};

/** Managers and agents from the team list. An agent's CRM member id is the name in the deals. */
export async function saveTeams(api: ApiClient): Promise<SalesTeams> {
  const text = await readFile(fileURLToPath(new URL('sales_teams.csv', folder)), 'utf8');
  const rows = text
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(',') as [string, string, string]);
  const email = (name: string) => `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`;
  const managers = [...new Set(rows.map(([, manager]) => manager))];
  const reps = [
    ...managers.map((name) => ({ email: email(name), name, role: 'manager' })),
    ...rows.map(([name, manager]) => ({
      email: email(name),
      name,
      role: 'rep',
      crmMemberId: name,
      managerEmail: email(manager),
    })),
  ];
  const saved: { reps: { id: string; name: string }[] } = await api.expect(200, 'PUT', '/v1/reps', { reps });
  return {
    repIdByName: new Map(saved.reps.map((rep) => [rep.name, rep.id])),
    agents: rows.map(([name]) => name),
    managers,
  };
}

export async function saveMapping(api: ApiClient): Promise<void> {
  await api.expect(201, 'POST', '/v1/fields/save', {
    standard: { dealAmount: 'close_value', dealStage: 'deal_stage', closeDate: 'close_date', ownerId: 'sales_agent' },
  });
}

/** Creates both plans, the assignments and the quotas of 2017. */
export async function savePlans(
  api: ApiClient,
  teams: SalesTeams,
): Promise<{ aePlanId: string; managerPlanId: string }> {
  const findIds = (names: readonly string[]) => names.map((name) => teams.repIdByName.get(name) as string);
  const ae = await api.createPlan(accountExecutivePlan);
  const managers = await api.createPlan(managerPlan);
  await api.assign(findIds(teams.agents), ae.planId);
  await api.assign(findIds(teams.managers), managers.planId);
  for (const quarter of [1, 2, 3, 4]) {
    await api.setQuota(findIds(teams.agents), 'New business', `2017-Q${quarter}`, 90_000);
  }
  return { aePlanId: ae.planId, managerPlanId: managers.planId };
}
