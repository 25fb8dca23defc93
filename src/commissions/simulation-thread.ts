import { forwardedTransaction } from '../platform/threads/forwarded-database.js';
import { serveThread } from '../platform/threads/serve-thread.js';
import { type SimulatedRepData } from '../simulation/simulated-reps.js';
import { simulationJson } from './simulated-response.js';
import { simulate } from './simulation.js';
import { type ThreadTask } from './simulation-task.js';

/** The script of the worker threads: the first part is the task, each further part of a simulation is one rep. */
serveThread(async ([first, ...parts], request) => {
  const task = first as ThreadTask;
  if ('simulation' in task)
    return simulationJson(task.simulation, await simulate(task.simulation, parts as SimulatedRepData[]));
  const tx = forwardedTransaction(request, task.workspaceId);
  // Loaded when they are needed first, since a simulation needs no access to the database.
  if ('forecast' in task) {
    const { forecastPay } = await import('./forecast/forecast-in-thread.js');
    return JSON.stringify(await forecastPay(tx, task.forecast, task.part, request));
  }
  const { explainDeal, explainExceptions } = await import('./explain-in-thread.js');
  return JSON.stringify(
    'explainedDeal' in task
      ? await explainDeal(tx, task.explainedDeal)
      : await explainExceptions(tx, task.explainedRep),
  );
});
