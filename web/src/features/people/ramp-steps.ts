import { type Ramp } from '../../api/people-queries.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';

export type RampStep = Ramp['steps'][number];

/** The texts of a step while it is entered. */
export type EnteredStep = Readonly<Record<keyof RampStep, string>>;

export const firstStep: EnteredStep = { months: '1', quotaPercent: '50', variablePercent: '100', ratePercent: '100' };

export function toEntered({ months, quotaPercent, variablePercent, ratePercent }: RampStep): EnteredStep {
  return {
    months: formatNumber(months),
    quotaPercent: formatNumber(quotaPercent),
    variablePercent: formatNumber(variablePercent),
    ratePercent: formatNumber(ratePercent),
  };
}

/** The steps as they are sent; null while a text is no number. */
export function readSteps(entered: readonly EnteredStep[]): RampStep[] | null {
  const steps = entered.map(readStep);
  return steps.every((step) => step !== null) ? steps : null;
}

function readStep(entered: EnteredStep): RampStep | null {
  const [months, quotaPercent, variablePercent, ratePercent] = [
    readNumber(entered.months),
    readNumber(entered.quotaPercent),
    readNumber(entered.variablePercent),
    readNumber(entered.ratePercent),
  ];
  if (months === null || !Number.isInteger(months) || months < 1) return null;
  if (quotaPercent === null || variablePercent === null || ratePercent === null) return null;
  return { months, quotaPercent, variablePercent, ratePercent };
}
