import { runSteps } from './steps.js';

const results = await runSteps(process.argv.slice(2));
process.exitCode = results.every(({ problem }) => problem === null) ? 0 : 1;
