import { setTimeout as sleep } from 'node:timers/promises';
import { type EpisodeLog } from './episode-log.js';
import { type Delivery, type EpisodeWorld, foreignCurrency, months, salesConfig, someDay } from './episode-world.js';
import { type Fleet } from './fleet.js';
import { RetryingClient } from './retrying-client.js';
import { type SeededRandom } from './seeded-random.js';

/** What the actors of an episode share. */
export interface Stage {
  readonly fleet: Fleet;
  readonly worlds: readonly EpisodeWorld[];
  readonly log: EpisodeLog;
  readonly isOver: () => boolean;
  /** Called for every message that has been accepted. */
  readonly accepted: () => void;
}

function clientOf({ fleet, log }: Stage, world: EpisodeWorld, actor: string, random: SeededRandom): RetryingClient {
  return new RetryingClient(fleet, world.apiKey, actor, random, log);
}

export interface Message {
  readonly world: EpisodeWorld;
  readonly delivery: Delivery;
}

/** Every version of every deal in random order, a fifth of them twice. */
export function messagesOf(worlds: readonly EpisodeWorld[], random: SeededRandom): Message[] {
  const once = worlds.flatMap((world) => world.deliveries.map((delivery) => ({ world, delivery })));
  return random.shuffled([...once, ...once.filter(() => random.chance(0.2))]);
}

/** Sends each message until it is accepted. */
export async function send(
  stage: Stage,
  name: string,
  messages: readonly Message[],
  random: SeededRandom,
): Promise<void> {
  for (const { world, delivery } of messages) {
    const { dealId, ...deal } = delivery;
    const body = { ...deal, ownerId: world.memberId(deal.ownerId) };
    const { status } = await clientOf(stage, world, name, random).send('PUT', `/v1/deals/${dealId}`, body);
    if (status !== 200 && status !== 201) throw new Error(`PUT ${dealId} returned status ${status}`);
    stage.accepted();
    if (!stage.isOver()) await sleep(random.between(0, 40));
  }
}

/** Changes deals in the CRM of each workspace that has one, and delivers every change in random order, some twice. */
export async function sell(stage: Stage, random: SeededRandom): Promise<void> {
  const { worlds } = stage;
  const withCrm = worlds.flatMap((world) => (world.crm === null ? [] : [{ world, crm: world.crm }]));
  if (withCrm.length === 0) return;
  let undelivered: { readonly world: EpisodeWorld; readonly opportunityId: string }[] = [];
  while (!stage.isOver() || undelivered.length > 0) {
    if (!stage.isOver()) {
      const { world, crm } = random.pick(withCrm);
      const change = { world, opportunityId: crm.change(random, () => someDay(random)) };
      undelivered = random.shuffled([...undelivered, change, ...(random.chance(0.2) ? [change] : [])]);
      if (random.chance(0.3)) continue;
    }
    const [next, ...rest] = undelivered;
    undelivered = rest;
    if (next !== undefined) await deliver(stage, random, next);
  }
}

async function deliver(
  stage: Stage,
  random: SeededRandom,
  { world, opportunityId }: { readonly world: EpisodeWorld; readonly opportunityId: string },
): Promise<void> {
  const client = new RetryingClient(stage.fleet, world.webhookSecret, 'crm', random, stage.log);
  const { status } = await client.send('POST', '/webhooks/crmc', { opportunityId });
  if (status >= 300) throw new Error(`a delivery returned status ${status}`);
  if (!stage.isOver()) await sleep(random.between(0, 60));
}

