import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type CrmAccount, type CrmDeal, type CrmField, type CrmPermission, type CrmValue } from './port.js';

/** What is read beside the deals of an account. */
export interface Associations {
  readonly lineItems: boolean;
  /** The CRM's names of the fields. */
  readonly companyFields: readonly string[];
}

/** Reads the records that belong to deals. */
export interface AssociatedRecords {
  lineItems(deals: readonly CrmDeal[]): Promise<LineItem[]>;
  /** The deals with the fields of their companies. */
  withCompanies(deals: readonly CrmDeal[]): Promise<CrmDeal[]>;
  /** What reading the records needs in addition to the deals. */
  permissions(): Promise<CrmPermission[]>;
}

/** The account with deals that have the fields of their associated records. */
export function withAssociated(
  account: CrmAccount,
  associations: Associations,
  records: AssociatedRecords,
): CrmAccount {
  if (!associations.lineItems && associations.companyFields.length === 0) return account;
  const complete = async (deals: readonly CrmDeal[]) => {
    let live = deals.filter(({ deleted }) => !deleted);
    if (live.length > 0 && associations.lineItems) live = withLineItems(live, await records.lineItems(live));
    if (live.length > 0 && associations.companyFields.length > 0) live = await records.withCompanies(live);
    return [...live, ...deals.filter(({ deleted }) => deleted)];
  };
  const reads: Pick<CrmAccount, 'listFields' | 'listDeals' | 'getDeals' | 'permissions'> = {
    listFields: async () => [...(await account.listFields()), ...(associations.lineItems ? lineItemDefinitions : [])],
    permissions: async () => [...(await account.permissions()), ...(await records.permissions())],
    getDeals: async (ids) => complete(await account.getDeals(ids)),
    async *listDeals(options) {
      for await (const page of account.listDeals(options)) yield { ...page, deals: await complete(page.deals) };
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

/** The definitions of the fields of line items. */
const lineItemDefinitions: readonly CrmField[] = [
  { slug: 'line_items_count', label: 'Number of line items', type: 'number', native: 'line_items_count' },
  { slug: 'line_items_sum', label: 'Sum of line items', type: 'currency', native: 'line_items_sum' },
  { slug: 'line_items_products', label: 'Products of line items', type: 'select', native: 'line_items_products' },
];
