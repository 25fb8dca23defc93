import { setTimeout as sleep } from 'node:timers/promises';
import { type EventReceiver } from '#test/support/event-receiver.js';
import { type Stage } from './actors.js';
import { type SeededRandom } from './seeded-random.js';

/** Of the eight attempts of a delivery, this number may fail during an episode. */
const maxFailedAttempts = 5;

/** Makes a receiver fail, respond slowly or never, redirect, or be down. Returns what it does. */
function disturbReceiver(receiver: EventReceiver, random: SeededRandom): string {
  const status = random.pick([400, 429, 500, 503]);
  const delayMs = random.between(200, 1500);
  const disturbances: readonly (readonly [name: string, change: Partial<EventReceiver>])[] = [
    [`responds with ${status}`, { status }],
    [`responds after ${delayMs} ms`, { delayMs }],
    ['redirects', { mode: 'redirects' }],
    ['hangs', { mode: 'hangs' }],
    ['is down', { mode: 'is down' }],
  ];
  const [name, change] = random.pick(disturbances);
  Object.assign(receiver, change);
  return name;
}

/** Disturbs one receiver after the other for a moment, and lets hours pass for the pauses between attempts. */
export async function disturbReceivers(stage: Stage, random: SeededRandom): Promise<void> {
  const { fleet, worlds, log } = stage;
  const ids = worlds.map(({ workspaceId }) => workspaceId);
  while (!stage.isOver()) {
    const { endpointId, receiver } = random.pick(random.pick(worlds).receivers);
    log.add('receiver', `${endpointId} ${disturbReceiver(receiver, random)}`);
    await sleep(random.between(50, 600));
    // The server may be down at this moment.
    await fleet.endPauses(ids, maxFailedAttempts).catch(() => undefined);
    await sleep(random.between(50, 300));
    if (random.chance(0.8)) receiver.recover();
  }
  for (const { receiver } of worlds.flatMap((world) => world.receivers)) receiver.recover();
}
