import { type DestinationStream } from 'pino';

interface Entry {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
  readonly [field: string]: unknown;
}

const levels: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

/** Successful requests to these routes say nothing to a person: health, files of the web app, and its polling. */
const quietRoutes = /^\/(livez|readyz|metrics|v1\/revision)?$/;

/**
 * A destination of the log for people at a terminal: one line per entry with the time of day in UTC. Successful requests
 * for health, pages, files and revisions are omitted. Only the stack of an error takes further lines.
 */
export function terminalLog(write: (text: string) => unknown): DestinationStream {
  return {
    write(line) {
      const entry = JSON.parse(line) as Entry;
      if (!isQuiet(entry)) write(formatLine(entry));
    },
  };
}

/** Requests for pages and files have no route, or a list of paths. */
function isQuiet({ msg, level, status, route }: Entry): boolean {
  if (msg !== 'request' || level > 30 || typeof status !== 'number' || status >= 400) return false;
  return typeof route !== 'string' || quietRoutes.test(route);
}

function formatLine({ level, time, msg, err, requestId, ...fields }: Entry): string {
  const head = `${time.slice(11, 19)} ${(levels[level] ?? String(level)).padEnd(5)}`;
  if (msg === 'request') return `${head} ${formatRequest(fields)}\n`;
  const rest = { ...fields, ...(requestId === undefined ? {} : { requestId }) };
  const words = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const error = err === undefined ? '' : `: ${printable(err.message ?? JSON.stringify(err))}`;
  const stack = level >= 50 && err?.stack !== undefined ? `${stackLines(err.stack)}\n` : '';
  return `${[head, printable(msg) + error, ...words].join(' ')}\n${stack}`;
}

function formatRequest({ method, route, status, ms, actor }: Omit<Entry, 'level' | 'time' | 'msg'>): string {
  const words = [method, route ?? 'no route', status, `${ms} ms`, actor];
  return words.flatMap((word) => (word === undefined || word === null ? [] : [printable(String(word))])).join(' ');
}

/** The frames of the stack; its first lines repeat the message. */
function stackLines(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map(printable)
    .join('\n');
}

/** Control characters would move the cursor of the terminal or change its colours. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern replaces control characters
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
