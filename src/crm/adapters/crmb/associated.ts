import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { Decimal } from '../../../kernel/decimal.js';
import { getOrInsert } from '../../../kernel/get-or-insert.js';
import { type AssociatedRecords, type Associations, type LineItem, withCompany } from '../associated.js';
import { type CrmHttp } from '../http.js';
import {
  type CrmAccess,
  type CrmDeal,
  CrmFailure,
  type CrmPermission,
  type CrmProduct,
  type CrmSplit,
  type CrmValue,
  dealSplits,
  type ListDeals,
  unlessRejected,
} from '../port.js';
import { toNumber, toText } from '../values.js';
import { type CrmbResource, crmbUrl } from './paths.js';
import { productProperties, readProduct } from './products.js';
import { probeScopes, type ScopeProbe } from './scopes.js';
import { searchChanged } from './search.js';
import { type CrmbProperty, crmbProperty, crmbValue } from './values.js';

const idsPerBatch = 100;
const splitScope = 'crm.dealsplits.read_write';
/** The type of the association of a deal with its primary company. */
const primaryCompany = 5;

const associated = z.object({
  results: z.array(
    z.object({
      from: z.object({ id: z.coerce.string() }),
      to: z.array(
        z.object({
          toObjectId: z.coerce.string(),
          associationTypes: z.array(z.object({ typeId: z.number() })).default([]),
        }),
      ),
      paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
    }),
  ),
});
const records = z.object({
  results: z.array(z.object({ id: z.string(), properties: z.record(z.string(), z.string().nullish()) })),
});

const splitBatch = z.object({
  results: z.array(
    z.object({
      id: z.coerce.string(),
      splits: z.array(
        z.object({
          archived: z.boolean().nullish(),
          properties: z.object({
            hs_deal_split_percentage: z.string().nullish(),
            hubspot_owner_id: z.string().nullish(),
          }),
        }),
      ),
    }),
  ),
});

interface Pair {
  readonly from: string;
  readonly to: string;
  readonly isPrimary: boolean;
}

/** Properties by the ids of the records. */
type Records = ReadonlyMap<string, Readonly<Record<string, string | null | undefined>>>;

interface Items {
  readonly pairs: readonly Pair[];
  readonly items: Records;
}

type AssociatedObject = 'deals' | 'line_items' | 'companies';

/** Line items and companies of the deals of crm-b. A deal may have several companies: the primary one counts. */
export class CrmbAssociated implements AssociatedRecords {
  private readonly items = new WeakMap<readonly CrmDeal[], Promise<Items>>();

  constructor(
    private readonly http: CrmHttp,
    private readonly settings: { readonly apiBase: string; readonly apiVersion: string },
    private readonly access: CrmAccess,
    private readonly associations: Associations,
  ) {}

  async permissions(): Promise<CrmPermission[]> {
    const { lineItems, companyFields, splits, lines } = this.associations;
    const url = (kind: CrmbResource, tail: string) => crmbUrl(this.settings, kind, tail);
    const ofItems: ScopeProbe[] = [
      ['crm.objects.line_items.read', 'line items', url('objects', '/line_items?limit=1')],
    ];
    const ofCompanies: ScopeProbe[] = [
      ['crm.objects.companies.read', 'companies', url('objects', '/companies?limit=1')],
      ['crm.schemas.companies.read', 'fields of companies', url('properties', '/companies')],
    ];
    const probes = [...(lineItems || lines !== null ? ofItems : []), ...(companyFields.length > 0 ? ofCompanies : [])];
    const probed = await probeScopes(this.http, this.access, probes);
    return splits ? [...probed, await this.splitsPermission()] : probed;
  }

  /** The CRM has no list of splits; it responds to a deal that does not exist with no results. */
  private async splitsPermission(): Promise<CrmPermission> {
    const response = await unlessRejected(() => this.readSplits(['1']), null);
    return { name: splitScope, purpose: 'splits of deals', granted: response !== null, required: true };
  }

