import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

const secretName =
  /^(authorization|cookie|set-cookie|code|otp|(api|master)_?key|(\w*_)?(token|secret|password)|\w*(Token|Secret|Password)|connectionString)$/i;
/** Bodies of mail, as parts of an object. A top-level field of one of these names is logged. */
const bodyName = /^(text|html|body)$/;
const redacted = '[redacted]';
const maxDepth = 6;

const maxUnwrittenBytes = 16 * 1024 * 1024;

/** While it cannot be written to, as on a full disk, the log waits in memory, and loses what exceeds the limit. */
function standardError(): DestinationStream {
  return pino.destination({ fd: 2, sync: true, maxLength: maxUnwrittenBytes }).on('error', () => {});
}

/**
 * JSON lines on standard error; standard output is for the output of commands. Fields with names of secrets are
 * redacted at every level.
 */
export function createLog(level: string, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: (fields) => redact(fields, 0) as Record<string, unknown> },
      serializers: { err: serializeError },
    },
    destination,
  );
}

/** The value without its secrets. Errors are left to their own serializer. */
function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth > maxDepth) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecret(name, depth) ? redacted : redact(item, depth + 1)]),
  );
}

function isSecret(name: string, depth: number): boolean {
  return secretName.test(name) || (depth > 0 && bodyName.test(name));
}

/**
 * The error's own fields. Properties that libraries attach are left out: they may hold connections with passwords,
 * or the values of the row that PostgreSQL rejected.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? redact(error, 1) : error;
  const { code, constraint, table, routine } = error as Error & Record<string, unknown>;
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(
      Object.entries({ code, constraint, table, routine }).filter(([, value]) => value !== undefined),
    ),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}

const warnEveryMs = 10_000;

/**
 * Limits the log messages of an outage: the first error is logged at once, and then every few seconds one with the
 * number of errors since.
 */
export function throttledWarning(log: Log, message: string): (error: Error) => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  let errors = 0;
  return (error) => {
    errors += 1;
    if (performance.now() < silentUntil) return;
    log.warn({ err: error, times: errors }, message);
    silentUntil = performance.now() + warnEveryMs;
    errors = 0;
  };
}
