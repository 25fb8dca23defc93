import { describeEvaluators } from './evaluators.js';

describeEvaluators(30, 7);
