import { describeOracleComparison } from './oracle-comparison.js';

describeOracleComparison(40, 1);
