import { describeEvaluators } from './evaluators.js';

describeEvaluators(10, 1);
