import { describeLineExamples } from './lines-examples.js';
import { run } from './scenario.js';

describeLineExamples(run);
