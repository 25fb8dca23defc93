import { type RunningProcess } from './main.js';

/** The text that `serve` prints after the start: the address, the links to open, and the next steps. */
export function banner(
  { url, welcome, links }: Pick<RunningProcess, 'url' | 'welcome' | 'links'>,
  publicUrl: string | undefined,
): string {
  if (url === null) return 'The worker is running. Ctrl-C stops it.\n';
  const next = welcome?.(url) ?? [
    '  A workspace of your own:  npx commissions workspace create "Acme" --tier enterprise --currency USD',
  ];
  const lines = [
    '',
    `  The commission service is ready: ${url}`,
    `  Health ${url}/readyz   Stop with Ctrl-C`,
    '',
    ...openLines(publicUrl ?? url, links),
    ...next,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** The first link is the one to open. */
function openLines(url: string, links: RunningProcess['links']): string[] {
  if (links.length === 0) return [];
  const lines = links.map(({ label, path }) => `    ${label.padEnd(28)} ${url}${path}`);
  return ['  Open in a browser (each link works once, within a day):', '', ...lines, ''];
}
