import { describeOracleComparison } from './oracle-comparison.js';

describeOracleComparison(20, 1);
