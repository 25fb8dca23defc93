import { describeOracleComparison } from './oracle-comparison.js';

describeOracleComparison(Number(process.env['ENGINE_RUNS'] ?? 160));