  async splits(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmSplit[]>> {
    const found = new Map<string, readonly CrmSplit[]>();
    for (const batch of chunk(deals, idsPerBatch))
      for (const { id, splits } of await this.readSplits(batch.map((deal) => deal.id)))
        found.set(
          id,
          splits.flatMap(({ archived, properties }) => {
            const { hs_deal_split_percentage: share, hubspot_owner_id: owner } = properties;
            const [percent, ownerId] = [toPercent(share), toText(owner)];
            return archived === true || percent === null || ownerId === null
              ? []
              : [{ ownerId, type: dealSplits, percent }];
          }),
        );
    return found;
  }

  private async readSplits(ids: readonly string[]): Promise<z.infer<typeof splitBatch>['results']> {
    const { body } = await this.http.request({
      method: 'POST',
      url: `${this.settings.apiBase}${splitsPath(this.settings.apiVersion)}`,
      json: { inputs: ids.map((id) => ({ id })) },
      access: this.access,
      schema: splitBatch,
      needs: splitScope,
    });
    return body.results;
  }

  /** The line items of a page, with what both the sums of line items and the products need. */
  private itemsOf(deals: readonly CrmDeal[]): Promise<Items> {
    return getOrInsert(this.items, deals, () => this.readItems(deals));
  }

  private async readItems(deals: readonly CrmDeal[]): Promise<Items> {
    const { lineItems, lines } = this.associations;
    const names = [...(lineItems ? ['name', 'amount'] : []), ...(lines === null ? [] : productProperties(lines))];
    const pairs = await this.pairs('deals', 'line_items', idsOf(deals));
    return { pairs, items: await this.records('line_items', pairs.map(toId), [...new Set(names)]) };
  }

  async lineItems(deals: readonly CrmDeal[]): Promise<LineItem[]> {
    const { pairs, items } = await this.itemsOf(deals);
    return pairs.flatMap(({ from: dealId, to }) => {
      const item = items.get(to);
      return item === undefined ? [] : [{ dealId, amount: toNumber(item['amount']), product: toText(item['name']) }];
    });
  }

  /** The products of the deals, those of each deal in the order of their ids. */
  async products(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmProduct[]>> {
    const { lines: mapping } = this.associations;
    const found = new Map<string, CrmProduct[]>();
    if (mapping === null) return found;
    const { pairs, items } = await this.itemsOf(deals);
    for (const { from, to } of pairs.toSorted(byId)) {
      const product = readProduct(to, items.get(to) ?? {}, mapping);
      if (product !== null) getOrInsert(found, from, () => []).push(product);
    }
    return found;
  }

  /** A line item has a modification time of its own. One that is removed changes its deal. */
  async dealsWithChangedProducts({ modifiedFrom = new Date(0), modifiedBefore }: ListDeals): Promise<string[]> {
    const dealIds = new Set<string>();
    const url = crmbUrl(this.settings, 'objects', '/line_items/search');
    const search = { http: this.http, url, access: this.access };
    for await (const { ids } of searchChanged(search, { modifiedFrom, modifiedBefore }))
      for (const batch of chunk(ids, idsPerBatch))
        for (const { to } of await this.pairs('line_items', 'deals', batch)) dealIds.add(to);
    return [...dealIds];
  }

  async withCompanies(deals: readonly CrmDeal[]): Promise<CrmDeal[]> {
    const pairs = await this.pairs('deals', 'companies', idsOf(deals));
    const companyIdByDeal = new Map(
      pairs.toSorted((a, b) => Number(a.isPrimary) - Number(b.isPrimary)).map(({ from, to }) => [from, to]),
    );
    const names = this.associations.companyFields;
    const companies = await this.records('companies', [...new Set(companyIdByDeal.values())], names);
    const definitions = await this.companyProperties();
    return deals.map((deal) => {
      const company = companies.get(companyIdByDeal.get(deal.id) ?? '');
      const values = names.map((name): [string, CrmValue] => [name, crmbValue(company?.[name], definitions.get(name))]);
      return withCompany(deal, values);
    });
  }

  private async companyProperties(): Promise<ReadonlyMap<string, CrmbProperty>> {
    const { body } = await this.http.request({
      method: 'GET',
      url: crmbUrl(this.settings, 'properties', '/companies'),
      access: this.access,
      schema: z.object({ results: z.array(crmbProperty) }),
    });
    const properties = new Map(body.results.map((property) => [property.name, property]));
    const unknown = this.associations.companyFields.find((name) => !properties.has(name));
    if (unknown !== undefined) throw new CrmFailure('rejected', `crmb: companies have no property ${unknown}`);
    return properties;
  }

  /** The records that are associated with the records of the ids, of all pages. */
  private async pairs(object: AssociatedObject, others: AssociatedObject, ids: readonly string[]): Promise<Pair[]> {
    const pairs: Pair[] = [];
    let inputs: { readonly id: string; readonly after?: string }[] = ids.map((id) => ({ id }));
    while (inputs.length > 0) {
      const { body } = await this.http.request({
        method: 'POST',
        url: `${this.settings.apiBase}${associationPath(this.settings.apiVersion, object, others)}`,
        json: { inputs },
        access: this.access,
        schema: associated,
      });
      for (const { from, to } of body.results)
        for (const { toObjectId, associationTypes } of to)
          pairs.push({
            from: from.id,
            to: toObjectId,
            isPrimary: associationTypes.some(({ typeId }) => typeId === primaryCompany),
          });
      inputs = body.results.flatMap(({ from, paging }) =>
        paging?.next == null ? [] : [{ id: from.id, after: paging.next.after }],
      );
    }
    return pairs;
  }

  private async records(
    object: 'line_items' | 'companies',
    ids: readonly string[],
    properties: readonly string[],
  ): Promise<Records> {
    const found = new Map<string, Readonly<Record<string, string | null | undefined>>>();
    for (const batch of chunk(ids, idsPerBatch)) {
      const { body } = await this.http.request({
        method: 'POST',
        url: crmbUrl(this.settings, 'objects', `/${object}/batch/read`),
        json: { properties, inputs: batch.map((id) => ({ id })) },
        access: this.access,
        schema: records,
      });
      for (const record of body.results) found.set(record.id, record.properties);
    }
    return found;
  }
}

function idsOf(deals: readonly CrmDeal[]): string[] {
  return deals.map(({ id }) => id);
}

function toId({ to }: Pair): string {
  return to;
}

/** Ids are whole numbers of up to 20 digits. */
function byId({ to: one }: Pair, { to: other }: Pair): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** Shares are parts of 1 with up to 8 decimals. */
function toPercent(share: string | null | undefined): string | null {
  const part = toText(share);
  if (part === null || !/^\d{1,3}(\.\d{1,20})?$/.test(part)) return null;
  return Decimal.of(part).times(Decimal.of(100)).toString();
}

/** In versions that are dates, splits are a separate resource. */
function splitsPath(version: string): string {
  return /^v\d/.test(version)
    ? `/crm/${version}/objects/deals/splits/batch/read`
    : `/deal-splits/${version}/batch/read`;
}

/** Associations have their own versions: those before versions were dates are one ahead of the objects. */
function associationPath(version: string, object: AssociatedObject, others: AssociatedObject): string {
  const base = /^v\d/.test(version) ? '/crm/v4/associations' : `/crm/associations/${version}`;
  return `${base}/${object}/${others}/batch/read`;
}
