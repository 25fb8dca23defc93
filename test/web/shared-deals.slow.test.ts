import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { Browser, sees, texts } from '#test/support/browser.js';
import { until } from '#test/support/until.js';
import { pointer } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

const flat = { name: 'New business', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
const retroactive = {
  ...flat,
  tierMode: 'retroactive',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 1, rate: 0.12 },
  ],
};

/** The nasty examples of docs/plans.md and their discrepancies, from the shares to what is paid, by clicking. */
describe('deals that people share, from the web app to what is paid', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let people: { readonly ann: string; readonly bob: string };
  let admin: Page;
  let close: () => Promise<void>;

  before(async () => {
    const { api } = browser.workspace;
    const [ann, bob] = await api.saveReps({ name: 'Ann' }, { name: 'Bob' });
    people = { ann, bob } as typeof people;
  });
  beforeEach(async () => {
    ({ page: admin, close } = await browser.openPage('admin', '/overview'));
  });
  afterEach(() => close());

  const api = () => browser.workspace.api;
  const calculated = () => browser.service.waitForCalculations(browser.workspace.workspaceId);
  const field = (line: number, label: string) => `[role=dialog] fieldset:nth-of-type(${line}) ::-p-aria(${label})`;

  async function plan(rule: object, key: string): Promise<void> {
    const rules = [{ ...rule, conditions: [{ field: 'key', fieldType: 'text', operator: 'equals', value: key }] }];
    await api().createPlan({ name: key, config: { rules } }, Object.values(people));
  }

  const deal = (dealId: string, key: string, amount: number, closeDate: string) =>
    api().putDeal(dealId, { name: dealId, amount, closeDate, ownerEmail: 'ann@x.io', fields: { key, amount } });

  /** Enters who has which percentage, and returns what the dialog says about the effect. */
  async function enterShares(dealId: string, shares: readonly (readonly [repId: string, percent: string])[]) {
    await browser.visit(admin, `/deals/${dealId}`);
    await pointer.press(admin, 'button', 'Edit shares');
    await admin.waitForSelector(field(1, 'Person'));
    const present = (await admin.$$('[role=dialog] fieldset')).length;
    for (let line = present; line < shares.length; line += 1) await pointer.press(admin, 'button', 'Add a person');
    for (const [index, [repId, percent]] of shares.entries()) {
      await (await admin.waitForSelector(field(index + 1, 'Person')))?.select(repId);
      const percentField = await admin.waitForSelector(field(index + 1, 'Percent'));
      await percentField?.click({ count: 3 });
      await percentField?.type(percent);
    }
    await sees(admin, 'The splits total 100 %.');
    await admin.waitForSelector('[aria-label="Effect on each person"] li');
    return (await texts(admin, '[role=dialog]')).join();
  }

  async function saveShares(): Promise<void> {
    await pointer.press(admin, 'button', 'Save');
    await admin.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await calculated();
  }

  async function approve(repId: string, period: string): Promise<void> {
    await calculated();
    await api().expect(200, 'POST', `/v1/statements/${repId}/generate`, { period });
    await api().approve(repId, period);
  }

  const openDeltas = async (): Promise<Record<string, number>> => {
    const { discrepancies } = await api().expect(200, 'GET', '/v1/discrepancies?status=open');
    const deltas = discrepancies.map(({ repName, delta }: Loose) => [repName, delta]);
    return Object.fromEntries(deltas.sort(([a]: [string], [b]: [string]) => (a < b ? -1 : 1)));
  };
  const untilOpen = (expected: Record<string, number>) =>
    until(async () => JSON.stringify(await openDeltas()) === JSON.stringify(expected), { what: 'the discrepancies' });

  /** Pays the open difference of the person in the next period, on the page of discrepancies. */
  async function carryForward(name: string): Promise<void> {
    await browser.visit(admin, '/discrepancies');
    const row = await admin.waitForSelector(`::-p-xpath(//main//tbody/tr[contains(., "${name}")]/td[3])`);
    await row?.click();
    await pointer.press(admin, 'button', 'Pay in the next period');
    await admin.waitForSelector('[role=dialog] textarea');
    await admin.type('[role=dialog] textarea', 'The split was corrected.');
    await admin.click('[role=dialog] [type=submit]');
    await admin.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    await calculated();
  }

  /** What each person earned on the deals of the example, adjustments included. */
  async function totals(key: string): Promise<Record<string, number>> {
    const rows = await browser.workspace.sql<{ name: string; total: number }>(
      `select r.name, sum(e.amount)::float8 as total from commission_events e join reps r using (workspace_id, rep_id)
       where e.workspace_id = $1 and e.status = 'earned' and e.amount <> 0
         and (e.deal_key like $2 or e.kind <> 'commission_earned') group by r.name order by r.name`,
      `${key}%`,
    );
    return Object.fromEntries(rows.map(({ name, total }) => [name, total]));
  }

  it('S7: a smaller share of a retroactive period says by deal what it takes back', async () => {
    await plan(retroactive, 's7');
    await api().setQuota(Object.values(people), 'New business', '2025-Q1', 100_000);
    await deal('s7-own', 's7', 60_000, '2025-01-05');
    await deal('s7-d', 's7', 60_000, '2025-02-10');
    await enterShares('s7-d', [
      [people.ann, '75'],
      [people.bob, '25'],
    ]);
    await saveShares();
    const effect = await enterShares('s7-d', [
      [people.ann, '60'],
      [people.bob, '40'],
    ]);
    for (const part of ['−$4,920.00', 's7-d −$2,520.00', 's7-own −$2,400.00']) expect(effect).to.include(part);
    await saveShares();
    expect((await totals('s7'))['Ann']).to.equal(7680);
  });

  it('S8: a person whose period is open is paid at once, and the dialog says what is paid twice', async () => {
    await plan(flat, 's8');
    await deal('s8-d', 's8', 50_000, '2025-05-10');
    await approve(people.ann, '2025-05');
    const effect = await enterShares('s8-d', [
      [people.ann, '50'],
      [people.bob, '50'],
    ]);
    expect(effect).to.include('An amount is paid twice for a while').and.include('$2,500.00');
    await saveShares();
    expect(await totals('s8')).to.include({ Ann: 5000, Bob: 2500 });
    await untilOpen({ Ann: -2500 });
    await carryForward('Ann');
    expect(await totals('s8')).to.include({ Ann: 2500, Bob: 2500 });
    expect(await openDeltas()).to.deep.equal({});
  });

  it('S5: corrected shares of approved periods are owed and carried forward, and a refund follows them', async () => {
    const before = await totals('s5');
    await plan(flat, 's5');
    await deal('s5-d', 's5', 50_000, '2025-08-10');
    await enterShares('s5-d', [
      [people.ann, '60'],
      [people.bob, '40'],
    ]);
    await saveShares();
    for (const repId of Object.values(people)) await approve(repId, '2025-08');
    await enterShares('s5-d', [
      [people.ann, '50'],
      [people.bob, '50'],
    ]);
    await saveShares();
    await untilOpen({ Ann: -500, Bob: 500 });
    await deal('s5-refund', 's5', -10_000, '2025-09-20');
    await enterShares('s5-refund', [
      [people.ann, '50'],
      [people.bob, '50'],
    ]);
    await saveShares();
    for (const name of ['Ann', 'Bob']) await carryForward(name);
    const after = await totals('s5');
    expect((after['Ann'] ?? 0) - (before['Ann'] ?? 0)).to.equal(2000);
    expect((after['Bob'] ?? 0) - (before['Bob'] ?? 0)).to.equal(2000);
  });
});
