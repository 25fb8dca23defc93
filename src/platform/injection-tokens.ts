import { type InjectionToken } from 'tsyringe';
import { type Clock } from '../kernel/clock.js';
import { type Config } from './config.js';
import { type Log } from './log.js';

/** Injection tokens of interfaces. */
export const CLOCK: InjectionToken<Clock> = Symbol('Clock');
export const CONFIG: InjectionToken<Config> = Symbol('Config');
export const LOG: InjectionToken<Log> = Symbol('Log');
