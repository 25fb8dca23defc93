import { type ApiClient } from '#test/support/api-client.js';

/** The rules of the examples of clawbacks: a seller at 8 %, from the quota on at 12 %, and a manager at 20 % of it. */
export const newBusiness = {
  name: 'New business',
  measure: 'amount',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 1, rate: 0.12 },
  ],
};
export const override = {
  name: 'Override',
  measure: 'amount',
  executionPhase: 'cascade',
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.2 }],
};

/** Mia, the manager of Ann and Bob. */
export async function saveTeam(api: ApiClient): Promise<Record<'mia' | 'ann' | 'bob', string>> {
  const [mia] = await api.saveReps({ name: 'Mia', role: 'manager' });
  const [ann, bob] = await api.saveReps(
    { name: 'Ann', managerEmail: 'mia@x.io' },
    { name: 'Bob', managerEmail: 'mia@x.io' },
  );
  return { mia, ann, bob };
}
