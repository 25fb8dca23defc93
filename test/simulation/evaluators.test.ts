import { describeEvaluators } from './evaluators.js';

describeEvaluators(15, 7);
