import { type InjectionToken } from 'tsyringe';
import { type BillingProvider } from '../../billing/billing-provider.js';
import { type simulationThreads } from '../../commissions/simulation-limits.js';
import { type SourceThreads } from '../../scheduled-imports/sources/source-threads.js';

/** Null if no billing provider is configured. */
export const BILLING_PROVIDER: InjectionToken<BillingProvider | null> = Symbol('billing provider');
export const SIMULATION_THREADS: InjectionToken<ReturnType<typeof simulationThreads>> = Symbol('simulation threads');
/** The threads that read the sources of runs; those of tests of a source are {@link SourceThreads}. */
export const RUN_SOURCES: InjectionToken<SourceThreads> = Symbol('sources of runs');
