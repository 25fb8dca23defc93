/**
 * How much longer the limits are in tests. A slow machine would otherwise turn correct results into time-outs; tests of a
 * limit pass their own.
 */
const factor = process.env['NODE_ENV'] === 'test' ? Number(process.env['TIME_LIMIT_FACTOR'] ?? 1) : 1;

/** A limit in milliseconds that only ends what would otherwise hang or hold others up. */
export function timeLimit(milliseconds: number): number {
  return milliseconds * factor;
}
