import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

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
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'token',
          '*.token',
          'apiKey',
          '*.apiKey',
          'code',
          'password',
          '*.password',
          '*.secret',
          'connectionString',
          '*.connectionString',
        ],
        censor: '[redacted]',
      },
    },
    destination,
  );
}
