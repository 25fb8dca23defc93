import { type ApiClient } from './test-service.js';

/**
 * Creates reps of these names on one plan with marginal tiers of a quarterly quota; returns their ids in the same
 * order.
 */
export async function saveSimpleTerms(api: ApiClient, names: readonly string[]): Promise<string[]> {
  const reps = names.map((name) => ({ email: `${name}@x.test`, name, crmMemberId: name }));
  const saved = await api.expect(200, 'PUT', '/v1/reps', { reps });
  const repIds = saved.reps.map((rep: { id: string }) => rep.id);
  const tiers = [0, 0.5, 1].map((minThreshold, tierIndex) => ({
    tierIndex,
    minThreshold,
    rate: 0.05 * (tierIndex + 1),
  }));
  const rules = [{ name: 'Commission', measure: 'amount', attainmentPeriod: 'quarterly', tierMode: 'marginal', tiers }];
  const plan = await api.expect(201, 'POST', '/v1/plans', { name: 'Plan', config: { rules } });
  await api.expect(201, 'POST', '/v1/assignments', { repIds, planId: plan.planId });
  await api.expect(201, 'POST', '/v1/quotas', { repIds, measure: 'Commission', period: '2026-Q1', target: 100_000 });
  return repIds;
}
