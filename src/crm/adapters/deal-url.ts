/** What stands in the address of a deal's page for the id of the deal. */
export const idInUrl = '{id}';

/** The address, if it is one of https whose host is the CRM's; otherwise null. */
export function dealUrlOn(host: RegExp, url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || parsed.protocol !== 'https:' || parsed.port !== '' || parsed.username !== '') return null;
  return host.test(parsed.hostname) && url.includes(idInUrl) ? url : null;
}
