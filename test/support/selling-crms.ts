import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type FakeServer } from '#fakes/fake-server.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { getOrInsert } from '#src/kernel/get-or-insert.js';

/** A CRM whose deals have lines. */
export interface CrmWithLines {
  readonly provider: CrmProvider;
  readonly server: FakeServer;
  readonly environment: Record<string, string>;
  /** The setting with which they are read. */
  readonly lines: object;
  token(): object;
  addDeal(owner: string): string;
  addItem(dealId: string, item: { readonly name: string; readonly amount: number | null }): string;
  removeItem(itemId: string): void;
  stop(): Promise<void>;
}

/** A CRM that has line items, in the terms of both vendors. */
export interface SellingCrm extends CrmWithLines {
  readonly provider: 'crmb' | 'crmc';
  /** The permission without which line items are not read. */
  readonly permission: string;
  /** Maps a further value, Region, and for a CRM without families the family. */
  readonly fields: Record<string, string>;
  /** An item with every value. */
  addFullItem(dealId: string): string;
  changeAmount(itemId: string, amount: number): void;
  forbidItems(isForbidden: boolean): void;
}

function emailOf(name: string): string {
  return `${name}@lines.io`;
}

/** A CRM without line items: deals refer to records. */
export async function startCrma(): Promise<CrmWithLines> {
  const crm = await FakeCrma.start();
  crm.readsPerSecond = 1_000_000;
  const slug = 'positions';
  crm.attributes.push({ slug, title: 'Positions', type: 'record-reference', isMulti: true, object: slug });
  const owners = new Map<string, string>();
  const addMember = (name: string) => crm.addMember({ firstName: name, lastName: 'Lind', email: emailOf(name) });
  const dealOf = new Map<string, string>();
  const positions = new Map<string, string[]>();
  const setPositions = (dealId: string, ids: string[]) => {
    positions.set(dealId, ids);
    crm.change(dealId, { [slug]: ids });
  };
  return {
    provider: 'crma',
    server: crm.server,
    lines: { reference: slug, fields: { 'line.amount': 'net' } },
    environment: crm.environment,
    token: () => ({ accessToken: crm.oauth.issue().accessToken }),
    addDeal: (name) => {
      const owner = getOrInsert(owners, name, () => addMember(name));
      const value = { amount: 1000, currency: 'USD' };
      return crm.addDeal({ name: 'Suite', stage: 'Won 🎉', value, close_date: '2026-02-10', owner });
    },
    addItem: (dealId, { name, amount }) => {
      const id = crm.addRecord(slug, { name, net: { amount: amount ?? 0, currency: 'USD' } });
      dealOf.set(id, dealId);
      setPositions(dealId, [...(positions.get(dealId) ?? []), id]);
      return id;
    },
    removeItem: (id) => {
      const dealId = dealOf.get(id) ?? '';
      setPositions(
        dealId,
        (positions.get(dealId) ?? []).filter((other) => other !== id),
      );
    },
    stop: () => crm.stop(),
  };
}

export async function startCrmb(): Promise<SellingCrm> {
  const crm = await FakeCrmb.start();
  crm.callsPerTenSeconds = 1_000_000;
  const scope = 'crm.objects.line_items.read';
  const owners = new Map<string, string>();
  const addOwner = (name: string) => crm.addOwner({ firstName: name, lastName: 'Lind', email: emailOf(name) });
  return {
    provider: 'crmb',
    server: crm.server,
    lines: {},
    environment: crm.environment,
    permission: scope,
    fields: { 'line.family': 'hs_product_type', Region: 'sales_region' },
    token: () => crm.oauth.issue(),
    addDeal: (owner) =>
      crm.addDeal({
        dealname: 'Suite',
        dealstage: 'closedwon',
        amount: '1000',
        closedate: '2026-02-10T12:00:00.000Z',
        hubspot_owner_id: getOrInsert(owners, owner, () => addOwner(owner)),
      }),
    addItem: (dealId, { name, amount }) =>
      crm.addLineItem(dealId, { name, amount: amount === null ? null : amount.toFixed(2) }),
    addFullItem: (dealId) =>
      crm.addLineItem(dealId, {
        name: 'Suite',
        hs_sku: 'S-1',
        hs_product_type: 'software',
        quantity: '3',
        price: '100',
        hs_discount_percentage: '25',
        amount: '225.00',
        hs_cost_of_goods_sold: '10.50',
        hs_line_item_currency_code: 'USD',
        hs_recurring_billing_start_date: '2026-03-01',
        hs_recurring_billing_period: 'P1Y',
        recurringbillingfrequency: 'annually',
        sales_region: 'EMEA',
      }),
    changeAmount: (itemId, amount) => crm.changeLineItem(itemId, { amount: String(amount) }),
    removeItem: (itemId) => crm.removeLineItem(itemId),
    forbidItems: (isForbidden) => {
      if (isForbidden) crm.oauth.scopes.delete(scope);
      else crm.oauth.scopes.add(scope);
    },
    stop: () => crm.stop(),
  };
}

export async function startCrmc(): Promise<SellingCrm> {
  const crm = await FakeCrmc.start({ currency: 'USD' });
  const owners = new Map<string, string>();
  crm.rows.set('Product2', [{ Id: '01tRO0000000001YAA', Name: 'Suite', ProductCode: 'S-1', Family: 'software' }]);
  return {
    provider: 'crmc',
    server: crm.server,
    lines: {},
    environment: crm.environment,
    permission: 'Read on OpportunityLineItem',
    fields: { Region: 'region__c' },
    token: () => ({ ...crm.oauth.issue(), instanceUrl: crm.url }),
    addDeal: (owner) =>
      crm.addDeal({
        Name: 'Suite',
        StageName: 'Closed Won',
        Amount: 1000,
        CloseDate: '2026-02-10',
        OwnerId: getOrInsert(owners, owner, () => crm.addUser({ Name: owner, Email: emailOf(owner) })),
      }),
    addItem: (dealId, { name, amount }) => crm.addLineItem(dealId, { Name: name, TotalPrice: amount }),
    addFullItem: (dealId) =>
      crm.addLineItem(dealId, {
        Name: 'Suite',
        Product2Id: '01tRO0000000001YAA',
        Quantity: 3,
        UnitPrice: 100,
        ListPrice: 120,
        Discount: 25,
        TotalPrice: 225,
        ServiceDate: '2026-03-01',
        Region__c: 'EMEA',
      }),
    changeAmount: (itemId, amount) => crm.changeLineItem(itemId, { TotalPrice: amount }),
    removeItem: (itemId) => crm.changeLineItem(itemId, { IsDeleted: true }),
    forbidItems: (isForbidden) => {
      if (isForbidden) crm.unreadable.add('OpportunityLineItem');
      else crm.unreadable.delete('OpportunityLineItem');
    },
    stop: () => crm.stop(),
  };
}
