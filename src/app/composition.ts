import { type Clock, systemClock } from '../kernel/clock.js';
import { type Config } from '../platform/config.js';
import { type Database } from '../platform/database/pool.js';
import { type ReadReplica } from '../platform/database/read-replica.js';
import { mainShard } from '../platform/database/shard-settings.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { CLOCK, CONFIG, DATABASE, LOG, READ_REPLICA } from '../platform/injection-tokens.js';
import { type Log } from '../platform/log.js';
import { OperationDispatcher } from '../platform/operations/operation-dispatcher.js';
import { PartContainer } from '../platform/part-container.js';
import { provideAccess } from './parts/provide-access.js';
import { provideCrm } from './parts/provide-crm.js';
import { provideDatabase } from './parts/provide-database.js';
import { provideJobs } from './parts/provide-jobs.js';
import { provideMessages } from './parts/provide-messages.js';
import { provideOperations } from './parts/provide-operations.js';

/** A process for one database. Processes differ only in which of the other parts they start. */
export interface Service {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly database: Database;
  readonly replica: ReadReplica | undefined;
  readonly unitOfWork: UnitOfWork;
  readonly dispatcher: OperationDispatcher;
  readonly parts: PartContainer;
  close(): Promise<void>;
}

/** The composition root: the only place that constructs the parts. `appUrl` is the database of the service's tables. */
export function compose(
  config: Config,
  appUrl: string,
  log: Log,
  clock: Clock = systemClock,
  /** The name of the database among several. */
  shard: string = mainShard,
): Service {
  const parts = new PartContainer()
    .provide(CONFIG, () => config)
    .provide(LOG, () => log)
    .provide(CLOCK, () => clock);
  provideDatabase(parts, appUrl);
  provideJobs(parts, appUrl, shard);
  provideAccess(parts);
  provideMessages(parts);
  provideCrm(parts);
  provideOperations(parts);
  return {
    config,
    log,
    clock,
    database: parts.resolve(DATABASE),
    replica: parts.resolve(READ_REPLICA),
    unitOfWork: parts.resolve(UnitOfWork),
    dispatcher: parts.resolve(OperationDispatcher),
    parts,
    close: () => parts.close(),
  };
}
