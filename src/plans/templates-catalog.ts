import { type PlanTemplate, withTest } from './templates.js';
import { flatCommission, managerCascade, marginalAe, multiMeasure, retroactiveAe } from './templates-for-sellers.js';
import { mboBonus, newHireRamp, sdrMeetingBonus } from './templates-for-special-terms.js';

/** The starter plans, in the order of the specification. */
export const planTemplates: readonly PlanTemplate[] = [
  flatCommission,
  marginalAe,
  retroactiveAe,
  managerCascade,
  mboBonus,
  sdrMeetingBonus,
  multiMeasure,
  newHireRamp,
].map(withTest);
