import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { chunk } from '#src/kernel/chunk.js';
import { largestConfigs, largestFile } from '#test/budgets/largest-input.js';
import { ApiClient } from '#test/support/api-client.js';
import { type Stage } from './actors.js';
import { Violation } from './episode-log.js';
import { type Fleet } from './fleet.js';
import { RetryingClient } from './retrying-client.js';
import { type SeededRandom } from './seeded-random.js';

/** A workspace of its own, from which nothing may reach the others. */
export interface AbusiveTenant {
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly repId: string;
}

export async function createAbusiveTenant(fleet: Fleet, name: string, random: SeededRandom): Promise<AbusiveTenant> {
  const { workspaceId, apiKey } = await fleet.createWorkspace(name);
  const api = new ApiClient(random.pick(fleet.apis).url, apiKey);
  const [repId] = await api.saveReps('Abuser');
  return { workspaceId, apiKey, repId };
}

/**
 * Sends the largest simulations, plans and imports that are accepted, bodies that are rejected, and requests for large
 * responses that it does not read. Responses may be rejections and outages; a response with status 500 violates an
 * invariant.
 */
export async function abuse(stage: Stage, tenant: AbusiveTenant, random: SeededRandom): Promise<void> {
  const client = new RetryingClient(stage.fleet, tenant.apiKey, 'abuser', random, stage.log);
  const sockets: net.Socket[] = [];
  const largestSimulation = JSON.stringify(simulationOf(tenant, 499, 399));
  const actions = [
    () => client.attempt('POST', simulation, simulationOf(tenant, 20, 50), {}),
    () => sendValid(client, simulation, largestSimulation),
    () => sendValid(client, '/v1/plans', largestPlan),
    () => sendValid(client, `/v1/deals/import?dryRun=${random.chance(0.5)}`, largeFile),
    () => client.attempt('PUT', '/v1/reps', manyUnknownKeys, json),
    () => client.attempt('POST', simulation, '{"config": ', json),
    () => client.attempt('POST', simulation, `"${'x'.repeat(2 * 1024 * 1024)}"`, json),
    () => client.attempt('POST', simulation, '['.repeat(100_000), json),
    () => client.attempt('POST', '/auth/otp/send', gzipSync(Buffer.alloc(4 * 1024 * 1024, 32)), compressed),
    async () => sockets.push(requestWithoutReading(random.pick(stage.fleet.apis).url, tenant)),
  ];
  try {
    while (!stage.isOver()) {
      await random.pick(actions)();
      await sleep(random.between(20, 150));
    }
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * The limits accept the body. Otherwise it would be rejected before it costs anything, and this would be no abuse. A
 * simulation that ran until its deadline has cost enough.
 */
async function sendValid(client: RetryingClient, path: string, body: string | Buffer): Promise<void> {
  const answer = await client.attempt('POST', path, body, json);
  const ranUntilDeadline = answer?.body?.details?.limitSeconds !== undefined;
  if (answer?.status === 400 && !ranUntilDeadline)
    throw new Violation('abuse', `${path}: ${JSON.stringify(answer.body).slice(0, 500)}`);
}

const simulation = '/v1/commissions/simulate';
const json = { 'Content-Type': 'application/json' };
const compressed = { ...json, 'Content-Encoding': 'gzip' };

const largestPlan = JSON.stringify({ name: 'Largest', config: largestConfigs['conditions'] });
const largeFile = largestFile({ deals: [{ dealId: 'A', amount: 1, stage: 'Won', closeDate: '2026-02-01' }] }, 2 ** 20);
const unknownKeys = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`key${at}`, 1]));
const manyUnknownKeys = JSON.stringify({ reps: Array.from({ length: 10_000 }, () => unknownKeys) });

const maxGroup = 50;

/**
 * Ten rules, with this number of conditions for each rule, over made-up deals. A deal may need 5,000 comparisons and a
 * simulation 2,000,000.
 */
function simulationOf({ repId }: AbusiveTenant, conditions: number, count: number) {
  const leaf = { field: 'stage', fieldType: 'text', operator: 'equals' };
  const rules = Array.from({ length: 10 }, (_, rule) => ({
    name: `Rule ${rule}`,
    measure: 'amount',
    conditions: chunk(
      Array.from({ length: conditions }, (_one, index) => ({ ...leaf, value: `${index}` })),
      maxGroup,
    ).map((rules) => ({ operator: 'or', rules })),
    tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
  }));
  const deals = Array.from({ length: count }, (_, index) => ({
    dealId: `invented-${index}`,
    amount: index,
    stage: '3',
    closeDate: '2026-02-01',
  }));
  return { config: { rules }, period: '2026-Q1', repId, deals };
}

/** Sends a simulation and never reads the response. */
function requestWithoutReading(url: string, tenant: AbusiveTenant): net.Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(simulationOf(tenant, 20, 50));
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    [
      `POST ${simulation} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${tenant.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  return socket;
}
