import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

const secretName =
  /^(authorization|cookie|set-cookie|code|otp|(api|master)_?key|(\w*_)?(token|secret|password)|\w*(Token|Secret|Password)|connectionString)$/i;
/** Bodies of mail, where they are part of something; by itself a text is logged on purpose. */
const bodyName = /^(text|html|body)$/;
const redacted = '[redacted]';
const deepest = 6;

/** JSON lines on standard error: standard output belongs to what commands print. Secrets are cut wherever they stand. */
export function createLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: (fields) => cutOf(fields, 0) as Record<string, unknown> },
      serializers: { err: tellError },
    },
    destination,
  );
}

/** The same without its secrets. Errors are left to their own serializer. */
function cutOf(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth > deepest) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => cutOf(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecret(name, depth) ? redacted : cutOf(item, depth + 1)]),
  );
}

function isSecret(name: string, depth: number): boolean {
  return secretName.test(name) || (depth > 0 && bodyName.test(name));
}

/**
 * What an error says of itself. Not what libraries hang on it: connections with their passwords, or the values of the
 * row that PostgreSQL refused.
 */
function tellError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? cutOf(error, 1) : error;
  const { code, constraint, table, routine } = error as Error & Record<string, unknown>;
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(
      Object.entries({ code, constraint, table, routine }).filter(([, told]) => told !== undefined),
    ),
    ...(error.cause === undefined ? {} : { cause: tellError(error.cause) }),
  };
}
