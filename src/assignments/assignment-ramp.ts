import { type Day } from '../kernel/day.js';
import { invalid } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { findRamp } from '../ramps/ramp-views.js';

interface RequestedRamp {
  readonly rampId?: string | null | undefined;
  readonly rampFrom?: Day | null | undefined;
}

/** The ramp of an assignment, which must exist; a first day without a ramp is an error. */
export async function readRamp(tx: Transaction, { rampId = null, rampFrom = null }: RequestedRamp) {
  if (rampId === null && rampFrom !== null) throw invalid({ path: 'rampFrom', message: 'needs a rampId' });
  return { rampId: rampId === null ? null : (await findRamp(tx, rampId)).rampId, rampFrom };
}
