/**
 * How many times longer than on a quiet machine everything is waited for. Files that run beside each other make a machine
 * busy, so there it is three.
 */
export const patience = Number(process.env['FAULT_PATIENCE'] ?? (process.env['MOCHA_WORKER_ID'] === undefined ? 1 : 3));
