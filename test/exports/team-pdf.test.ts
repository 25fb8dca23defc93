import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { teamPage } from '#src/exports/documents/team-page.js';
import { grouped } from '#src/kernel/money-text.js';
import { download } from '#test/support/downloads.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { startTrapServer } from '#test/support/trap-server.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('the team roll-up as PDF', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  before(async function () {
    await requireBrowser(this);
    workspace = await WorkedExample.create(service);
  });

  const squeezed = (text: string) => text.replace(/\s+/g, ' ');

  async function expectFiguresOfCsv(own: WorkedExample, period: string): Promise<string | null> {
    const csv = await own.api.get(`/v1/statements/export.csv?period=${period}`);
    const { headers, bytes: pdf } = await download(own.api, `/v1/statements/export.pdf?period=${period}`);
    for (const name of ['x-row-count', 'x-net-total']) expect(headers.get(name)).to.equal(csv.headers.get(name));
    const text = pdfText(pdf, '-layout');
    if (text === null) return null;
    const [titles = [], ...rows] = parse(csv.body, { bom: true }) as string[][];
    const lines = text.split('\n').map((line) => squeezed(line).trim());
    expect(lines).to.include(titles.join(' '));
    for (const [name, email, ...cells] of rows) {
      const shown = [name, email, ...cells.map((one) => (/^-?\d+(\.\d+)?$/.test(one) ? grouped(one) : one))].join(' ');
      expect(lines, shown).to.include(shown);
    }
    return squeezed(text);
  }

  /** The roll-up shows people who have a plan in the period. */
  async function addToPlan(own: WorkedExample, people: readonly { email: string; name: string }[]): Promise<void> {
    const repIds = await own.api.saveReps(...people);
    await own.api.assign(repIds, own.planId);
  }

  it('contains the same figures as the CSV', async function () {
    await workspace.generate('2026-01');
    const text = await expectFiguresOfCsv(workspace, '2026-01');
    if (text === null) return this.skip();
    expect(text).to.contain('Team statements').and.to.contain('January 2026 1 Jan 2026 to 31 Jan 2026, days in UTC');
    expect(text).to.contain('USD 4,800.00 0.00 0.00 4,800.00');
    expect(text)
      .to.contain('0 approved 1 draft 1 none')
      .and.to.contain('Control: 2 rows, 2 reps, net payout USD 4,800.00');
    expect(text)
      .to.match(/Printed \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d UTC/)
      .and.to.contain('Page 1 of 1');
    expect(text).to.contain('DRAFT – not for payroll');
  });

  it('lists people by name, whatever their accents, as every file of the team does', async () => {
    const own = await WorkedExample.create(service);
    const people = ['Zoe', 'Çelik', 'Łukasz', 'Dana'].map((name, index) => ({ name, email: `p${index}@x.io` }));
    await addToPlan(own, people);
    const csv = await own.api.get('/v1/statements/export.csv?period=2026-01');
    const rows = parse(csv.body, { bom: true, columns: true }) as { Name: string }[];
    const names = rows.map(({ Name }) => Name).filter((name) => people.some((person) => person.name === name));
    expect(names).to.deep.equal(['Çelik', 'Dana', 'Łukasz', 'Zoe']);
  });

  it('is marked as a draft until every statement is approved', async function () {
    const own = await WorkedExample.create(service);
    await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-02' });
    await own.approve('2026-02');
    expect((await expectFiguresOfCsv(own, '2026-02')) ?? 'DRAFT').to.contain('DRAFT');
    const mia = { period: '2026-02', status: 'approved' };
    await own.api.generate(own.mia, '2026-02');
    await own.api.expect(200, 'POST', `/v1/statements/${own.mia}/approve`, mia);
    const text = await expectFiguresOfCsv(own, '2026-02');
    if (text === null) return this.skip();
    expect(text).not.to.contain('DRAFT');
    expect(text).to.contain('2 approved 0 draft 0 none');
  });

  it('shows each currency separately with its decimals', async function () {
    const own = await WorkedExample.create(service);
    const rules = [{ name: 'Y', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'JPY' }];
    const plan = await own.api.createPlan({
      name: 'Yen',
      currency: 'JPY',
      config: { dealConditions, rules },
    });
    await own.api.assign([own.ben], plan.planId);
    await own.deal('Y1', 98_765_430, '2026-01-20', { currency: 'JPY' });
    await own.api.adjust(own.ben, '2026-01', -12.5, 'x');
    await own.calculated();
    const text = await expectFiguresOfCsv(own, '2026-01');
    if (text === null) return this.skip();
    expect(text).to.contain('Ben ben@acme.test 9,876,543 0 0 9,876,543').and.to.contain('-12.50');
  });

  it('is named after its period and must not be cached', async () => {
    const { headers } = await download(workspace.api, '/v1/statements/export.pdf?period=2026-Q1');
    expect(headers.get('content-type')).to.equal('application/pdf');
    expect(headers.get('content-disposition')).to.contain('filename="statements-2026-Q1.pdf"');
    expect(headers.get('cache-control')).to.equal('no-store');
    const { headers: current } = await download(workspace.api, '/v1/statements/export.pdf');
    const month = new Date().toISOString().slice(0, 7);
    expect(current.get('content-disposition')).to.contain(`filename="statements-${month}.pdf"`);
  });

  it('escapes hostile names and makes no network request', async function () {
    const trap = await startTrapServer();
    const own = await WorkedExample.create(service, { deals: false });
    const names = [
      '<script>fetch(1)</script>',
      `<img src=http://127.0.0.1:${trap.port}/x>`,
      '<iframe src=file:///etc/passwd>',
      `</style><link rel=prefetch href=http://127.0.0.1:${trap.port}/y>`,
      '&lt;b&gt; &amp; "quotes" \'`',
      '=1+1',
    ];
    await addToPlan(
      own,
      names.map((name, index) => ({ email: `x${index}@acme.test`, name })),
    );
    await own.api.expect(200, 'PATCH', '/v1/workspaces', { name: '<b>Acme</b> & <i>Sons' });
    const { bytes: pdf } = await download(own.api, '/v1/statements/export.pdf?period=2026-01');
    await trap.expectNoHits();
    const text = pdfText(pdf);
    if (text === null) return this.skip();
    const whole = text.replace(/\s+/g, '');
    for (const name of [...names, '<b>Acme</b> & <i>Sons']) expect(whole, name).to.contain(name.replace(/\s+/g, ''));
    expect(text).not.to.contain('root:');
  });

  it('repeats the table header and numbers its pages', async function () {
    const own = await WorkedExample.create(service, { deals: false });
    const reps = Array.from({ length: 90 }, (_, index) => ({ email: `rep${index}@acme.test`, name: `Rep ${index}` }));
    await addToPlan(own, reps);
    const { bytes: pdf, headers } = await download(own.api, '/v1/statements/export.pdf?period=2026-01');
    expect(headers.get('x-row-count')).to.equal('92');
    const text = pdfText(pdf, '-layout');
    if (text === null) return this.skip();
    const pages = text.split('\f').filter((page) => page.trim() !== '');
    expect(pages.length).to.be.greaterThan(2);
    for (const [index, page] of pages.entries()) {
      expect(page)
        .to.contain(`Page ${index + 1} of ${pages.length}`)
        .and.to.contain('DRAFT');
      if (/rep\d+@/.test(page)) expect(squeezed(page)).to.contain('Name Email Commissions');
    }
    for (const { email } of reps) expect(text).to.contain(email);
  });

  it('prints a team without members', async () => {
    const emptyTeam = {
      period: '2026-01',
      days: { from: '2026-01-01', to: '2026-01-31' },
      currency: 'JPY',
      members: [],
      rows: [],
      totals: [],
      columns: ['Name'],
      part: 1,
    };
    const workspace = {
      workspaceId: 'w',
      name: 'X',
      currency: 'JPY',
      timezone: 'UTC',
      tier: 'free',
      isDemo: false,
      isSandbox: false,
      testDay: null,
      fieldMapping: { standard: {}, measures: {} },
      paper: null,
      payroll: {},
      managerScope: 'workspace',
      blockApprovalOnDispute: true,
      agentWrites: null,
      stepUpMinutes: null,
      minQuotaPercent: 25,
      fxMaxAgeDays: 45,
    } as const;
    const { markup } = await teamPage(emptyTeam, workspace, { now: new Date(0), asOf: null });
    expect(markup).to.contain('<td class="amount">0</td>').and.to.contain('DRAFT').and.to.contain('size: A4 landscape');
  });

  it('groups thousands', () => {
    for (const [amount, shown] of [
      ['0.00', '0.00'],
      ['-123', '-123'],
      ['-1234.50', '-1,234.50'],
      ['123456', '123,456'],
      ['1234567.8912', '1,234,567.8912'],
    ] as const)
      expect(grouped(amount)).to.equal(shown);
  });

  it('rejects unknown parameters', async () => {
    for (const query of ['period=x', 'columns=all', 'delimiter=,']) {
      expect((await workspace.api.get(`/v1/statements/export.pdf?${query}`)).status, query).to.equal(400);
    }
  });
});
