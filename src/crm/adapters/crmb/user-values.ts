import { z } from 'zod';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, unlessRejected } from '../port.js';
import { crmbUrl } from './paths.js';

const usersPerPage = 100;
const idProperty = 'hs_internal_user_id';
const emailProperty = 'hs_email';

const page = z.object({
  results: z.array(z.object({ properties: z.record(z.string(), z.string().nullish()) })),
  paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
});

export type UserValues = Readonly<Record<string, string>>;

interface UserReading {
  readonly settings: { readonly apiBase: string; readonly apiVersion: string };
  readonly access: CrmAccess;
  /** Names of properties of users. */
  readonly fields: readonly string[];
}

/**
 * The values of the users of crm-b by the id of the user and by the address, in small letters. Empty without the scope
 * for users, which an account need not grant.
 */
export async function readUserValues(
  http: CrmHttp,
  { settings, access, fields }: UserReading,
): Promise<ReadonlyMap<string, UserValues>> {
  const values = new Map<string, UserValues>();
  const names = [...new Set(fields.map((name) => name.toLowerCase()))];
  const properties = [...new Set([idProperty, emailProperty, ...names])].join(',');
  let after: string | null = null;
  do {
    const query = new URLSearchParams({
      limit: String(usersPerPage),
      properties,
      ...(after === null ? {} : { after }),
    });
    const url = crmbUrl(settings, 'objects', `/users?${query}`);
    const response = await unlessRejected(() => http.request({ method: 'GET', url, access, schema: page }), null);
    if (response === null) return values;
    for (const { properties: found } of response.body.results) {
      const read = Object.fromEntries(names.flatMap((name) => (found[name] ? [[name, found[name]]] : [])));
      for (const key of [found[idProperty], found[emailProperty]?.toLowerCase()]) if (key) values.set(key, read);
    }
    after = response.body.paging?.next?.after ?? null;
  } while (after !== null);
  return values;
}
