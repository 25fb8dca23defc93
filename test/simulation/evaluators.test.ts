import { describeEvaluators } from './evaluators.js';

describeEvaluators(5, 7);
