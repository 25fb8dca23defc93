import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { type AssociatedRecords, withCompany } from '../associated.js';
import { type CrmHttp } from '../http.js';
import { type CrmAccess, type CrmDeal, type CrmPermission, type CrmSplit } from '../port.js';
import { toText } from '../values.js';
import { crmaRecord, readValues } from './values.js';

const idsPerQuery = 100;
const companySlug = 'associated_company';

/** The companies of the deals of crm-a. */
export class CrmaAssociated implements AssociatedRecords {
  constructor(
    private readonly http: CrmHttp,
    private readonly apiBase: string,
    private readonly access: CrmAccess,
    private readonly slugs: readonly string[],
  ) {}

  /** The CRM has none. */
  async lineItems(): Promise<[]> {
    return [];
  }

  /** The CRM has none; a credit rule reads a member from a field of the deal. */
  async splits(): Promise<ReadonlyMap<string, readonly CrmSplit[]>> {
    return new Map();
  }

  async withCompanies(deals: readonly CrmDeal[]): Promise<CrmDeal[]> {
    const companies = new Map<string, ReturnType<typeof readValues>>();
    const ids = [...new Set(deals.flatMap((deal) => readCompany(deal) ?? []))];
    for (const batch of chunk(ids, idsPerQuery)) {
      const { body } = await this.http.request({
        method: 'POST',
        url: `${this.apiBase}/v2/objects/companies/records/query`,
        json: { filter: { record_id: { $in: batch } }, limit: batch.length, offset: 0 },
        access: this.access,
        schema: z.object({ data: z.array(crmaRecord) }),
      });
      for (const record of body.data) companies.set(record.id.record_id, readValues(record));
    }
    return deals.map((deal) => {
      const company = companies.get(readCompany(deal) ?? '') ?? {};
      return withCompany(
        deal,
        this.slugs.map((slug) => [slug, company[slug] ?? null] as const),
      );
    });
  }

  /** The scope of deals is that of all records. */
  async permissions(): Promise<CrmPermission[]> {
    return [];
  }
}

/** A deal of several companies has the first of them. */
function readCompany({ fields }: CrmDeal): string | null {
  return toText(fields[companySlug])?.split(';')[0] ?? null;
}
