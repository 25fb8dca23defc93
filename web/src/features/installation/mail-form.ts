import { type MailServer } from '../../api/installation-query.js';

type Security = NonNullable<MailServer['settings']>['security'];

export interface EnteredMailServer {
  readonly host: string;
  readonly port: string;
  readonly security: Security;
  readonly username: string;
  readonly from: string;
}

export const securityWords: Readonly<Record<Security, string>> = {
  starttls: 'STARTTLS (usually port 587)',
  tls: 'TLS (usually port 465)',
  none: 'none (a server in your own network)',
};

/** The usual ports. Another choice changes the port only while it is the usual one of the choice before. */
const usualPorts: Readonly<Record<Security, string>> = { starttls: '587', tls: '465', none: '25' };

export function toEnteredMailServer(stored: MailServer | null): EnteredMailServer {
  const settings = stored?.settings ?? null;
  if (settings === null) return { host: '', port: '587', security: 'starttls', username: '', from: '' };
  const { host, port, security, username, from } = settings;
  return { host, port: String(port), security, username: username ?? '', from };
}

export function withSecurity({ port, security: before }: EnteredMailServer, security: Security) {
  return { security, ...(port === usualPorts[before] ? { port: usualPorts[security] } : {}) };
}

/** Whether the stored password stays without being entered again: it is never sent to another server. */
export function keepsPassword(stored: MailServer | null, { host, port, username }: EnteredMailServer): boolean {
  const settings = stored?.settings ?? null;
  return (
    settings?.hasPassword === true &&
    settings.host === host.trim() &&
    String(settings.port) === port.trim() &&
    settings.username === username.trim()
  );
}

/** What is wrong or missing in words; null if the server can be saved. */
export function mailServerProblem(
  { host, port, security, username, from }: EnteredMailServer,
  hasPassword: boolean,
): string | null {
  if (host.trim() === '' || from.trim() === '') return '';
  const number = Number(port);
  if (!/^\d+$/.test(port.trim()) || number < 1 || number > 65_535) return 'The port is a number from 1 to 65535.';
  if (!/[^\s@<]+@[^\s@>]+/.test(from)) return 'The sender needs an e-mail address, such as Acme Pay <pay@acme.com>.';
  if (username.trim() === '') return hasPassword ? 'A password needs a user name.' : null;
  if (security === 'none') return 'With a user name the connection must be encrypted.';
  return hasPassword ? null : '';
}
