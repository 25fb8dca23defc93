import { type RunningProcess } from '../main.js';

/** The text that `serve` prints after the start: the address, the API key, and the first calls to try. */
export function banner({ url, demo }: RunningProcess): string {
  if (url === null) return 'The worker is running. Ctrl-C stops it.\n';
  const lines = ['', `  The commission service is ready: ${url}`, `  Health ${url}/readyz   Stop with Ctrl-C`, ''];
  if (demo === null) {
    lines.push(
      '  A workspace of your own:  npx commissions workspace create "Acme" --tier enterprise --currency USD',
      '',
    );
    return `${lines.join('\n')}\n`;
  }
  const auth = `-H "Authorization: Bearer ${demo.apiKey}"`;
  lines.push(
    '  A demo workspace with made-up people and deals was created. Its API key is shown only once:',
    '',
    `    ${demo.apiKey}`,
    '',
    '  Try:',
    `    curl -s ${auth} "${url}/v1/commissions?period=${demo.period}"`,
    `    curl -s ${auth} "${url}/v1/commissions?dealId=${demo.dealId}"`,
    `    curl -s -X POST ${auth} -H "Content-Type: application/json" -d '{}' "${url}/v1/commissions/recalculate"`,
    '',
  );
  return `${lines.join('\n')}\n`;
}
