import { setTimeout as sleep } from 'node:timers/promises';
import { failpoints } from '#src/app/failpoints.js';
import { type Stage } from './actors.js';
import { type FaultyProcess } from './faulty-process.js';
import { type SeededRandom } from './seeded-random.js';

/** Starting a process takes a second of CPU, so an episode kills at most this many. */
const maxKills = 2;

/** The failpoints around commits, where faults have the most consequences. */
const aroundCommits = ['change.beforeCommit', 'change.afterCommit', 'lane.beforeCommit', 'lane.afterCommit'] as const;
const passedByWorkers =
  /^(lane|sweep|inbox\.after(Pick|Fetch|Record|Mark)|lease|sync|export|delivery|preview|check|job\.beforeDone)/;

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
  const killer = new Killer(stage, menu, random);
  while (!stage.isOver()) {
    await sleep(random.between(120, 470));
    await killer.injectFault();
  }
}

class Killer {
  private kills = 0;
  private hasKilledServer = false;

  constructor(
    private readonly stage: Stage,
    private readonly menu: Menu,
    private readonly random: SeededRandom,
  ) {}

  async injectFault(): Promise<void> {
    const { menu, random } = this;
    const { fleet } = this.stage;
    const affordable = aim.filter((one) => one.fault !== 'kill' || this.mayKill());
    if (affordable.length > 0 && random.chance(0.7)) {
      for (const { place, fault } of affordable) this.armAim(place, fault);
    } else if (menu.server !== null && !this.hasKilledServer && random.chance(0.3)) await this.killServer(menu.server);
    else if (menu.flush && random.chance(0.3)) await this.flush();
    else {
      // A start takes seconds. If it met every fault, few processes would serve requests.
      const process = random.pick(random.chance(0.8) ? servingProcesses(fleet) : fleet.processes);
      await this.harm(process);
    }
  }

  private mayKill(): boolean {
    return this.kills < maxKills;
  }

  private report(what: string): void {
    this.stage.log.add('killer', what);
  }

  /** The first process that reaches the failpoint: workers calculate lanes, and so do API processes for synchronous requests. */
  private armAim(place: string, fault: string): void {
    const { fleet } = this.stage;
    const isDeadly = fault === 'kill';
    if (isDeadly) this.kills += 1;
    const passing = isDeadly ? [this.random.pick(passedBy(fleet, place))] : fleet.processes;
    this.report(`arm ${place}@1=${fault} in ${passing.map(({ name }) => name)}`);
    for (const one of passing) one.arm(`${place}@1=${fault}`);
  }

  private async killServer(server: 'postgres' | 'redis'): Promise<void> {
    const { fleet } = this.stage;
    this.hasKilledServer = true;
    this.report(`kill -9 ${server}`);
    const downMs = this.random.between(50, 600);
    if (server === 'postgres') await fleet.killPostgres(downMs);
    else await fleet.killRedis(downMs);
  }

  private async flush(): Promise<void> {
    this.report('FLUSHALL');
    // Redis may be down at this moment; then there is nothing to flush.
    await this.stage.fleet.flushRedis().catch(() => undefined);
  }

  private async harm(process: FaultyProcess): Promise<void> {
    const fault = this.random.between(0, 11);
    if (fault <= 1 && this.mayKill() && this.stage.fleet.hasTwin(process)) await this.kill(process);
    else if (fault >= 2 && fault <= 7) this.cut(process, fault);
    else if (fault === 8 || fault === 9) await this.slow(process, fault);
    else this.armFailpoint();
  }

  private async kill(process: FaultyProcess): Promise<void> {
    const isLost = this.random.chance(0.3);
    this.kills += 1;
    this.report(`${isLost ? 'lose the machine of' : 'kill -9'} ${process.name}`);
    if (isLost) this.stage.fleet.linesOf(process).database.loseClient();
    await process.kill();
  }

  private cut(process: FaultyProcess, fault: number): void {
    const { database, redis } = this.stage.fleet.linesOf(process);
    if (fault === 2) this.report(`cut ${database.cut()} connections of ${process.name}`);
    else if (fault === 3) {
      this.report(`cut the queue of ${process.name}`);
      redis?.cut();
    } else if (fault <= 6) {
      this.report(`lose the reply to the next commit of ${process.name}`);
      database.loseReplyTo(/commit/i);
    } else {
      const bytes = this.random.between(100, 20_000);
      this.report(`cut ${process.name} after ${bytes} bytes`);
      database.cutAfterBytes(bytes);
    }
  }

  private async slow(process: FaultyProcess, fault: number): Promise<void> {
    const { database } = this.stage.fleet.linesOf(process);
    this.report(`${fault === 8 ? 'slow' : 'blackhole'} ${process.name}`);
    if (fault === 8) {
      database.delay(this.random.between(2, 15));
      await sleep(this.random.between(50, 250));
      database.delay(0);
    } else {
      database.blackhole();
      await sleep(this.random.between(50, 400));
      database.heal();
    }
  }

  private armFailpoint(): void {
    const { random } = this;
    const place = random.pick(random.chance(0.4) ? aroundCommits : failpoints);
    const harmless = ['throw', 'drop', 'delay:60'] as const;
    const kind = random.pick(this.mayKill() ? (['kill', ...harmless] as const) : harmless);
    if (kind === 'kill') this.kills += 1;
    const armed = `${place}@${random.between(1, 3)}=${kind}`;
    const passing = random.pick(passedBy(this.stage.fleet, place));
    this.report(`arm ${armed} in ${passing.name}`);
    passing.arm(armed);
  }
}

function servingProcesses({ processes }: Stage['fleet']): readonly FaultyProcess[] {
  const serving = processes.filter(({ isServing }) => isServing);
  return serving.length > 0 ? serving : processes;
}

function passedBy({ workers, apis }: Stage['fleet'], place: string): readonly FaultyProcess[] {
  return passedByWorkers.test(place) ? workers : apis;
}
