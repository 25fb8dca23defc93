import { type ApiClient } from './api-client.js';

/**
 * Creates reps of these names on one plan with marginal tiers of a quarterly quota; returns their ids in the same
 * order.
 */
export async function saveSimpleTerms(api: ApiClient, names: readonly string[]): Promise<string[]> {
  const reps = names.map((name) => ({ email: `${name}@x.test`, name, crmMemberId: name }));
  const repIds = await api.saveReps(...reps);
  const tiers = [0, 0.5, 1].map((minThreshold, tierIndex) => ({
    tierIndex,
    minThreshold,
    rate: 0.05 * (tierIndex + 1),
  }));
  const rules = [{ name: 'Commission', measure: 'amount', attainmentPeriod: 'quarterly', tierMode: 'marginal', tiers }];
  await api.createPlan({ name: 'Plan', config: { rules } }, repIds);
  await api.setQuota(repIds, 'Commission', '2026-Q1', 100_000);
  return repIds;
}
