import { expect } from 'chai';
import { addDays, addMonths } from '#src/kernel/day.js';
import { Browser, sees, texts } from '#test/support/browser.js';
import { flatRule } from '#test/support/terms.js';
import { violations } from './accessibility.js';
import { pointer, typeDay } from './input-methods.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('draws in the web app', () => {
  const browser = Browser.duringSuite();
  const first = new Date().toISOString().slice(0, 7);
  const months = Array.from({ length: 8 }, (_, index) => addMonths(`${first}-01`, index).slice(0, 7));
  const [, , third = '', fourth = '', , , seventh = '', eighth = ''] = months;
  let ben: string;

  async function person(name: string, role = 'rep'): Promise<string> {
    const mail = `${name}@draws.test`;
    const [repId] = await browser.workspace.api.saveReps({ email: mail, name, role, crmMemberId: name });
    return repId as string;
  }

  before(async () => {
    const { api } = browser.workspace;
    await api.expect(200, 'PATCH', '/v1/workspaces', {
      payouts: { enabled: true, from: `${first}-01`, period: 'monthly' },
    });
    ben = await person('ben');
    await api.createPlan({ name: 'Guaranteed', config: { rules: [flatRule('New business', 1)] } }, [ben]);
  });

  async function deal(dealId: string, amount: number, closeDate: string): Promise<void> {
    await browser.workspace.api.putDeal(dealId, { amount, closeDate, ownerId: 'ben', name: dealId });
    await browser.workspace.calculated();
  }

  async function approve(period: string): Promise<number> {
    const { api } = browser.workspace;
    await api.generate(ben, period);
    await api.approve(ben, period);
    return (await api.expect(200, 'GET', `/v1/statements?repId=${ben}&period=${period}`)).summary.payable;
  }

  it('W2: an admin enters a guarantee, sees what it does, and the person sees what is owed and repaid', async () => {
    for (const [index, earned] of [1200, 2600, 500, 3000, 1000, 5000].entries())
      await deal(`W2-${index}`, earned, `${months[index]}-10`);
    const { page, problems, close } = await browser.openPage('admin', `/members/${ben}`);
    await sees(page, 'Draws and guarantees');
    await pointer.press(page, 'button', 'Add a draw');
    await pointer.write(page, 'Amount for each pay period', '2000');
    await typeDay(page, '::-p-aria(First day)', `${first}-01`);
    await typeDay(page, '::-p-aria(Last day)', addDays(addMonths(`${third}-01`, 1), -1));
    await pointer.choose(page, 'Paid back', 'after its last day');
    await pointer.write(page, 'Kept of a statement at most, %', '50');
    await sees(page, 'With what is earned by now');
    const visible = (await texts(page, '[role=dialog] table')).join();
    for (const words of ['$2,000.00', '$2,300.00', '$1,500.00', '$4,700.00']) expect(visible).to.include(words);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save');
    await page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
    const paid: number[] = [];
    for (const month of months.slice(0, 6)) paid.push(await approve(month));
    expect(paid).to.deep.equal([2000, 2600, 2000, 1500, 500, 4700]);
    await browser.visit(page, `/members/${ben}`);
    await sees(page, 'Kept to repay it');
    expect((await texts(page, '[aria-label="By statement"] li')).length).to.equal(5);
    expect(await violations(page)).to.deep.equal([]);
    await browser.visit(page, `/statements/${ben}?period=${fourth}`);
    await sees(page, 'Kept to repay draws');
    for (const summary of await page.$$('summary')) await summary.click();
    await sees(page, 'owed 2,300.00, released 3,000.00, of which at most 50% is kept, repaid 1,500.00');
    expect(problems).to.deep.equal([]);
    await close();
  });

  it('W5: what is taken back in a guaranteed month waits, and payroll and the person see both', async () => {
    const { api } = browser.workspace;
    const { drawId } = await api.expect(201, 'POST', '/v1/draws', {
      ...{ repId: ben, kind: 'guarantee', recoverable: true, amount: 2000 },
      ...{ from: `${seventh}-01`, to: addDays(`${eighth}-01`, -1) },
    });
    await deal('W5-B', 900, `${seventh}-10`);
    await deal('W5-C', 4000, `${eighth}-10`);
    await api.adjust(ben, seventh, -1400, 'Cancelled');
    expect(await approve(seventh)).to.equal(2000);
    const admin = await browser.openPage('admin', `/members/${ben}`);
    await sees(admin.page, 'Forgive');
    await browser.visit(admin.page, `/statements/${ben}?period=${seventh}`);
    await sees(admin.page, 'Paid by draws');
    await sees(admin.page, 'Carried to later statements');
    await admin.close();
    expect(await approve(eighth)).to.equal(1500);
    const payroll = await browser.openPage('payroll', `/payroll?period=${seventh}`);
    await sees(payroll.page, 'This run, by person');
    expect((await texts(payroll.page, 'table')).join()).to.include('Draws');
    expect(payroll.problems).to.deep.equal([]);
    await payroll.close();
    const { draws } = await api.expect(200, 'GET', `/v1/draws?repId=${ben}`);
    expect(draws.find((draw: Loose) => draw.drawId === drawId).owed).to.equal(0);
  });

  it('say a rep what they owe, and how and when it is repaid', async () => {
    const { api } = browser.workspace;
    const seller = browser.repId('Dana Whitfield');
    const from = `${new Date().toISOString().slice(0, 7)}-01`;
    await api.expect(201, 'POST', '/v1/draws', {
      repId: seller,
      kind: 'advance',
      recoverable: true,
      amount: 500,
      from,
    });
    const { page, problems, close } = await browser.openPage('rep', '/statements');
    await sees(page, 'Draws: you owe nothing');
    await sees(page, 'From the next statement on');
    expect(await violations(page)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    await close();
  });
});
