/** A PostgreSQL error as node-postgres gives it. */
interface DatabaseError extends Error {
  readonly code: string;
  readonly constraint?: string;
}

const sqlState = /^[0-9A-Z]{5}$/;
const unreachableCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
];
/** How node-postgres and its pool say it, in words alone. */
const lostConnection =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|connection timeout/i;

/** The SQLSTATE of an error from the server; null for anything else, also for EPIPE, which looks like one. */
export function sqlStateOf(error: unknown): string | null {
  const code = (error as Partial<DatabaseError> | null)?.code;
  return typeof code === 'string' && sqlState.test(code) && !unreachableCodes.includes(code) ? code : null;
}

/** Serialization failures, deadlocks and lock time-outs: the same transaction may succeed when it runs again. */
export function isTransient(error: unknown): boolean {
  return ['40001', '40P01', '55P03'].includes(sqlStateOf(error) ?? '');
}

/** Nothing is wrong with the statement: an earlier one of its transaction failed. */
export function isLockConflict(error: unknown): boolean {
  return sqlStateOf(error) === '25P02';
}

/** The server is away, starting, stopping, being restored, or kept us waiting too long: the caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== null)
    return (
      state.startsWith('08') ||
      state.startsWith('57P') ||
      ['53300', '25P03', '3D000'].includes(state) ||
      isTransient(error)
    );
  if (!(error instanceof Error)) return false;
  const code = (error as Partial<DatabaseError>).code;
  if (code !== undefined && unreachableCodes.includes(code)) return true;
  return lostConnection.test(error.message);
}

/** The server is away, whatever was asked of it; one that is there may still have kept us waiting for others. */
export function isOutage(error: unknown): boolean {
  return isUnavailable(error) && !isTransient(error);
}

/** Values that PostgreSQL itself refuses: text that is no number or day, numbers out of range, broken Unicode. */
export function isBadValue(error: unknown): boolean {
  return ['22P02', '22003', '22007', '22008', '22021', '22P05', '23514'].includes(sqlStateOf(error) ?? '');
}

/** Whether the error is the violation of that unique or foreign key constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const state = sqlStateOf(error);
  return (state === '23505' || state === '23503') && (error as DatabaseError).constraint === constraint;
}
