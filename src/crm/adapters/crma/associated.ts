import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { type AssociatedRecords, withCompany } from '../associated.js';
import { type CrmHttp } from '../http.js';
import {
  type CrmAccess,
  type CrmDeal,
  type CrmPermission,
  type CrmProduct,
  type CrmSplit,
  type LineMapping,
} from '../port.js';
import { toText } from '../values.js';
import { readProduct } from './products.js';
import { type CrmaRecord, crmaRecord, readValues } from './values.js';

const idsPerQuery = 100;
const companySlug = 'associated_company';

/** What is read of the records to which deals refer. */
interface CrmaReferences {
  readonly companyFields: readonly string[];
  /** How the records of the reference become products; null for none. */
  readonly lines: LineMapping | null;
  /** The object to whose records an attribute of deals refers. */
  readonly objectOf: (slug: string) => Promise<string>;
}

/** Companies of the deals of crm-a, and the records that are their products. */
export class CrmaAssociated implements AssociatedRecords {
  constructor(
    private readonly http: CrmHttp,
    private readonly apiBase: string,
    private readonly access: CrmAccess,
    private readonly references: CrmaReferences,
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
    // A deal of several companies has the first of them.
    const companyOf = (deal: CrmDeal) => readReferences(deal, companySlug)[0];
    const companies = await this.records(
      'companies',
      deals.flatMap((deal) => companyOf(deal) ?? []),
    );
    return deals.map((deal) => {
      const company = companies.get(companyOf(deal) ?? '');
      const values = company === undefined ? {} : readValues(company);
      return withCompany(
        deal,
        this.references.companyFields.map((slug) => [slug, values[slug] ?? null] as const),
      );
    });
  }

  /** The CRM has no line items: each record of the reference is a product. Their changes alone change no deal. */
  async products(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmProduct[]>> {
    const { lines, objectOf } = this.references;
    const slug = lines?.reference;
    if (lines === null || slug === undefined) return new Map();
    const idsOf = (deal: CrmDeal) => readReferences(deal, slug);
    const records = await this.records(await objectOf(slug), deals.flatMap(idsOf));
    return new Map(
      deals.map((deal) => [
        deal.id,
        idsOf(deal).flatMap((id) => {
          const record = records.get(id);
          return record === undefined ? [] : (readProduct(record, lines) ?? []);
        }),
      ]),
    );
  }

  private async records(object: string, ids: readonly string[]): Promise<ReadonlyMap<string, CrmaRecord>> {
    const found = new Map<string, CrmaRecord>();
    for (const batch of chunk([...new Set(ids)], idsPerQuery)) {
      const { body } = await this.http.request({
        method: 'POST',
        url: `${this.apiBase}/v2/objects/${encodeURIComponent(object)}/records/query`,
        json: { filter: { record_id: { $in: batch } }, limit: batch.length, offset: 0 },
        access: this.access,
        schema: z.object({ data: z.array(crmaRecord) }),
      });
      for (const record of body.data) found.set(record.id.record_id, record);
    }
    return found;
  }

  /** The scope of deals is that of all records. */
  async permissions(): Promise<CrmPermission[]> {
    return [];
  }
}

/** The ids of the records to which the deal refers. */
function readReferences({ fields }: CrmDeal, slug: string): string[] {
  return toText(fields[slug])?.split(';') ?? [];
}
