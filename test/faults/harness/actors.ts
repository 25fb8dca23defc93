import { setTimeout as sleep } from 'node:timers/promises';
import { type EpisodeLog } from './episode-log.js';
import { type Delivery, type EpisodeWorld, months, salesConfig, someDay } from './episode-world.js';
import { type Fleet } from './fleet.js';
import { InsistentClient } from './insistent-client.js';
import { type SeededRandom } from './seeded-random.js';

/** Who works with the service in an episode, until told to stop. */
export interface Stage {
  readonly fleet: Fleet;
  readonly worlds: readonly EpisodeWorld[];
  readonly log: EpisodeLog;
  readonly isOver: () => boolean;
  /** Told of every parcel that has been accepted. */
  readonly accepted: () => void;
}

function clientOf({ fleet, log }: Stage, world: EpisodeWorld, actor: string, random: SeededRandom): InsistentClient {
  return new InsistentClient(fleet, world.apiKey, actor, random, log);
}

export interface Parcel {
  readonly world: EpisodeWorld;
  readonly delivery: Delivery;
}

/** Every version of every deal in any order, every fifth of them twice. */
export function parcelsOf(worlds: readonly EpisodeWorld[], random: SeededRandom): Parcel[] {
  const once = worlds.flatMap((world) => world.deliveries.map((delivery) => ({ world, delivery })));
  return random.shuffled([...once, ...once.filter(() => random.chance(0.2))]);
}

/** Delivers until each parcel has been accepted: a CRM that keeps what was not answered. */
export async function send(
  stage: Stage,
  name: string,
  parcels: readonly Parcel[],
  random: SeededRandom,
): Promise<void> {
  for (const { world, delivery } of parcels) {
    const { dealId, ...deal } = delivery;
    const body = { ...deal, ownerId: world.memberId(deal.ownerId) };
    const { status } = await clientOf(stage, world, name, random).send('PUT', `/v1/deals/${dealId}`, body);
    if (status !== 200 && status !== 201) throw new Error(`PUT ${dealId} answered ${status}`);
    stage.accepted();
    if (!stage.isOver()) await sleep(random.between(0, 40));
  }
}

/** Works in the CRM of each workspace that has one, and has every change told, some twice, in any order. */
export async function sell(stage: Stage, random: SeededRandom): Promise<void> {
  const { fleet, log, worlds } = stage;
  const withCrm = worlds.flatMap((world) => (world.crm === null ? [] : [{ world, crm: world.crm }]));
  if (withCrm.length === 0) return;
  let untold: { readonly world: EpisodeWorld; readonly opportunityId: string }[] = [];
  while (!stage.isOver() || untold.length > 0) {
    if (!stage.isOver()) {
      const { world, crm } = random.pick(withCrm);
      const told = { world, opportunityId: crm.change(random, () => someDay(random)) };
      untold = random.shuffled([...untold, told, ...(random.chance(0.2) ? [told] : [])]);
    }
    if (!stage.isOver() && random.chance(0.3)) continue;
    const [next, ...rest] = untold;
    untold = rest;
    if (next === undefined) continue;
    const { world, opportunityId } = next;
    const client = new InsistentClient(fleet, world.webhookSecret, 'crm', random, log);
    const { status } = await client.send('POST', '/webhooks/crmc', { opportunityId });
    if (status >= 300) throw new Error(`a delivery was answered ${status}`);
    if (!stage.isOver()) await sleep(random.between(0, 60));
  }
}

