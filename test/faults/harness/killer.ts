import { setTimeout as sleep } from 'node:timers/promises';
import { failpoints } from '#src/platform/failpoint.js';
import { type Stage } from './actors.js';
import { type SeededRandom } from './seeded-random.js';
import { type ServiceProcess } from './service-process.js';

/** Starting a process takes a second of a core, so an episode affords so many. */
const mostKills = 2;

/** Where most is at stake: what is promised there and not yet kept. */
const aroundCommits = ['change.beforeCommit', 'change.afterCommit', 'lane.beforeCommit', 'lane.afterCommit'] as const;
const passedByWorkers = /^(lane|sweep|job\.beforeDone)/;

/** What the episode's number asks for beside the faults of every episode. */
export interface Menu {
  readonly server: 'postgres' | 'redis' | null;
  readonly flush: boolean;
}

/** Every 120 to 470 ms one fault, until the episode is over. */
export async function disturb(stage: Stage, menu: Menu, random: SeededRandom): Promise<void> {
  const { fleet, log } = stage;
  const tell = (what: string) => log.add('killer', what);
  let kills = 0;
  let hasKilledServer = false;
  const kill = async (process: ServiceProcess, isLost: boolean) => {
    kills += 1;
    tell(`${isLost ? 'lose the machine of' : 'kill -9'} ${process.name}`);
    if (isLost) fleet.linesOf(process).database.loseClient();
    await process.kill();
  };
  while (!stage.isOver()) {
    await sleep(random.between(120, 470));
    const process = random.pick(fleet.processes);
    const { database, redis } = fleet.linesOf(process);
    const fault = random.between(0, 11);
    if (menu.server !== null && !hasKilledServer && random.chance(0.3)) {
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
      const passing = random.pick(passedByWorkers.test(place) ? fleet.workers : fleet.apis);
      tell(`arm ${armed} in ${passing.name}`);
      passing.arm(armed);
    }
  }
}