/** Approves statements, waits for a moment, trues up, resolves discrepancies, disputes, and reopens most of them, or none in some episodes. */
export async function approve(stage: Stage, random: SeededRandom): Promise<void> {
  const reopens = random.chance(0.6) ? 0.75 : 0;
  while (!stage.isOver()) {
    const world = random.pick(stage.worlds);
    const client = clientOf(stage, world, 'approver', random);
    // Only some reps, so that most deals are in open periods.
    const repId = random.pick(Object.values(world.repIds).slice(2));
    const period = random.pick(months.slice(0, 2));
    await client.send('POST', `/v1/statements/${repId}/generate`, { period });
    await client.send('POST', `/v1/statements/${repId}/approve`, { period, status: 'approved' });
    await sleep(random.between(50, 250));
    if (random.chance(0.4)) await client.send('POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    if (random.chance(0.5)) await resolveDiscrepancy(client, random, repId);
    if (random.chance(0.2)) await dispute(client, repId, period);
    if (random.chance(reopens))
      await client.send('POST', `/v1/statements/${repId}/approve`, { period, status: 'draft' });
  }
}

async function resolveDiscrepancy(client: RetryingClient, random: SeededRandom, repId: string): Promise<void> {
  const { body } = await client.send('GET', `/v1/discrepancies?status=open&repId=${repId}`);
  const found = (body.discrepancies ?? []) as { discrepancyId: string }[];
  if (found.length === 0) return;
  const action = random.pick(['true_up', 'carry_forward', 'dismiss']);
  const { discrepancyId } = random.pick(found);
  await client.send('POST', `/v1/discrepancies/${discrepancyId}/resolve`, { action, reason: 'agreed', force: true });
}

/** Opens a dispute, and withdraws all that are open: a repeated request may have opened two. */
async function dispute(client: RetryingClient, repId: string, period: string): Promise<void> {
  await client.send('POST', '/v1/disputes', { repId, period, type: 'other', description: 'x' });
  const { body } = await client.send('GET', `/v1/disputes?status=open&repId=${repId}`);
  for (const { disputeId } of (body.disputes ?? []) as { disputeId: string }[])
    await client.send('PATCH', `/v1/disputes/${disputeId}`, { status: 'withdrawn' });
}

/** Previews and changes plans, changes quotas, exchange rates, refunds and managers, starts recalculations and exports, deletes deals and adds adjustments. */
export async function administer(stage: Stage, random: SeededRandom): Promise<void> {
  const actions = [
    setQuota,
    setQuota,
    recalculate,
    recalculate,
    changePlan,
    previewPlan,
    previewPlan,
    changeManager,
    setRate,
    setRate,
    refund,
    refund,
    refund,
    deleteDeal,
    adjust,
    adjust,
    generateAll,
    exportTeam,
    sync,
  ];
  while (!stage.isOver()) {
    const world = random.pick(stage.worlds);
    await random.pick(actions)(world, clientOf(stage, world, 'admin', random), random);
    await sleep(random.between(20, 150));
  }
}

type Action = (world: EpisodeWorld, client: RetryingClient, random: SeededRandom) => Promise<unknown>;

const setQuota: Action = (world, client, random) =>
  client.send('POST', '/v1/quotas', {
    repIds: [random.pick(Object.values(world.repIds))],
    measure: 'Commission',
    period: random.pick(['2026-Q1', '2026-Q2']),
    target: random.between(5, 40) * 1000,
  });

/** Enters a rate of one day, or deletes those of a month but the first, so that every deal has one. */
const setRate: Action = (_world, client, random) => {
  const pair = { from: foreignCurrency, to: 'USD' };
  const month = random.pick(months);
  if (random.chance(0.25))
    return client.send(
      'DELETE',
      `/v1/fx-rates?${new URLSearchParams({ ...pair, since: `${month}-02`, until: `${month}-28` })}`,
    );
  const rates = [{ ...pair, day: someDay(random), rate: random.between(80, 160) / 100 }];
  return client.send('PUT', '/v1/fx-rates', { rates });
};

/** Enters, changes or deletes one of two refunds of a deal, or lets someone keep a part of what it takes back. */
const refund: Action = async (world, client, random) => {
  const { dealId } = random.pick(world.deliveries);
  const path = `/v1/deals/${dealId}/refunds/${random.pick(['first', 'second'])}`;
  if (random.chance(0.2)) return client.send('DELETE', path);
  const amount = random.chance(0.3) ? null : random.between(100, 400_000) / 100;
  const { status } = await client.send('PUT', path, { day: someDay(random), cause: 'refund', amount });
  if (status >= 300 || random.chance(0.6)) return status;
  const repId = random.pick([null, ...Object.values(world.repIds)]);
  return client.send('POST', `${path}/waive`, { repId, percent: random.pick([0, 25, 100]), reason: 'agreed' });
};

const recalculate: Action = async (world, client, random) => {
  const scope = random.pick([{}, { planId: world.planIds.sales }, { repId: random.pick(Object.values(world.repIds)) }]);
  const isAsync = random.chance(0.8);
  const { body, status } = await client.send('POST', '/v1/commissions/recalculate', { ...scope, async: isAsync });
  if (status < 300) world.jobIds.push(body.jobId as string);
};

const changePlan: Action = (world, client, random) =>
  client.send('PATCH', `/v1/plans/${world.planIds.sales}`, { config: salesConfig(random) });

const previewPlan: Action = async (world, client, random) => {
  const change = random.pick([
    { config: salesConfig(random) },
    { config: salesConfig(random), effectiveStart: someDay(random) },
    { status: 'archived' },
  ]);
  const path = `/v1/plans/${world.planIds.sales}/preview`;
  const { body, status } = await client.send('POST', path, { ...change, period: random.pick([...months, '2026']) });
  if (status >= 300) throw new Error(`a preview returned status ${status}: ${JSON.stringify(body)}`);
  world.previewIds.push(body.jobId as string);
};

const changeManager: Action = (world, client, random) => {
  const { ann, bob, cid, north, south } = world.repIds;
  const body = { managerId: random.pick([north, south]), managerFrom: `${random.pick(months)}-01` };
  return client.send('PATCH', `/v1/reps/${random.pick([ann, bob, cid])}`, body);
};

const deleteDeal: Action = async (world, client, random) => {
  const { dealId } = random.pick(world.deliveries);
  if (world.deletions.get(dealId) === true) return;
  const { body, tries } = await client.send('DELETE', `/v1/deals/${dealId}`);
  // An attempt without a response may still be executed later, after the deal has arrived.
  const isUncertain = tries > 1 || world.deletions.get(dealId) === null;
  world.deletions.set(dealId, body.softDeleted ? true : isUncertain ? null : false);
};

/**
 * Uses an idempotency key, since after a lost response the client cannot determine whether the adjustment was
 * stored.
 */
const adjust: Action = async (world, client, random) => {
  const reason = `reason ${world.adjustments.size}`;
  world.adjustments.set(reason, { min: 0, max: 1 });
  const body = { amount: random.between(-200, 300), period: random.pick(months), reason };
  const path = `/v1/statements/${random.pick(Object.values(world.repIds))}/adjust`;
  const { status } = await client.send('POST', path, body, { 'Idempotency-Key': `${world.workspaceId}/${reason}` });
  if (status < 300) world.adjustments.set(reason, { min: 1, max: 1 });
};

const generateAll: Action = (_world, client, random) =>
  client.send('POST', '/v1/statements/generate', { period: random.pick(months) });

/** One export per episode, since each takes a worker half a second. */
const exportTeam: Action = async (world, client, random) => {
  if (world.exportIds.length > 0) return;
  const path = `/v1/statements/export.xlsx?period=${random.pick(months)}&async=true`;
  const { body, status } = await client.send('GET', path);
  if (status === 202) world.exportIds.push(body.jobId as string);
};

/**
 * Only in the workspace in which syncs may repair lost deliveries. In the other one nothing else delivers the
 * change.
 */
const sync: Action = async (world, client) => {
  if (world.crm === null || !world.isSynced) return;
  const { body, status } = await client.send('POST', '/v1/commissions/sync', { async: true });
  if (status < 300) world.jobIds.push(body.jobId as string);
};
