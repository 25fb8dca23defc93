import { setTimeout as sleep } from 'node:timers/promises';
import { failpoints } from '#src/platform/failpoint.js';
import { type Stage } from './actors.js';
import { type FaultyProcess } from './faulty-process.js';
import { type SeededRandom } from './seeded-random.js';

/** Starting a process takes a second of CPU, so an episode kills at most this many. */
const maxKills = 2;

/** The failpoints around commits, where faults have the most consequences. */
const aroundCommits = ['change.beforeCommit', 'change.afterCommit', 'lane.beforeCommit', 'lane.afterCommit'] as const;
const passedByWorkers = /^(lane|sweep|news|lease|pull|document|job\.beforeDone)/;

/** Faults that the seed adds to those of every episode. */
export interface Menu {
  readonly server: 'postgres' | 'redis' | null;
  readonly flush: boolean;
}

/** FAULT_AIM: faults at failpoints (`place=fault place=fault`) that replace most of the random ones. */
const aim = [...(process.env['FAULT_AIM'] ?? '').matchAll(/([\w.]+)=([\w:]+)/g)].map(([, place, fault]) => ({
  place: place as string,
  fault: fault as string,
}));

/** Injects one fault every 120 to 470 ms until the episode is over. */
export async function disturb(stage: Stage, menu: Menu, random: SeededRandom): Promise<void> {
  const { fleet, log } = stage;
  const report = (what: string) => log.add('killer', what);
  let kills = 0;
  let hasKilledServer = false;
  const kill = async (process: FaultyProcess, isLost: boolean) => {
    kills += 1;
    report(`${isLost ? 'lose the machine of' : 'kill -9'} ${process.name}`);
    if (isLost) fleet.linesOf(process).database.loseClient();
    await process.kill();
  };
  while (!stage.isOver()) {
    await sleep(random.between(120, 470));
    // A start takes seconds. If it met every fault, few processes would serve requests.
    const process = random.pick(random.chance(0.8) ? servingProcesses(fleet) : fleet.processes);
    const { database, redis } = fleet.linesOf(process);
    const fault = random.between(0, 11);
    const affordable = aim.filter((one) => one.fault !== 'kill' || kills < maxKills);
    if (affordable.length > 0 && random.chance(0.7)) {
      for (const aimed of affordable) {
        const armed = `${aimed.place}@1=${aimed.fault}`;
        const isDeadly = aimed.fault === 'kill';
        if (isDeadly) kills += 1;
        // The first process that reaches the failpoint: workers calculate lanes, and so do API processes for
        // synchronous requests.
        const passing = isDeadly ? [random.pick(passedBy(fleet, aimed.place))] : fleet.processes;
        report(`arm ${armed} in ${passing.map(({ name }) => name)}`);
        for (const one of passing) one.arm(armed);
      }
    } else if (menu.server !== null && !hasKilledServer && random.chance(0.3)) {
      hasKilledServer = true;
      report(`kill -9 ${menu.server}`);
      if (menu.server === 'postgres') await fleet.killPostgres(random.between(50, 600));
      else await fleet.killRedis(random.between(50, 600));
    } else if (menu.flush && random.chance(0.3)) {
      report('FLUSHALL');
      // Redis may be down at this moment; then there is nothing to flush.
      await fleet.flushRedis().catch(() => undefined);
    } else if (fault <= 1 && kills < maxKills && fleet.hasTwin(process)) await kill(process, random.chance(0.3));
    else if (fault === 2) report(`cut ${database.cut()} connections of ${process.name}`);
    else if (fault === 3) {
      report(`cut the queue of ${process.name}`);
      redis?.cut();
    } else if (fault <= 6) {
      report(`lose the reply to the next commit of ${process.name}`);
      database.loseReplyTo(/commit/i);
    } else if (fault === 7) {
      const bytes = random.between(100, 20_000);
      report(`cut ${process.name} after ${bytes} bytes`);
      database.cutAfterBytes(bytes);
    } else if (fault === 8) {
      report(`slow ${process.name}`);
      database.delay(random.between(2, 15));
      await sleep(random.between(50, 250));
      database.delay(0);
    } else if (fault === 9) {
      report(`blackhole ${process.name}`);
      database.blackhole();
      await sleep(random.between(50, 400));
      database.heal();
    } else {
      const place = random.pick(random.chance(0.4) ? aroundCommits : failpoints);
      const kind = random.pick(
        kills < maxKills ? (['kill', 'throw', 'drop', 'delay:60'] as const) : (['throw', 'drop', 'delay:60'] as const),
      );
      if (kind === 'kill') kills += 1;
      const armed = `${place}@${random.between(1, 3)}=${kind}`;
      const passing = random.pick(passedBy(fleet, place));
      report(`arm ${armed} in ${passing.name}`);
      passing.arm(armed);
    }
  }
}

function servingProcesses({ processes }: Stage['fleet']): readonly FaultyProcess[] {
  const serving = processes.filter(({ isServing }) => isServing);
  return serving.length > 0 ? serving : processes;
}

function passedBy({ workers, apis }: Stage['fleet'], place: string): readonly FaultyProcess[] {
  return passedByWorkers.test(place) ? workers : apis;
}
