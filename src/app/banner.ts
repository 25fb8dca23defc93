import { type RunningProcess } from './main.js';

/** The text that `serve` prints after the start: the address, and the next steps. */
export function banner({ url, welcome }: RunningProcess): string {
  if (url === null) return 'The worker is running. Ctrl-C stops it.\n';
  const next = welcome?.(url) ?? [
    '  A workspace of your own:  npx commissions workspace create "Acme" --tier enterprise --currency USD',
  ];
  const lines = [
    '',
    `  The commission service is ready: ${url}`,
    `  Health ${url}/readyz   Stop with Ctrl-C`,
    '',
    ...next,
  ];
  return `${lines.join('\n')}\n\n`;
}