/** Approves statements, looks away for a moment, pays differences, and opens most of them again, or none in some episodes. */
export async function approve(stage: Stage, random: SeededRandom): Promise<void> {
  const reopens = random.chance(0.6) ? 0.75 : 0;
  while (!stage.isOver()) {
    const world = random.pick(stage.worlds);
    const client = clientOf(stage, world, 'approver', random);
    // Of few, so that most deals pass by an approval.
    const repId = random.pick(Object.values(world.repIds).slice(2));
    const period = random.pick(months.slice(0, 2));
    await client.send('POST', `/v1/statements/${repId}/generate`, { period });
    await client.send('POST', `/v1/statements/${repId}/approve`, { period, status: 'approved' });
    await sleep(random.between(50, 250));
    if (random.chance(0.4)) await client.send('POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    if (random.chance(reopens))
      await client.send('POST', `/v1/statements/${repId}/approve`, { period, status: 'draft' });
  }
}

/** Changes the terms, asks for calculations and files, deletes, and puts sums beside what the engine has written. */
export async function administer(stage: Stage, random: SeededRandom): Promise<void> {
  const acts = [
    setQuota,
    setQuota,
    recalculate,
    recalculate,
    changePlan,
    changeManager,
    deleteDeal,
    adjust,
    adjust,
    generateAll,
    exportTeam,
    sync,
  ];
  while (!stage.isOver()) {
    const world = random.pick(stage.worlds);
    await random.pick(acts)(world, clientOf(stage, world, 'admin', random), random);
    await sleep(random.between(20, 150));
  }
}

type Act = (world: EpisodeWorld, client: InsistentClient, random: SeededRandom) => Promise<unknown>;

const setQuota: Act = (world, client, random) =>
  client.send('POST', '/v1/quotas', {
    repIds: [random.pick(Object.values(world.repIds))],
    measure: 'Commission',
    period: random.pick(['2026-Q1', '2026-Q2']),
    target: random.between(5, 40) * 1000,
  });

const recalculate: Act = async (world, client, random) => {
  const scope = random.pick([{}, { planId: world.planIds.sales }, { repId: random.pick(Object.values(world.repIds)) }]);
  const isAsync = random.chance(0.8);
  const { body, status } = await client.send('POST', '/v1/commissions/recalculate', { ...scope, async: isAsync });
  if (status < 300) world.jobIds.push(body.jobId as string);
};

const changePlan: Act = (world, client, random) =>
  client.send('PATCH', `/v1/plans/${world.planIds.sales}`, { config: salesConfig(random) });

const changeManager: Act = (world, client, random) => {
  const { ann, bob, cid, north, south } = world.repIds;
  const body = { managerId: random.pick([north, south]), managerFrom: `${random.pick(months)}-01` };
  return client.send('PATCH', `/v1/reps/${random.pick([ann, bob, cid])}`, body);
};

const deleteDeal: Act = async (world, client, random) => {
  const { dealId } = random.pick(world.deliveries);
  if (world.deletions.get(dealId) === true) return;
  const { body, tries } = await client.send('DELETE', `/v1/deals/${dealId}`);
  // A try that was not answered may still be carried out later, when the deal has arrived.
  const isUncertain = tries > 1 || world.deletions.get(dealId) === null;
  world.deletions.set(dealId, body.softDeleted ? true : isUncertain ? null : false);
};

/**
 * With a key, since nobody can see from the answer that is missing whether the sum has been paid. Told that the request
 * still runs, or that its answer was lost, a person goes and looks.
 */
const adjust: Act = async (world, client, random) => {
  const reason = `reason ${world.adjustments.size}`;
  world.adjustments.set(reason, { least: 0, most: 1 });
  const body = { amount: random.between(-200, 300), period: random.pick(months), reason };
  const path = `/v1/statements/${random.pick(Object.values(world.repIds))}/adjust`;
  const { status } = await client.send('POST', path, body, { 'Idempotency-Key': `${world.workspaceId}/${reason}` });
  if (status < 300) world.adjustments.set(reason, { least: 1, most: 1 });
};

const generateAll: Act = (_world, client, random) =>
  client.send('POST', '/v1/statements/generate', { period: random.pick(months) });

/** One in an episode: each costs a worker half a second. */
const exportTeam: Act = async (world, client, random) => {
  if (world.exportIds.length > 0) return;
  const path = `/v1/statements/export.xlsx?period=${random.pick(months)}&async=true`;
  const { body, status } = await client.send('GET', path);
  if (status === 202) world.exportIds.push(body.jobId as string);
};

/** Only where it may bring what a delivery should have brought; in the other workspace nothing else brings it. */
const sync: Act = async (world, client) => {
  if (world.crm === null || !world.isSynced) return;
  const { body, status } = await client.send('POST', '/v1/commissions/sync', { async: true });
  if (status < 300) world.jobIds.push(body.jobId as string);
};
