/** The shape of server errors in node-postgres. */
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
/** Messages of node-postgres and its pool for lost connections, which carry no code. */
const lostConnection =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|connection timeout/i;

/** The SQLSTATE of a server error; null for other errors, including EPIPE, which has the same form. */
export function readSqlState(error: unknown): string | null {
  const code = (error as Partial<DatabaseError> | null)?.code;
  return typeof code === 'string' && sqlState.test(code) && !unreachableCodes.includes(code) ? code : null;
}

/** Serialization failures, deadlocks and lock timeouts: a retry of the transaction may succeed. */
export function isTransient(error: unknown): boolean {
  return ['40001', '40P01', '55P03'].includes(readSqlState(error) ?? '');
}

/** The statement was rejected only because an earlier one of its transaction had failed. */
export function isFollowUpError(error: unknown): boolean {
  return readSqlState(error) === '25P02';
}

/** The server, or this machine, has no disk space, memory or connections left (class 53): the caller may retry. */
export function isExhausted(error: unknown): boolean {
  if (readSqlState(error)?.startsWith('53') === true) return true;
  return ['ENOSPC', 'EDQUOT'].includes((error as Partial<DatabaseError> | null)?.code ?? '');
}

/** The server is unreachable, starting, stopping, being restored or overloaded: the caller may retry. */
export function isUnavailable(error: unknown): boolean {
  if (isExhausted(error) || isTransient(error)) return true;
  const state = readSqlState(error);
  if (state !== null) return state.startsWith('08') || state.startsWith('57P') || ['25P03', '3D000'].includes(state);
  if (!(error instanceof Error)) return false;
  const code = (error as Partial<DatabaseError>).code;
  if (code !== undefined && unreachableCodes.includes(code)) return true;
  return lostConnection.test(error.message);
}

/**
 * The server is unreachable, starting, stopping or out of resources. Excludes lock timeouts and other transient
 * conflicts.
 */
export function isOutage(error: unknown): boolean {
  return isUnavailable(error) && !isTransient(error);
}

/** The connection timed out while it was opened: no transaction had begun. */
const notOpened = /timeout/i;

/**
 * The connection of a running transaction ended: by a time limit of the server or of a pooler, by an operator, or by an
 * outage. If the server still responds, the transaction may itself be the cause.
 */
export function isTermination(error: unknown): boolean {
  const state = readSqlState(error);
  if (state !== null) return ['25P03', '57P01', '57P05'].includes(state);
  if (!(error instanceof Error)) return false;
  const { code } = error as Partial<DatabaseError>;
  return (
    code === 'ECONNRESET' || code === 'EPIPE' || (lostConnection.test(error.message) && !notOpened.test(error.message))
  );
}

/** PostgreSQL rejected a value: text that is not a number or a day, a number out of range, broken Unicode. */
export function isBadValue(error: unknown): boolean {
  return ['22P02', '22003', '22007', '22008', '22021', '22P05', '23514'].includes(readSqlState(error) ?? '');
}

/** Whether other rows name a row that was to be deleted, or a row names one that does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return readSqlState(error) === '23503';
}

/** Whether the error is a violation of this unique or foreign key constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const state = readSqlState(error);
  return (state === '23505' || state === '23503') && (error as DatabaseError).constraint === constraint;
}

const maxTries = 5;
const pauseMs = 300;

/**
 * Retries for about three seconds while connections fail. Only for idempotent work: a commit without a response may
 * or may not have taken effect.
 */
export async function retryOnOutage<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !isOutage(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, tries * pauseMs));
    }
  }
}
