import { type PlanTemplate, withTest } from './templates.js';
import { productRates, unitAmounts } from './templates-for-products.js';
import { flatCommission, managerCascade, marginalAe, multiMeasure, retroactiveAe } from './templates-for-sellers.js';
import { mboBonus, newHireRamp, sdrMeetingBonus, seOverlay } from './templates-for-special-terms.js';

/** The starter plans: those of the specification in its order, then further ones. */
export const planTemplates: readonly PlanTemplate[] = [
  flatCommission,
  marginalAe,
  retroactiveAe,
  managerCascade,
  mboBonus,
  sdrMeetingBonus,
  multiMeasure,
  newHireRamp,
  seOverlay,
  productRates,
  unitAmounts,
].map(withTest);
