/** Multiplies every timeout: 1 on an idle machine, and 8 where test files run in parallel, however slow the machine is. */
export const timeoutScale = Number(
  process.env['FAULT_TIMEOUT_SCALE'] ?? (process.env['MOCHA_WORKER_ID'] === undefined ? 1 : 8),
);
