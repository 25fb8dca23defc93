import { startWorkers, type Workers } from '#workers/registry.js';
import { SignIns } from '../../access/auth/sign-ins.js';
import { BillingIntake } from '../../billing/billing-intake.js';
import { systemClock } from '../../kernel/clock.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type Config } from '../../platform/config.js';
import { type Log } from '../../platform/log.js';
import { PeriodicTask } from '../../platform/periodic-task.js';
import { compose, type Service } from '../composition.js';
import { assertUsable, migrate } from '../opening.js';
import { ShardCallRouting } from './call-routing.js';
import { Directory } from './directory.js';
import { DirectorySweep } from './directory-sweep.js';
import { OtherShards } from './other-shards.js';
import { type Opening, Shard } from './shard.js';
import { settingsOfShard, shardNames } from './shard-config.js';
import { Shards } from './shards.js';

interface ShardParts {
  readonly api: boolean;
  readonly worker: boolean;
}

/**
 * Starts the parts of every database. One that does not respond is opened when it does; the start fails only if none
 * responds.
 */
export async function startShards(config: Config, parts: ShardParts, log: Log): Promise<Shards> {
  const opened: Shard[] = [];
  const openings = new ShardOpenings(parts, log, () => opened[0] as Shard);
  for (const name of shardNames(config)) {
    const settings = settingsOfShard(config, name) as Config;
    const service = compose(settings, settings.DATABASE_URL as string, log, systemClock, name);
    opened.push(new Shard(name, service, openings.of(name), log));
  }
  const shards = new Shards(opened as [Shard, ...Shard[]], log);
  for (const shard of opened) connect(shard, shards);
  await mapInParallel(opened, (shard) => shard.start());
  if (opened.some(({ isServing }) => isServing)) return shards;
  await closeShards(shards);
  throw new Error('None of the databases can be used.', { cause: opened[0]?.problem });
}

export async function closeShards({ all }: Shards): Promise<void> {
  await mapInParallel(all, (shard) => shard.close());
}

/** Lets the parts of a database find what is in the others. */
function connect(shard: Shard, shards: Shards): void {
  const { dispatcher, parts } = shard.service;
  const others = new OtherShards(shard, shards);
  dispatcher.attach(new ShardCallRouting(shard, shards));
  parts.resolve(SignIns).attach(others);
  parts.resolve(BillingIntake).attach(others);
}

/** Migrates, checks and works for a database once it responds. */
class ShardOpenings {
  constructor(
    private readonly parts: ShardParts,
    private readonly log: Log,
    private readonly main: () => Shard,
  ) {}

  of(name: string): Opening {
    let workers: Workers | null = null;
    let tasks: readonly PeriodicTask[] = [];
    return {
      open: async (service) => {
        const { config } = service;
        if (this.parts.api && config.MIGRATE_AT_START)
          await migrate(config.DATABASE_OWNER_URL ?? (config.DATABASE_URL as string), this.log);
        await assertUsable(service);
        if (!this.parts.worker) return;
        workers = await startWorkers(service);
        tasks = this.directoryTasks(name, service);
        for (const task of tasks) void task.start();
      },
      close: async () => {
        await mapInParallel(tasks, (task) => task.stop());
        await workers?.stop();
      },
    };
  }

  private directoryTasks(name: string, service: Service): PeriodicTask[] {
    const main = this.main();
    const sweep = new DirectorySweep({ name, service }, main);
    const tasks = [
      new PeriodicTask(
        'directory',
        2000,
        async (stopping) => {
          if (main.isServing || name === main.name) await sweep.run(stopping);
        },
        this.log,
      ),
    ];
    if (name !== main.name) return tasks;
    const directory = new Directory(service.database);
    return [
      ...tasks,
      new PeriodicTask('deletion of tokens of the directory', 3_600_000, () => directory.deleteOld(), this.log),
    ];
  }
}
