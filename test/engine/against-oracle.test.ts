import { describeOracleComparison } from './oracle-comparison.js';

describeOracleComparison(100);
