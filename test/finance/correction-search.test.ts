import { expect } from 'chai';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import { closeAccountingMonth, prepareAccountingMonth } from '#src/finance/commands/change-month.js';
import { putEntity } from '#src/finance/commands/put-entity.js';
import { setRepEntities } from '#src/finance/commands/set-rep-entities.js';
import { MonthReports } from '#src/finance/month-reports.js';
import { newId } from '#src/kernel/ids.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { CorrectionSearch } from '#workers/correction-search.js';

describe('the search for corrections of closed months', () => {
  let workspace: OfflineWorkspace;
  let bea: string;
  let cid: string;
  let dan: string;
  let warned: unknown[];

  /** Bea is in the company main, Cid and Dan in uk, where Dan earns euros; January is closed, and the zone is 11 hours behind UTC. */
  beforeEach(async () => {
    workspace = await create();
    warned = [];
    [bea, cid, dan] = await addPeople(workspace);
    await workspace.insert.deal('First', bea, { closeDate: '2026-01-10' });
    await workspace.recalculate();
    await addEndpoint();
  });

  const create = async () => OfflineWorkspace.create({ now: '2026-03-05T12:00:00Z', timezone: 'Pacific/Pago_Pago' });

  async function addPeople({ insert }: OfflineWorkspace): Promise<[string, string, string]> {
    const config = { rules: [flatRule('New business', 0.1)] };
    const plans = { USD: await insert.plan('AE', config), EUR: await insert.plan('EU', config, { currency: 'EUR' }) };
    const add = async (name: string, plan: string) => {
      const repId = await insert.rep(name);
      await insert.assignment(repId, plan);
      return repId;
    };
    return [await add('Bea', plans.USD), await add('Cid', plans.USD), await add('Dan', plans.EUR)];
  }

  const addEndpoint = (values: object = {}) =>
    workspace.insert.row('webhook_endpoints', {
      endpoint_id: newId(),
      url: 'https://hooks.example.com/',
      secret: Buffer.alloc(1),
      ...values,
    });

  async function closeJanuary(): Promise<void> {
    const accounting = { enabled: true, from: '2026-01', secondPerson: false };
    await workspace.run(updateWorkspace, { body: { accounting } });
    const uk = { name: 'UK', currency: 'USD', payrollTax: [], accounts: {} };
    await workspace.run(putEntity, { params: { code: 'uk' }, body: uk });
    const entities = [{ from: '2026-01-01', entity: 'uk' }];
    for (const repId of [cid, dan]) await workspace.run(setRepEntities, { params: { repId }, body: { entities } });
    await close('2026-01');
  }

  async function close(month: string): Promise<void> {
    const ann = workspace.caller('admin', await workspace.insert.rep('Ann', { role: 'admin' }));
    const { hash } = await workspace.run(prepareAccountingMonth, { params: { month } }, ann);
    await workspace.run(closeAccountingMonth, { params: { month }, body: { hash } }, ann);
  }

  async function addLate(repId: string, amount: number, values: object = {}): Promise<void> {
    await workspace.insert.deal(newId(), repId, { amount, closeDate: '2026-01-20', ...values });
    await workspace.recalculate();
  }

  async function searchAt(time: string, maxLines?: number): Promise<void> {
    workspace.db.now = new Date(time);
    const { unitOfWork, clock } = workspace.db;
    const log = { warn: (what: unknown) => void warned.push(what) };
    await new CorrectionSearch(unitOfWork, new MonthReports(unitOfWork, clock, maxLines), clock, log as never).run();
  }

  const events = async () =>
    (
      await workspace.db.sql<{ data: object }>(
        `select data from webhook_deliveries where event_type = 'accounting.correction_found' order by position`,
      )
    ).map(({ data }) => data);

  const inMain = (amount: number) => ({ entity: 'main', currency: 'USD', amount });

  it('sends the sums by company and currency, once a day in the zone of the workspace, and only if they have changed', async () => {
    await closeJanuary();
    await searchAt('2026-03-05T12:00:00Z');
    expect(await events(), 'nothing was corrected').to.deep.equal([]);
    await addLate(bea, 1000);
    await addLate(bea, 200);
    await addLate(cid, 300);
    await addLate(dan, 500, { currency: 'EUR' });
    await searchAt('2026-03-06T10:59:00Z');
    expect(await events(), 'the day has been searched').to.deep.equal([]);
    await searchAt('2026-03-06T11:00:00Z');
    const corrections = [
      inMain(120),
      { entity: 'uk', currency: 'EUR', amount: 50 },
      { entity: 'uk', currency: 'USD', amount: 30 },
    ];
    expect(await events()).to.deep.equal([{ month: '2026-02', corrections }]);
    await searchAt('2026-03-06T12:00:00Z');
    await searchAt('2026-03-07T12:00:00Z');
    expect(await events(), 'nothing has changed').to.have.length(1);
    await addLate(bea, 10);
    await searchAt('2026-03-08T12:00:00Z');
    expect((await events()).slice(1)).to.deep.equal([
      { month: '2026-02', corrections: [inMain(121), ...corrections.slice(1)] },
    ]);
    expect(warned).to.deep.equal([]);
  });

  it('sends nothing about sums of 0, and begins again with the next month', async () => {
    await closeJanuary();
    await addLate(bea, 1000);
    await searchAt('2026-03-05T12:00:00Z');
    await addLate(bea, -1000);
    await searchAt('2026-03-06T12:00:00Z');
    expect(await events()).to.deep.equal([{ month: '2026-02', corrections: [inMain(100)] }]);
    await addLate(bea, 1000);
    await searchAt('2026-03-07T12:00:00Z');
    expect(await events(), 'what comes again is new').to.have.length(2);
    await close('2026-02');
    await searchAt('2026-03-08T12:00:00Z');
    expect(await events()).to.have.length(2);
    await addLate(bea, 1000);
    await searchAt('2026-03-09T12:00:00Z');
    expect((await events())[2]).to.deep.equal({ month: '2026-03', corrections: [inMain(100)] });
  });

  it('sends one event if two workers search at the same time', async () => {
    await closeJanuary();
    await addLate(bea, 1000);
    await Promise.all(Array.from({ length: 4 }, () => searchAt('2026-03-05T12:00:00Z')));
    expect(await events()).to.have.length(1);
    expect(warned).to.deep.equal([]);
  });

  it('reads the stored report of a large month, and stores it for those who read it after that', async () => {
    await closeJanuary();
    await addLate(bea, 1000);
    await searchAt('2026-03-05T12:00:00Z', 0);
    expect(await events()).to.deep.equal([{ month: '2026-02', corrections: [inMain(100)] }]);
    const reports = () => workspace.db.sql("select job_id from stored_jobs where kind = 'books'");
    const stored = await reports();
    expect(stored).to.have.length(1);
    await workspace.db.sql('update workspaces set corrections_found = null');
    await searchAt('2026-03-05T13:00:00Z', 0);
    expect(await reports()).to.deep.equal(stored);
    expect(await events()).to.have.length(2);
  });

  it('reads no books without accounting, and none for which no endpoint receives the event', async () => {
    await searchAt('2026-03-05T12:00:00Z');
    await closeJanuary();
    await addLate(bea, 1000);
    await workspace.db.sql("update webhook_endpoints set event_types = '{payout.paid}'");
    await addEndpoint({ enabled: false });
    await searchAt('2026-03-06T12:00:00Z');
    expect(await workspace.db.sql('select corrections_found from workspaces')).to.deep.equal([
      { corrections_found: null },
    ]);
    await addEndpoint({ event_types: ['accounting.correction_found'] });
    await searchAt('2026-03-06T12:00:00Z');
    expect(await events()).to.have.length(1);
  });

  it('searches the next workspace if the books of one cannot be read', async () => {
    await closeJanuary();
    await addLate(bea, 1000);
    const broken = await OfflineWorkspace.in(workspace.db);
    await broken.insert.row('webhook_endpoints', {
      endpoint_id: newId(),
      url: 'https://x.io',
      secret: Buffer.alloc(1),
    });
    await workspace.db.sql(
      `update workspaces set accounting = '{"from": "not a month"}' where workspace_id = $1`,
      broken.workspaceId,
    );
    await searchAt('2026-03-05T12:00:00Z');
    expect(warned).to.have.length(1);
    expect(warned[0]).to.include({ workspaceId: broken.workspaceId });
    expect(await events()).to.have.length(1);
  });
});
