import { describeSimulatedChanges } from './simulated-changes.js';

describeSimulatedChanges(
  'other rates, for all days',
  'other rates from the second quarter on',
  'a threshold that drops the override',
  'an override of the manager at another rate',
  'no earliest day',
);
