import { pointer } from './input-methods.js';
import { describePeriodFlow } from './period-flow.js';

describePeriodFlow([
  ['with a pointer, light, 1280 pixels', pointer, { scheme: 'light', width: 1280 }],
  ['with a pointer, dark, 390 pixels', pointer, { scheme: 'dark', width: 390 }],
]);
