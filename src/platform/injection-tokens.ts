import { type Clock } from '../kernel/clock.js';
import { type Config } from './config.js';
import { NamedToken } from './part-registry.js';

export const CLOCK = new NamedToken<Clock>('clock');
export const CONFIG = new NamedToken<Config>('config');
