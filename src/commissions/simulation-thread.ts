import { serveThread } from '../platform/threads/serve-thread.js';
import { simulationJson } from './simulated-response.js';
import { simulate } from './simulation.js';
import { type SimulatedRepData, type SimulationHead } from './simulation-task.js';

/** The script of the worker threads: the first part is the head, each further part is one rep. */
serveThread((parts) => {
  const [head, ...reps] = parts as [SimulationHead, ...SimulatedRepData[]];
  return simulationJson(head, simulate(head, reps));
});
