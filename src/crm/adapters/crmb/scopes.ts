import { z } from 'zod';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, type CrmPermission, unlessRejected } from '../port.js';

/** A scope, what it is for, and the URL of a small response that needs it. */
export type ScopeProbe = readonly [name: string, purpose: string, url: string];

/** Whether the account grants the scopes. A token of the CRM does not say which it has, so each is tried. */
export async function probeScopes(
  http: CrmHttp,
  access: CrmAccess,
  probes: readonly ScopeProbe[],
): Promise<CrmPermission[]> {
  const permissions: CrmPermission[] = [];
  for (const [name, purpose, url] of probes) {
    const response = await unlessRejected(
      () => http.request({ method: 'GET', url, access, schema: z.unknown() }),
      null,
    );
    permissions.push({ name, purpose, granted: response !== null, required: true });
  }
  return permissions;
}
