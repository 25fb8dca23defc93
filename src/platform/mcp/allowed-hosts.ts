import { loopbackHosts } from '../outbound/public-address.js';

const wildcardHosts = ['0.0.0.0', '::'];

interface HostSettings {
  readonly HOST: string;
  readonly PUBLIC_URL?: string | undefined;
  readonly MCP_HOSTS: readonly string[];
}

/** Host names of this service: those of this machine and those of the settings. */
export function allowedHosts({ HOST, PUBLIC_URL, MCP_HOSTS }: HostSettings): string[] {
  const listening = wildcardHosts.includes(HOST) ? [] : [HOST.includes(':') ? `[${HOST}]` : HOST];
  const announced = PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname];
  return [...loopbackHosts, ...listening, ...announced, ...MCP_HOSTS].map((host) => host.toLowerCase());
}

/** Whether the address has one of the hosts, with any port. */
export function hasAllowedHost(hosts: readonly string[], url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, pathname } = new URL(url);
  const isPlain = username === '' && pathname === '/' && ['http:', 'https:'].includes(protocol);
  return isPlain && hosts.includes(hostname);
}
