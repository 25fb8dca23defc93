import { z } from 'zod';
import { withoutInvisible } from '../../kernel/invisible-characters.js';
import { loopbackHosts } from '../outbound/public-address.js';
import { removeHidden } from './hidden-characters.js';

/**
 * Schemes of known programs. RFC 8252 requires that private schemes contain a dot, such as `com.example.app`; any other
 * scheme may belong to the operating system, such as `search-ms`, or run code, such as `javascript`. Apple's contain dots.
 */
const programSchemes: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'];

/**
 * Why a client cannot receive codes at the address; null if it can. Allowed are https, this machine for programs
 * without a server, and schemes of installed programs.
 */
function checkRedirectUri(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (text.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.protocol === 'http:' && !loopbackHosts.includes(url.hostname)) return 'must begin with https://';
  const { protocol } = url;
  const isPrivate = protocol.includes('.') && !protocol.startsWith('x-apple');
  const isAllowed = /^https?:$/.test(protocol) || isPrivate || programSchemes.includes(protocol);
  return isAllowed
    ? null
    : `must not begin with ${protocol}: use https:// or a scheme with a dot, as RFC 8252 requires`;
}

/** Whether the client receives the code on the person's own machine. */
export function isOnThisMachine(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol !== 'https:' || loopbackHosts.includes(hostname);
}

const redirectUris = z
  .array(
    z
      .string()
      .max(1000)
      .superRefine((text, context) => {
        const problem = checkRedirectUri(text);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      }),
  )
  .min(1)
  .max(10);

/** What a registration and a metadata document contain that the service uses. */
export const clientMetadata = z.object({
  name: z.string().max(1000).optional(),
  redirectUris,
});

/** A document that a client publishes at the URL that is its id. */
export const metadataDocument = z.object({
  client_id: z.string(),
  client_name: z.string().max(1000).optional(),
  redirect_uris: redirectUris,
  token_endpoint_auth_method: z.literal('none').optional(),
  client_secret: z.undefined().optional(),
});

/** Clients in the setting MCP_CLIENTS. */
export const configuredClients = z.array(
  z.strictObject({
    client_id: z.string().min(1).max(200),
    client_name: z.string().min(1).max(100),
    redirect_uris: redirectUris,
    client_secret: z.string().min(32).max(200).optional(),
  }),
);

const maxNameLength = 100;

/**
 * The name that people see. Anyone chooses any name, so the consent page shows an address beside it. A name contains no
 * characters that are displayed as nothing, and no word begins with a mark that changes the character before it.
 */
export function displayName(name: string | undefined, fallback: string): string {
  const cleaned = withoutInvisible(String(removeHidden(name ?? '')))
    .replace(/(^|\s)[\p{M}\p{Cf}]+/gu, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return [...(cleaned === '' ? fallback : cleaned)].slice(0, maxNameLength).join('');
}
