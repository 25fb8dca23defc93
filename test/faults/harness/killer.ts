import { setTimeout as sleep } from 'node:timers/promises';
import { failpoints } from '#src/platform/failpoint.js';
import { type Stage } from './actors.js';
import { type FaultyProcess } from './faulty-process.js';
import { type SeededRandom } from './seeded-random.js';

/** Starting a process takes a second of a core, so an episode affords so many. */
const mostKills = 2;

/** Where most is at stake: what is promised there and not yet kept. */
const aroundCommits = ['change.beforeCommit', 'change.afterCommit', 'lane.beforeCommit', 'lane.afterCommit'] as const;
const passedByWorkers = /^(lane|sweep|news|lease|pull|document|job\.beforeDone)/;

/** What the episode's number asks for beside the faults of every episode. */
export interface Menu {
  readonly server: 'postgres' | 'redis' | null;
  readonly flush: boolean;
}

/** Faults at places, as `place=fault place=fault`, that most of what happens then is: to look for one kind of bug. */
const aim = [...(process.env['FAULT_AIM'] ?? '').matchAll(/([\w.]+)=([\w:]+)/g)].map(([, place, fault]) => ({
  place: place as string,
  fault: fault as string,
}));

/** Every 120 to 470 ms one fault, until the episode is over. */
export async function disturb(stage: Stage, menu: Menu, random: SeededRandom): Promise<void> {
  const { fleet, log } = stage;
  const tell = (what: string) => log.add('killer', what);
  let kills = 0;
  let hasKilledServer = false;
  const kill = async (process: FaultyProcess, isLost: boolean) => {
    kills += 1;
    tell(`${isLost ? 'lose the machine of' : 'kill -9'} ${process.name}`);
    if (isLost) fleet.linesOf(process).database.loseClient();
    await process.kill();
  };
  while (!stage.isOver()) {
    await sleep(random.between(120, 470));
    // A start takes seconds, so if it met every fault there would seldom be anyone to send deals to.
    const process = random.pick(random.chance(0.8) ? serving(fleet) : fleet.processes);
    const { database, redis } = fleet.linesOf(process);
    const fault = random.between(0, 11);
    const affordable = aim.filter((one) => one.fault !== 'kill' || kills < mostKills);
    if (affordable.length > 0 && random.chance(0.7)) {
      for (const aimed of affordable) {
        const armed = `${aimed.place}@1=${aimed.fault}`;
        const isDeadly = aimed.fault === 'kill';
        if (isDeadly) kills += 1;
        // Whoever passes there first: lanes are calculated by workers, and by API processes whose callers wait for it.
        const passing = isDeadly ? [random.pick(passedBy(fleet, aimed.place))] : fleet.processes;
        tell(`arm ${armed} in ${passing.map(({ name }) => name)}`);
        for (const one of passing) one.arm(armed);
      }
    } else if (menu.server !== null && !hasKilledServer && random.chance(0.3)) {
      hasKilledServer = true;
      tell(`kill -9 ${menu.server}`);
      if (menu.server === 'postgres') await fleet.killPostgres(random.between(50, 600));
      else await fleet.killRedis(random.between(50, 600));
    } else if (menu.flush && random.chance(0.3)) {
      tell('FLUSHALL');
      // Redis may be away at this moment: then there is nothing to flush.
      await fleet.flushRedis().catch(() => undefined);
    } else if (fault <= 1 && kills < mostKills && fleet.hasTwin(process)) await kill(process, random.chance(0.3));
    else if (fault === 2) tell(`cut ${database.cut()} connections of ${process.name}`);
    else if (fault === 3) {
      tell(`cut the queue of ${process.name}`);
      redis?.cut();
    } else if (fault <= 6) {
      tell(`lose the answer to the next commit of ${process.name}`);
      database.loseReplyTo(/commit/i);
    } else if (fault === 7) {
      const bytes = random.between(100, 20_000);
      tell(`cut ${process.name} after ${bytes} bytes`);
      database.cutAfterBytes(bytes);
    } else if (fault === 8) {
      tell(`slow ${process.name}`);
      database.delay(random.between(2, 15));
      await sleep(random.between(50, 250));
      database.delay(0);
    } else if (fault === 9) {
      tell(`blackhole ${process.name}`);
      database.blackhole();
      await sleep(random.between(50, 400));
      database.heal();
    } else {
      const place = random.pick(random.chance(0.4) ? aroundCommits : failpoints);
      const may = random.pick(
        kills < mostKills ? (['kill', 'throw', 'drop', 'delay:60'] as const) : (['throw', 'drop', 'delay:60'] as const),
      );
      if (may === 'kill') kills += 1;
      const armed = `${place}@${random.between(1, 3)}=${may}`;
      const passing = random.pick(passedBy(fleet, place));
      tell(`arm ${armed} in ${passing.name}`);
      passing.arm(armed);
    }
  }
}

function serving({ processes }: Stage['fleet']): readonly FaultyProcess[] {
  const those = processes.filter(({ isServing }) => isServing);
  return those.length > 0 ? those : processes;
}

function passedBy({ workers, apis }: Stage['fleet'], place: string): readonly FaultyProcess[] {
  return passedByWorkers.test(place) ? workers : apis;
}
