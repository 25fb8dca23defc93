import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import {
  type CrmAccount,
  type CrmDeal,
  type CrmDealPage,
  type CrmField,
  type CrmPermission,
  type CrmProduct,
  type CrmSplit,
  type CrmValue,
  type LineMapping,
  type ListDeals,
} from './port.js';

/** What is read beside the deals of an account. */
export interface Associations {
  readonly lineItems: boolean;
  /** The CRM's names of the fields. */
  readonly companyFields: readonly string[];
  /** Which parts of the deals the CRM gives to members. */
  readonly splits: boolean;
  /** How line items become products of the deals; null for none. */
  readonly lines: LineMapping | null;
}

/** Whether anything is read beside the deals. */
export function readsAssociated({ lineItems, companyFields, splits, lines }: Associations): boolean {
  return lineItems || companyFields.length > 0 || splits || lines !== null;
}

/** Reads the records that belong to deals. All parts of the deals of a page are requested with the same list. */
export interface AssociatedRecords {
  lineItems(deals: readonly CrmDeal[]): Promise<LineItem[]>;
  /** The deals with the fields of their companies. */
  withCompanies(deals: readonly CrmDeal[]): Promise<CrmDeal[]>;
  /** The splits of the deals, by the id of the deal. */
  splits(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmSplit[]>>;
  /** The products of the deals, by the id of the deal. */
  products?(deals: readonly CrmDeal[]): Promise<ReadonlyMap<string, readonly CrmProduct[]>>;
  /** The deals with line items that changed in the time window. */
  dealsWithChangedProducts?(window: ListDeals): Promise<readonly string[]>;
  /** The deals whose splits changed in the time window, if the CRM does not change a deal with its splits. */
  dealsWithChangedSplits?(window: ListDeals): Promise<readonly string[]>;
  /** What reading the records needs in addition to the deals. */
  permissions(): Promise<CrmPermission[]>;
}

/** The account with deals that have the fields of their associated records. */
export function withAssociated(
  account: CrmAccount,
  associations: Associations,
  records: AssociatedRecords,
): CrmAccount {
  if (!readsAssociated(associations)) return account;
  const complete = async (deals: readonly CrmDeal[]) => {
    const page = deals.filter(({ deleted }) => !deleted);
    if (page.length === 0) return [...deals];
    let live = page;
    if (associations.lineItems) live = withLineItems(live, await records.lineItems(page));
    if (associations.companyFields.length > 0) live = await records.withCompanies(live);
    if (associations.splits) live = withSplits(live, await records.splits(page));
    if (associations.lines !== null) live = withProducts(live, await records.products?.(page));
    return [...live, ...deals.filter(({ deleted }) => deleted)];
  };
  /** The deals of the last page, with those of which only the splits or the products changed. */
  const withChangedParts = async (page: CrmDealPage, options: ListDeals | undefined) => {
    if (page.next !== null || options?.modifiedFrom === undefined) return page.deals;
    const bySplits = associations.splits ? await records.dealsWithChangedSplits?.(options) : [];
    const byProducts = associations.lines === null ? [] : await records.dealsWithChangedProducts?.(options);
    const listed = new Set(page.deals.map(({ id }) => id));
    const changed = [...new Set([...(bySplits ?? []), ...(byProducts ?? [])])].filter((id) => !listed.has(id));
    if (changed.length === 0) return page.deals;
    const others = await account.getDeals(changed);
    return [...page.deals, ...others.filter(({ deleted }) => !deleted)];
  };
  const reads: Pick<CrmAccount, 'listFields' | 'listDeals' | 'getDeals' | 'permissions'> = {
    listFields: async () => [...(await account.listFields()), ...(associations.lineItems ? lineItemDefinitions : [])],
    permissions: async () => [...(await account.permissions()), ...(await records.permissions())],
    getDeals: async (ids) => complete(await account.getDeals(ids)),
    async *listDeals(options) {
      for await (const page of account.listDeals(options))
        yield { ...page, deals: await complete(await withChangedParts(page, options)) };
    },
  };
  // The other methods are those of the account, which is an instance of a class.
  return Object.assign(Object.create(account) as CrmAccount, reads);
}

/** A position of a deal: one product in some quantity. */
export interface LineItem {
  readonly dealId: string;
  /** The amount is in the currency of the deal; null if the CRM has none. */
  readonly amount: number | null;
  readonly product: string | null;
}

/** What the line items of a deal add to its fields. A deal without line items has the count 0. */
function lineItemFields(items: readonly LineItem[]): Record<string, CrmValue> {
  const products = [...new Set(items.map(({ product }) => product).filter((name) => name !== null))].sort();
  return {
    line_items_count: items.length,
    line_items_sum: items.reduce((sum, { amount }) => sum.plus(Decimal.of(amount ?? 0)), Decimal.zero).toNumber(),
    line_items_products: products,
  };
}

/** The deal with the fields of its company, under slugs with a prefix. */
export function withCompany(deal: CrmDeal, values: readonly (readonly [string, CrmValue])[]): CrmDeal {
  const fields = Object.fromEntries(values.map(([slug, value]) => [`company_${slug}`, value]));
  return { ...deal, fields: { ...deal.fields, ...fields } };
}

/** Adds to each deal the fields of its line items. */
function withLineItems(deals: readonly CrmDeal[], items: readonly LineItem[]): CrmDeal[] {
  const byDeal = groupBy(items, ({ dealId }) => dealId);
  return deals.map((deal) => ({ ...deal, fields: { ...deal.fields, ...lineItemFields(byDeal.get(deal.id) ?? []) } }));
}

function withSplits(deals: readonly CrmDeal[], splits: ReadonlyMap<string, readonly CrmSplit[]>): CrmDeal[] {
  return deals.map((deal) => ({ ...deal, splits: splits.get(deal.id) ?? [] }));
}

function withProducts(
  deals: readonly CrmDeal[],
  products: ReadonlyMap<string, readonly CrmProduct[]> = new Map(),
): CrmDeal[] {
  return deals.map((deal) => ({ ...deal, products: products.get(deal.id) ?? [] }));
}

/** The definitions of the fields of line items. */
const lineItemDefinitions: readonly CrmField[] = [
  { slug: 'line_items_count', label: 'Number of line items', type: 'number', native: 'line_items_count' },
  { slug: 'line_items_sum', label: 'Sum of line items', type: 'currency', native: 'line_items_sum' },
  { slug: 'line_items_products', label: 'Products of line items', type: 'select', native: 'line_items_products' },
];
