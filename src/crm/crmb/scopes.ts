import { z } from 'zod';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, CrmFailure, type CrmPermission } from '../port.js';

/** A scope, what it is for, and the URL of a small response that needs it. */
export type ScopeProbe = readonly [name: string, purpose: string, url: string];

/** Whether the account grants the scopes. A token of the CRM does not say which it has, so each is tried. */
export async function probeScopes(
  http: CrmHttp,
  access: CrmAccess,
  probes: readonly ScopeProbe[],
): Promise<CrmPermission[]> {
  const permissions: CrmPermission[] = [];
  for (const [name, purpose, url] of probes)
    permissions.push({ name, purpose, granted: await isAllowed(http, access, url), required: true });
  return permissions;
}

async function isAllowed(http: CrmHttp, access: CrmAccess, url: string): Promise<boolean> {
  try {
    await http.request({ method: 'GET', url, access, schema: z.unknown() });
    return true;
  } catch (error) {
    if (error instanceof CrmFailure && error.kind === 'rejected') return false;
    throw error;
  }
}
