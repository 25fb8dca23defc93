import 'reflect-metadata';
import { type Caller } from '#src/kernel/caller.js';
import { newId } from '#src/kernel/ids.js';
import { createPlan } from '#src/plans/commands/create-plan.js';
import { type PlanVersion } from '#src/plans/plan.js';
import { upsertReps } from '#src/reps/commands/upsert-reps.js';
import { type SliceFixture } from './slice-fixture.js';

/** A rule that pays 8 % without a threshold. */
export function rule(name: string, more: object = {}) {
  return { name, measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.08 }], ...more };
}

export async function addPlan(
  slice: SliceFixture,
  admin: Caller,
  name: string,
  rules: readonly object[],
  more: object = {},
): Promise<PlanVersion> {
  return slice.run(createPlan, admin, { body: { name, config: { rules }, ...more } });
}

/** Creates reps of these names and returns their ids in the same order. */
export async function addReps(slice: SliceFixture, admin: Caller, ...names: string[]): Promise<string[]> {
  const reps = names.map((name) => ({ email: `${name.toLowerCase()}@x.io`, name }));
  const answer = await slice.run(upsertReps, admin, { body: { reps } });
  return answer.reps.map((rep: { id: string }) => rep.id);
}

export async function addDeal(
  slice: SliceFixture,
  workspaceId: string,
  repId: string,
  closeDate: string,
  amount: number,
): Promise<string> {
  const dealId = `deal-${newId()}`;
  await slice.insert('deals', {
    workspace_id: workspaceId,
    deal_id: dealId,
    rep_id: repId,
    amount,
    close_date: closeDate,
    is_closed: true,
    is_won: true,
    fields: '{}',
    given: '{}',
    content_hash: newId(),
  });
  return dealId;
}
