import { keyboard } from './input-methods.js';
import { describePeriodFlow } from './period-flow.js';

describePeriodFlow([['by keyboard alone', keyboard, { scheme: 'light', width: 1280 }]]);
