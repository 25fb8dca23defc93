import { type IdentityProvider } from '../../api/installation-query.js';

export type Kind = IdentityProvider['kind'];

export interface EnteredProvider {
  readonly name: string;
  /** The directory (tenant) id, for Microsoft. */
  readonly directory: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly domains: string;
}

export const productOf: Readonly<Record<Kind, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  other: 'another provider',
};

const microsoft = 'https://login.microsoftonline.com/';

export function toEnteredProvider(kind: Kind, stored: IdentityProvider | null): EnteredProvider {
  if (stored === null)
    return { name: kind === 'other' ? '' : productOf[kind], directory: '', issuer: '', clientId: '', domains: '' };
  const { name, issuer, clientId, domains } = stored;
  const directory = issuer.startsWith(microsoft) ? (issuer.slice(microsoft.length).split('/')[0] ?? '') : '';
  return { name, directory, issuer, clientId, domains: domains.join(', ') };
}

/** Domains as people type them: with commas, spaces, or as addresses. */
export function readDomains(text: string): string[] {
  const parts = text.split(/[\s,;]+/).map((part) => part.slice(part.lastIndexOf('@') + 1).toLowerCase());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** The issuer of the provider: Google has one, Microsoft one for each directory. */
export function issuerOf(kind: Kind, { directory, issuer }: EnteredProvider): string {
  if (kind === 'google') return 'https://accounts.google.com';
  if (kind === 'microsoft') return `${microsoft}${directory.trim().toLowerCase()}/v2.0`;
  return issuer.trim();
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is wrong with the directory id; null while it is empty or right. */
export function directoryProblem(text: string): string | null {
  return text.trim() === '' || id.test(text.trim())
    ? null
    : 'Copy the "Directory (tenant) ID", which has 36 characters.';
}
