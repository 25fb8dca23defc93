import { type Day, type DayRange } from '../../kernel/day.js';
import { type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type PayableRow } from '../../pay/payables/payable-rows.js';

/** The pay of one person to forecast. It is sent to a worker thread, so it contains only data. */
export interface ForecastTask {
  readonly repId: string;
  readonly range: DayRange;
  readonly workspace: WorkspaceTerms;
  readonly today: Day;
  readonly seed: number;
  readonly deals: readonly ForecastDeal[];
  /** The pay to reach; null for none. */
  readonly goal: number | null;
  /** Whether the result contains the rows, which say when the pay is released. */
  readonly withRows: boolean;
}

/** An open deal, with what it becomes when it is won. Numbers are exact decimal texts. */
export interface ForecastDeal {
  readonly dealId: string;
  readonly amount: string | null;
  /** From 0 to 1; null if none is known. */
  readonly probability: string | null;
  readonly won: WonForm;
}

/** What changes in a deal when it is won. */
export interface WonForm {
  readonly stage: string;
  readonly stageLabel: string;
  /** The fields that hold the stage. */
  readonly stageSlugs: readonly string[];
}

/** The outcomes of a forecast are calculated in one thread, or in two of which the first asks for those of the second. */
export type ForecastPart = 'all' | 'first' | 'second';

/** The request of the first thread for the outcomes of the second. */
export const outcomesOfSecond = 'outcomes of the second thread';

/** What a thread says about its outcomes: the pay of each, and the sums of their rows. */
export interface SentOutcomes {
  readonly pays: readonly SentPay[];
  readonly rows: readonly PayableRow[];
}

/** The pay of an outcome by currency. */
export type SentPay = Readonly<Record<string, string>>;

/** Amounts are rounded to the currency. */
export interface ForecastedAmounts {
  readonly currency: string;
  /** The pay if no open deal is won. */
  readonly sure: number;
  readonly expected: number;
  readonly p10: number;
  readonly p90: number;
  /** By deal id, of the deals with a probability. */
  readonly worth: Readonly<Record<string, number | null>>;
}

export interface ForecastResult {
  readonly method: 'all_outcomes' | 'draws';
  /** The currency of the workspace first, if something is paid in it or nothing at all. */
  readonly amounts: readonly [ForecastedAmounts, ...ForecastedAmounts[]];
  readonly goal: ForecastedGoal | null;
  /** What is paid and not in the ledger, less what is there and no longer paid; null if the task needs no rows. */
  readonly rows: {
    /** If no open deal is won. */
    readonly sure: readonly PayableRow[];
    readonly expected: readonly PayableRow[];
  } | null;
}

export interface ForecastedGoal {
  readonly isReached: boolean;
  readonly isExact: boolean;
  readonly dealIds: readonly string[];
  readonly pay: number;
  readonly missing: number;
}
