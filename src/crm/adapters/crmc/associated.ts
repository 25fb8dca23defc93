import { z } from 'zod';
import { chunk } from '../../../kernel/chunk.js';
import { Decimal } from '../../../kernel/decimal.js';
import { getOrInsert } from '../../../kernel/get-or-insert.js';
import { id18 } from '../../../kernel/opportunity-id.js';
import { type AssociatedRecords, type Associations, type LineItem, withCompany } from '../associated.js';
import {
  type CrmDeal,
  CrmFailure,
  type CrmPermission,
  type CrmProduct,
  type CrmSplit,
  type CrmValue,
  type ListDeals,
  unlessRejected,
} from '../port.js';
import { toText } from '../values.js';
import { readValue } from './deals.js';
import { snakeCase } from './names.js';
import { readPermissions } from './permissions.js';
import { readProduct, selectedFields } from './products.js';
import { soql, soqlTexts } from './soql.js';

/** Runs a query and returns the rows of all pages. */
export type RowReader = <T>(query: string, row: z.ZodType<T>) => Promise<T[]>;

const idsPerQuery = 400;

const anyRow = z.object({ Id: z.string() });
const lineItemObjects = [
  ['OpportunityLineItem', 'line items'],
  ['Product2', 'products of line items'],
] as const;
const splitObjects = [
  ['OpportunitySplit', 'splits of deals'],
  ['OpportunitySplitType', 'types of splits'],
] as const;
const split = z.object({
  OpportunityId: z.string(),
  SplitOwnerId: z.string(),
  SplitPercentage: z.number().nullish(),
  SplitType: z.object({ MasterLabel: z.string().nullish(), DeveloperName: z.string().nullish() }).nullish(),
});
const dealOfRow = z.object({ OpportunityId: z.string() });
const productRow = z.looseObject({ Id: z.string(), OpportunityId: z.string() });
const lineItem = z.object({
  OpportunityId: z.string(),
  Name: z.string().nullish(),
  TotalPrice: z.number().nullish(),
  Product2: z.object({ Name: z.string().nullish() }).nullish(),
});
const dealWithAccount = z.object({ Id: z.string(), Account: z.record(z.string(), z.unknown()).nullish() });

/** Line items and accounts of the deals of crm-c. */
export class CrmcAssociated implements AssociatedRecords {
  constructor(
    private readonly rows: RowReader,
    private readonly associations: Associations,
  ) {}

  async permissions(): Promise<CrmPermission[]> {
    const { lineItems, companyFields, splits, lines } = this.associations;
    const countRows = async (query: string) => (await this.rows(query, anyRow)).length;
    const ofObjects = await readPermissions(countRows, [
      ...(lineItems || lines !== null ? lineItemObjects : []),
      ...(companyFields.length > 0 ? ([['Account', 'accounts']] as const) : []),
      ...(splits ? splitObjects : []),
    ]);
    if (lines === null) return ofObjects;
    const query = `SELECT Id, ${selectedFields(lines).join(', ')} FROM OpportunityLineItem LIMIT 1`;
    const granted = (await unlessRejected(() => countRows(query), null)) !== null;
    const ofFields = { name: 'Read on fields of OpportunityLineItem', purpose: 'values of line items', required: true };
    return [...ofObjects, { ...ofFields, granted }];
  }

