import { type InjectionToken } from 'tsyringe';
import { type Clock } from '../kernel/clock.js';
import { type Config } from './config.js';
import { type Database } from './database/pool.js';
import { type ReadReplica } from './database/read-replica.js';
import { type QueueBackend } from './jobs/job-queue.js';
import { type Log } from './log.js';

/** Parts that have no class, or that may be absent. */
export const CLOCK: InjectionToken<Clock> = Symbol('clock');
export const CONFIG: InjectionToken<Config> = Symbol('config');
export const LOG: InjectionToken<Log> = Symbol('log');
export const DATABASE: InjectionToken<Database> = Symbol('database');
/** Undefined without a replica. */
export const READ_REPLICA: InjectionToken<ReadReplica | undefined> = Symbol('read replica');
export const QUEUE_BACKEND: InjectionToken<QueueBackend> = Symbol('queue backend');
