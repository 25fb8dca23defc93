import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, unlessRejected } from '../port.js';
import { crmaRecord, readValues } from './values.js';

const addressesPerQuery = 50;
const addressSlug = 'email_addresses';

type PersonValues = Readonly<Record<string, string | number>>;

interface PersonReading {
  readonly apiBase: string;
  readonly access: CrmAccess;
  /** Slugs of attributes of people. */
  readonly fields: readonly string[];
}

/**
 * The values of the people of crm-a by their addresses, in small letters: members have no attributes of their own, but
 * the person with the same address has. Empty in an account whose people have no such attributes.
 */
export async function readPersonValues(
  http: CrmHttp,
  { apiBase, access, fields }: PersonReading,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, PersonValues>> {
  const values = new Map<string, PersonValues>();
  for (const batch of chunk(addresses, addressesPerQuery)) {
    const json = { filter: { $or: batch.map((address) => ({ [addressSlug]: address })) }, limit: 500, offset: 0 };
    const url = `${apiBase}/v2/objects/people/records/query`;
    const schema = z.object({ data: z.array(crmaRecord) });
    const response = await unlessRejected(() => http.request({ method: 'POST', url, json, access, schema }), null);
    for (const record of response?.body.data ?? []) {
      const found = readValues(record);
      const read = Object.fromEntries(
        fields.flatMap((slug) => {
          const value = found[slug.toLowerCase()];
          return typeof value === 'number' || (typeof value === 'string' && value !== '') ? [[slug, value]] : [];
        }),
      );
      for (const { email_address: address } of record.values[addressSlug] ?? [])
        if (typeof address === 'string') values.set(address.toLowerCase(), read);
    }
  }
  return values;
}
