import { type Period } from '../kernel/period.js';
import { type FiscalYear } from '../kernel/period-calendar.js';
import { type PlanWarning } from '../plans/plan-warnings.js';
import { type SharedTerms } from '../simulation/simulated-reps.js';
import { type ExplainedDeal } from './deal-outcomes.js';
import { type ForecastPart, type ForecastTask } from './forecast/forecast-task.js';
import { type ExplainedRep } from './rep-exceptions.js';
import { type SimulatedPayouts } from './simulation-payouts.js';

/** What a worker thread does. */
export type ThreadTask = { readonly simulation: SimulationHead } | ((Explanation | ForecastHead) & InWorkspace);

/** The workspace of a task is the one of the transaction in which its statements run. */
interface InWorkspace {
  readonly workspaceId: string;
}

interface ForecastHead {
  readonly forecast: ForecastTask;
  readonly part: ForecastPart;
}

/** What the result is depends on the kind: the outcomes of a deal, or the exceptions of a rep. */
export type Explanation = { readonly explainedDeal: ExplainedDeal } | { readonly explainedRep: ExplainedRep };

/** What applies to all reps of a simulation. It is sent to a worker thread, so it contains only data. */
export interface SimulationHead extends SharedTerms {
  readonly period: Period;
  readonly timeZone: string;
  readonly fiscalYears: readonly FiscalYear[];
  /** The reps of the response, in its order. */
  readonly repIds: readonly string[];
  readonly warnings: readonly PlanWarning[];
  /** Null while payouts are off. */
  readonly payouts: SimulatedPayouts | null;
}