  /** The products of the deals, those of each deal in the order of their ids. */
  async products(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmProduct[]>> {
    const { lines: mapping } = this.associations;
    const found = new Map<string, CrmProduct[]>();
    if (mapping === null) return found;
    for (const ids of chunk(dealIds(deals), idsPerQuery)) {
      const query = soql({
        select: ['Id', 'OpportunityId', ...selectedFields(mapping)],
        from: 'OpportunityLineItem',
        where: [`OpportunityId IN ${soqlTexts(ids)}`, 'IsDeleted = false'],
        orderBy: 'Id',
      });
      for (const row of await this.rows(query, productRow)) {
        const product = readProduct(id18(row.Id), row, mapping);
        if (product !== null) getOrInsert(found, id18(row.OpportunityId), () => []).push(product);
      }
    }
    return found;
  }

  dealsWithChangedProducts(window: ListDeals): Promise<readonly string[]> {
    return this.dealsOfChanged('OpportunityLineItem', window);
  }

  async lineItems(deals: readonly CrmDeal[]): Promise<LineItem[]> {
    const found: LineItem[] = [];
    for (const ids of chunk(dealIds(deals), idsPerQuery)) {
      const query = soql({
        select: ['OpportunityId', 'Name', 'TotalPrice', 'Product2.Name'],
        from: 'OpportunityLineItem',
        where: [`OpportunityId IN ${soqlTexts(ids)}`, 'IsDeleted = false'],
        orderBy: 'Id',
      });
      for (const row of await this.rows(query, lineItem)) {
        const product = toText(row.Product2?.Name) ?? toText(row.Name);
        found.push({ dealId: id18(row.OpportunityId), amount: row.TotalPrice ?? null, product });
      }
    }
    return found;
  }

  async splits(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmSplit[]>> {
    const found = new Map<string, CrmSplit[]>();
    for (const ids of chunk(dealIds(deals), idsPerQuery)) {
      const query = soql({
        select: [
          'OpportunityId',
          'SplitOwnerId',
          'SplitPercentage',
          'SplitType.MasterLabel',
          'SplitType.DeveloperName',
        ],
        from: 'OpportunitySplit',
        where: [`OpportunityId IN ${soqlTexts(ids)}`, 'IsDeleted = false'],
        orderBy: 'Id',
      });
      for (const { OpportunityId, SplitOwnerId, SplitPercentage, SplitType } of await this.rows(query, split))
        getOrInsert(found, id18(OpportunityId), () => []).push({
          ownerId: id18(SplitOwnerId),
          type: toText(SplitType?.MasterLabel) ?? toText(SplitType?.DeveloperName) ?? '',
          percent: Decimal.of(SplitPercentage ?? 0).toString(),
        });
    }
    return found;
  }

  dealsWithChangedSplits(window: ListDeals): Promise<readonly string[]> {
    return this.dealsOfChanged('OpportunitySplit', window);
  }

  /** Deleted rows have the time of their deletion, and the deals keep their time. */
  private async dealsOfChanged(
    object: 'OpportunityLineItem' | 'OpportunitySplit',
    { modifiedFrom, modifiedBefore }: ListDeals,
  ): Promise<readonly string[]> {
    const query = soql({
      select: ['OpportunityId'],
      from: object,
      where: [
        ...(modifiedFrom === undefined ? [] : [`SystemModstamp >= ${modifiedFrom.toISOString()}`]),
        ...(modifiedBefore === undefined ? [] : [`SystemModstamp < ${modifiedBefore.toISOString()}`]),
      ],
      orderBy: 'Id',
    });
    const rows = await this.rows(query, dealOfRow);
    return [...new Set(rows.map(({ OpportunityId }) => id18(OpportunityId)))];
  }

  async withCompanies(deals: readonly CrmDeal[]): Promise<CrmDeal[]> {
    const names = this.associations.companyFields.map(fieldName);
    const accounts = new Map<string, Readonly<Record<string, unknown>>>();
    for (const ids of chunk(dealIds(deals), idsPerQuery)) {
      const query = soql({
        select: ['Id', ...names.map((name) => `Account.${name}`)],
        from: 'Opportunity',
        where: [`Id IN ${soqlTexts(ids)}`],
        orderBy: 'Id',
      });
      for (const { Id, Account } of await this.rows(query, dealWithAccount)) accounts.set(id18(Id), Account ?? {});
    }
    return deals.map((deal) => {
      const account = accounts.get(deal.id) ?? {};
      const values = names.map((name): [string, CrmValue] => [snakeCase(name), accountValue(account[name])]);
      return withCompany(deal, values);
    });
  }
}

function dealIds(deals: readonly CrmDeal[]): string[] {
  return deals.map(({ id }) => id);
}

/** The name becomes part of a query, so other characters are rejected. */
function fieldName(name: string): string {
  if (/^\w{1,80}$/.test(name)) return name;
  throw new CrmFailure('rejected', `crmc: ${name.slice(0, 100)} is not the name of a field of accounts`);
}

/** Accounts are not described, so the form of a text shows that it is an instant. */
function accountValue(value: unknown): CrmValue {
  const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+([+-]\d{4}|Z)$/.test(value);
  return readValue(value, isInstant ? 'datetime' : 'string');
}
