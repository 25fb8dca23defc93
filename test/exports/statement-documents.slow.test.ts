import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { money } from '#src/kernel/money-text.js';
import { download, readRows, readWorkbook, unzipped } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { pdfObjects, pdfText, requireBrowser, writtenText } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { startTrapServer } from '#test/support/trap-server.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { expectSameFigures, exportPath, squeezed } from './same-figures.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe("a rep's statement as PDF and workbook", () => {
  const service = Service.duringSuite();
  before(async function () {
    await requireBrowser(this);
  });

  it('contains the tiers, negative amounts and adjustments of the statement', async function () {
    const workspace = await WorkedExample.create(service);
    await workspace.deal('R1', -5000.5, '2026-03-20', { name: 'Refund' });
    await workspace.api.adjust(workspace.ben, '2026-Q1', -120.25, 'Advance paid back');
    await workspace.calculated();
    await workspace.generate('2026-Q1');
    const { text } = await expectSameFigures(workspace, '2026-Q1');
    if (text === null) return this.skip();
    const whole = squeezed(text);
    expect(whole).to.contain('Advance paid back API key -120.25');
    expect(whole).to.contain('New business Q1 2026, tier reached: Top 145% USD 144,999.50 of 100,000.00');
    expect(whole).to.contain('Base 60,000.00 8% 4,800.00').and.to.contain('Total, 4 lines');
    expect(whole).to.match(/Statement [0-9a-f-]{36} v1/);
    const written = writtenText((await download(workspace.api, exportPath(workspace, '2026-Q1', 'pdf'))).bytes) ?? '';
    expect(written, 'days are in words').not.to.match(/(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])/);
    expect(written, 'minus signs are no hyphens').not.to.match(/(?<![^\s(])-\d/);
    expect(written).to.contain('−120.25').and.to.contain('20 Mar 2026');
  });

  for (const [currency, amount, shown] of [
    ['EUR', 1234.56, '98.76'],
    ['JPY', 98_765, '7,901'],
    ['BHD', 1234.567, '98.765'],
  ] as const) {
    it(`writes amounts with the decimals of ${currency}`, async function () {
      const workspace = await WorkedExample.create(service, { currency, deals: false });
      await workspace.deal('X1', amount, '2026-01-20');
      await workspace.calculated();
      await workspace.generate('2026-01');
      const { text, statement } = await expectSameFigures(workspace, '2026-01');
      expect(money(String(statement.summary.netPayout), currency)).to.equal(shown);
      if (text === null) return this.skip();
      expect(text).to.contain(`${currency} ${shown}`);
    });
  }

  it('is marked as a draft until approval, and then names the approver', async function () {
    const workspace = await WorkedExample.create(service);
    const live = pdfText((await download(workspace.api, exportPath(workspace, '2026-01', 'pdf'))).bytes);
    await workspace.generate('2026-01');
    const draft = pdfText((await download(workspace.api, exportPath(workspace, '2026-01', 'pdf'))).bytes);
    const asMia = await workspace.as(workspace.mia);
    await asMia.approve(workspace.ben, '2026-01');
    const approved = pdfText(
      (await download(await workspace.as(workspace.ben), exportPath(workspace, '2026-01', 'pdf'))).bytes,
    );
    if (live === null || draft === null || approved === null) return this.skip();
    expect(live).to.contain('DRAFT – not for payroll').and.to.contain('Not generated yet');
    expect(draft).to.contain('DRAFT – not for payroll').and.to.contain('Not approved yet');
    expect(squeezed(approved)).to.match(/Approved .*\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d by Mia/);
    expect(approved.split('UTC')).to.have.length(2);
    expect(approved).not.to.contain('DRAFT');
  });

  it('shows the effect of a cap by tier and by line', async function () {
    const workspace = await WorkedExample.create(service, { deals: false });
    const rule = {
      name: 'Marginal',
      measure: 'amount',
      tierMode: 'marginal',
      attainmentPeriod: 'quarterly',
      cap: 5000,
      tiers: [
        { tierIndex: 0, minThreshold: 0, rate: 0.05, name: 'First' },
        { tierIndex: 1, minThreshold: 1, rate: 0.1, name: 'Second' },
      ],
    };
    await workspace.api.createPlan({ name: 'Bands', config: { rules: [rule] } }, [workspace.ben]);
    await workspace.api.setQuota([workspace.ben], 'Marginal', '2026-Q1', 50_000);
    await workspace.deal('M1', 90_000, '2026-02-01');
    await workspace.calculated();
    await workspace.generate('2026-02');
    const { text } = await expectSameFigures(workspace, '2026-02');
    if (text === null) return this.skip();
    const whole = squeezed(text);
    expect(whole).to.contain('First 50,000.00 5% 2,500.00');
    expect(whole).to.contain('Second 40,000.00 10% 4,000.00');
    expect(whole).to.match(/Cap -1,500\.00.*Total, 1 line 5,000\.00/);
    expect(whole).to.contain('50,000.00 × 5% + 40,000.00 × 10%').and.to.contain('Cap: 6,500.00 to 5,000.00');
  });

  /** A plan with fixed amounts and a rate that changes in the middle of the quarter. */
  async function withTwoVersions(): Promise<WorkedExample> {
    const workspace = await WorkedExample.create(service, { deals: false });
    const rule = (rate: number) => ({
      name: 'Renewals',
      measure: 'amount',
      tierMode: 'marginal',
      tiers: [
        { tierIndex: 0, minThreshold: 0, rate, name: 'First' },
        { tierIndex: 1, minThreshold: 1, rate: rate + 0.05, name: 'Second' },
      ],
    });
    const fixed = [
      {
        name: 'Per deal',
        measure: 'amount',
        payoutBase: '1',
        tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 250 }],
      },
      flatRule('Per rate', 7.5, { payoutBase: '1' }),
      {
        name: 'Step',
        measure: 'amount',
        payoutMode: 'stepped_bonus',
        tiers: [
          { tierIndex: 0, minThreshold: 0.5, flatAmount: 500, name: 'Half' },
          { tierIndex: 1, minThreshold: 1, flatAmount: 1500, name: 'Whole' },
        ],
      },
    ];
    const config = (rate: number) => ({ rules: [rule(rate), ...fixed] });
    const terms = { name: 'Two', effectiveStart: '2026-01-01', config: config(0.05) };
    const plan = await workspace.api.createPlan(terms, [workspace.ben]);
    for (const measure of ['Renewals', 'Step'])
      await workspace.api.setQuota([workspace.ben], measure, '2026-Q1', 40_000);
    const change = { config: config(0.1), effectiveStart: '2026-02-15' };
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, change);
    for (const [index, day] of ['01-10', '01-20', '02-10', '03-01', '03-10'].entries())
      await workspace.deal(`V${index + 1}`, 10_000, `2026-${day}`, { name: `Deal ${index + 1}` });
    await workspace.calculated();
    await workspace.generate('2026-Q1');
    return workspace;
  }

  it('shows a rule once for all versions of its plan, with the version of each line', async function () {
    const workspace = await withTwoVersions();
    const { text } = await expectSameFigures(workspace, '2026-Q1');
    if (text === null) return this.skip();
    const whole = squeezed(text);
    expect(whole).to.contain('Two, versions 1 and 2');
    expect(whole.match(/Renewals Two, versions 1 and 2; tiers by quarterly attainment/g)).to.have.length(1);
    expect(whole).not.to.match(/Renewals Two, version [12]\b/);
    expect(whole.match(/Total of Renewals, 5 lines 4,000\.00/g)).to.have.length(1);
    expect(whole).to.contain('First 30,000.00 5% 1,500.00');
    expect(whole).to.contain('First 10,000.00 10% 1,000.00').and.to.contain('Second 10,000.00 15% 1,500.00');
    expect(whole).to.match(/Deal 1 .* V1, version 1 .*Deal 4 .* V4, version 2/);
  });

  it('shows fixed amounts as fixed, without a base or a rate', async function () {
    const workspace = await withTwoVersions();
    const { text } = await expectSameFigures(workspace, '2026-Q1');
    if (text === null) return this.skip();
    const whole = squeezed(text);
    expect(whole).to.contain('5 times 250.00').and.to.contain('5 times 7.50');
    for (const [amount, total] of [
      ['250.00', '1,250.00'],
      ['7.50', '37.50'],
    ]) {
      expect(whole, 'the tier').to.contain(`– fixed ${total}`);
      expect(text.match(new RegExp(`– +fixed +${amount}`, 'g')), 'its lines').to.have.length(5);
    }
    for (const wrong of ['1.00 ', '750%', 'mixed', '× 1']) expect(whole).not.to.contain(` ${wrong}`);
  });

  it('folds the lines of a rule without payout into one row with the reasons', async function () {
    const workspace = await withTwoVersions();
    const { text, statement } = await expectSameFigures(workspace, '2026-Q1');
    const ofStep = statement.lineItems.filter((line: Loose) => line.ruleName === 'Step');
    expect(ofStep.map((line: Loose) => line.amount)).to.deep.equal([0, 500, 0, 1000, 0]);
    if (text === null) return this.skip();
    const whole = squeezed(text);
    const [, lines = ''] = /Line items(.*)Notes/.exec(whole) ?? [];
    const [, step = ''] =
      /Step Two, versions 1 and 2 Deal Closed(.*)Total of Step, 5 lines 1,500\.00/.exec(lines) ?? [];
    expect(step).to.match(/3 lines without payout 10 Jan 2026 – – – 0\.00/);
    expect(step).to.match(/below the lowest tier \(1\), .*already \(2\)/);
    expect(step).to.match(/Deal 1, Deal 3, Deal 5/);
    expect(step.match(/ 0\.00/g)).to.have.length(1);
  });

  it('explains a formula on lines whose base is not the amount of the deal', async function () {
    const workspace = await WorkedExample.create(service, { deals: false });
    const rules = [flatRule('New business', 0.1, { measure: '= amount * (1 - default(discount, 0))' })];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    await workspace.deal('F1', 1000, '2026-01-20', { fields: { discount: 0.25 } });
    await workspace.deal('F2', 500, '2026-01-21');
    await workspace.calculated();
    const text = pdfText((await download(workspace.api, exportPath(workspace, '2026-Q1', 'pdf'))).bytes);
    if (text === null) return this.skip();
    expect(squeezed(text).match(/amount after discount: \S+/g)).to.deep.equal(['amount after discount: 750,']);
  });

  it('stores whole numbers as whole numbers in the workbook', async () => {
    const workspace = await withTwoVersions();
    const workbook = await readWorkbook(
      (await download(workspace.api, exportPath(workspace, '2026-Q1', 'xlsx'))).bytes,
    );
    const versions = readRows(workbook.getWorksheet('Line items')).map((row) => row['Plan Version']);
    expect(new Set(versions.map((cell) => cell?.value))).to.deep.equal(new Set([1, 2]));
    expect(new Set(versions.map((cell) => cell?.numFmt))).to.deep.equal(new Set(['#,##0']));
    const about = readRows(workbook.getWorksheet('About'));
    const statements = about.find((row) => row['What']?.value === 'Statements');
    expect([statements?.['Value']?.value, statements?.['Value']?.numFmt]).to.deep.equal([1, '#,##0']);
  });

  it('prints the lines of a true-up and the approver', async function () {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-Q1');
    const asMia = await workspace.as(workspace.mia);
    await asMia.approve(workspace.ben, '2026-Q1');
    await workspace.deal('L1', 10_000, '2026-03-20', { name: 'Late one' });
    await workspace.deal('L2', 2_000, '2026-03-25', { name: 'Late two' });
    await workspace.calculated();
    const period = '2026-Q1';
    const trueUp = await asMia.expect(200, 'POST', `/v1/statements/${workspace.ben}/true-up`, { period, force: true });
    expect(trueUp).to.include({ action: 'trued_up', delta: 1800 });
    const csv = await workspace.api.get('/v1/statements/export.csv?period=2026-Q1&columns=extended');
    const approvers = (parse(csv.body, { columns: true, bom: true }) as Record<string, string>[]).map(
      (row) => row['Approved By'],
    );
    expect(approvers).to.deep.equal(['Mia', '']);
    for (const file of [exportPath(workspace, period, 'xlsx'), `/v1/statements/export.xlsx?period=${period}`]) {
      const workbook = await readWorkbook((await download(workspace.api, file)).bytes);
      const rows = readRows(workbook.getWorksheet('Adjustments'));
      const cells = (row: Loose) =>
        ['Kind', 'Deal', 'By', 'Rule', 'Amount', 'Approved', 'Now', 'Difference'].map(
          (name) => row[name]?.value ?? null,
        );
      expect(rows.map(cells)).to.deep.equal([
        ['true_up', null, 'Mia', null, 1800, null, null, null],
        ['true_up line', 'Late one', null, 'New business', null, 0, 1500, 1500],
        ['true_up line', 'Late two', null, 'New business', null, 0, 300, 300],
      ]);
      const about = readRows(workbook.getWorksheet('About'));
      const statement = about.find((row) => row['What']?.value === 'Statement of Ben');
      expect(statement?.['Approved By']?.value).to.equal('Mia');
    }
    const text = pdfText((await download(workspace.api, exportPath(workspace, period, 'pdf'))).bytes, '-layout');
    if (text === null) return this.skip();
    const whole = squeezed(text);
    expect(whole).to.match(/True-up of version 1 Mia 1,800\.00/);
    expect(whole).to.contain('Late one, New business 1,500.00 0.00 approved before, corrected to 1,500.00');
    expect(whole).to.contain('Late two, New business 300.00 0.00 approved before, corrected to 300.00');
    expect(whole).to.contain('Total in USD 1,800.00');
  });

  it('lists a reversed line with its reason and does not count it', async function () {
    const workspace = await WorkedExample.create(service);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/D1');
    await workspace.calculated();
    await workspace.generate('2026-Q1');
    const text = pdfText((await download(workspace.api, exportPath(workspace, '2026-Q1', 'pdf'))).bytes, '-layout');
    if (text === null) return this.skip();
    expect(squeezed(text)).to.match(/Reversed on \d{1,2} [A-Z][a-z]{2} \d{4}: the deal was deleted\. Not counted\./);
    expect(text).to.match(/D1.*4,800\.00/);
  });

  it('prints the year to date and the previous period', async function () {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    await workspace.generate('2026-02');
    const text = pdfText((await download(workspace.api, exportPath(workspace, '2026-02', 'pdf'))).bytes);
    if (text === null) return this.skip();
    expect(squeezed(text)).to.contain('Year to date 2026: 12,000.00 Previous period, January 2026: 4,800.00');
  });

  it('uses the paper format of the workspace', async () => {
    const size = async (workspace: WorkedExample) => {
      const { bytes } = await download(workspace.api, exportPath(workspace, '2026-01', 'pdf'));
      return /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdfObjects(bytes))?.slice(1).map(Number).map(Math.round);
    };
    const dollars = await WorkedExample.create(service);
    expect(await size(dollars)).to.deep.equal([612, 792]);
    await dollars.api.expect(200, 'PATCH', '/v1/workspaces', { paper: 'A4' });
    expect(await size(dollars)).to.deep.equal([595, 842]);
    const euros = await WorkedExample.create(service, { currency: 'EUR' });
    expect(await size(euros)).to.deep.equal([595, 842]);
  });

  it('is tagged, has a title and embeds its fonts', async () => {
    const workspace = await WorkedExample.create(service, { benName: 'Łukasz Ωμέγα' });
    const { bytes } = await download(workspace.api, exportPath(workspace, '2026-01', 'pdf'));
    const raw = pdfObjects(bytes);
    expect(raw)
      .to.match(/\/MarkInfo <<.*\/Marked true/s)
      .and.to.contain('/StructTreeRoot')
      .and.to.contain('/Lang (en)');
    expect(raw).to.match(/\/FontName \/[A-Z]{6}\+Inter-Regular/);
    expect(raw).to.contain('/Title');
  });

  it('escapes hostile names, makes no network request and contains no formula', async function () {
    const trap = await startTrapServer();
    const names = [
      '<script>fetch(1)</script>',
      `<img src=http://127.0.0.1:${trap.port}/x>`,
      '<iframe src=file:///etc/passwd></iframe>',
      `</style><style>@import url(http://127.0.0.1:${trap.port}/y)`,
      "=cmd|'/c calc'!A0",
      '@SUM(1)',
      '-2+3',
      '\u202egnp.exe',
    ];
    const benName = `"; } @import url(http://127.0.0.1:${trap.port}/z); =1+1`;
    const workspace = await WorkedExample.create(service, { deals: false, benName });
    for (const [index, name] of names.entries())
      await workspace.deal(`H${index}`, 1000 + index, '2026-01-10', { name });
    await workspace.api.adjust(workspace.ben, '2026-01', 5, '=HYPERLINK("http://x")');
    await workspace.calculated();
    const pdf = await download(workspace.api, exportPath(workspace, '2026-01', 'pdf'));
    const xlsx = await download(workspace.api, exportPath(workspace, '2026-01', 'xlsx'));
    await trap.expectNoHits();
    const parts = [...unzipped(xlsx.bytes)].filter(([name]) => name.startsWith('xl/worksheets/sheet'));
    const formulas = parts.flatMap(([, xml]) => [...xml.toString().matchAll(/<f[ >].*?<\/f>/g)].map(([all]) => all));
    expect(
      formulas.every((formula) => /^<f>SUM\([A-Z]\d+:[A-Z]\d+\)<\/f>$/.test(formula)),
      formulas.join(),
    ).to.equal(true);
    const workbook = await readWorkbook(xlsx.bytes);
    const texts = workbook.worksheets.flatMap((sheet) => {
      const found: string[] = [];
      sheet.eachRow((row) => row.eachCell((cell) => typeof cell.value === 'string' && found.push(cell.value)));
      return found;
    });
    expect(texts.filter((text) => /^\s*[=+\-@\t\r]/.test(text))).to.deep.equal([]);
    for (const name of ["'=cmd|'/c calc'!A0", "'@SUM(1)", "'-2+3", `'=HYPERLINK("http://x")`, 'gnp.exe'])
      expect(texts).to.include(name);
    const text = pdfText(pdf.bytes);
    if (text === null) return this.skip();
    const whole = text.replace(/\s+/g, '');
    for (const name of [...names, benName]) expect(whole, name).to.contain(name.replace(/[\s\u202e]+/g, ''));
    expect(text).not.to.contain('root:');
  });

  it('is available only to callers who may see the statement', async () => {
    const workspace = await WorkedExample.create(service);
    const asBen = await workspace.as(workspace.ben);
    for (const format of ['pdf', 'xlsx']) {
      await expectError('403 forbidden', asBen.get(`/v1/statements/${workspace.mia}/export?format=${format}`));
      await expectError(
        '404 rep_not_found',
        workspace.api.get(`/v1/statements/${crypto.randomUUID()}/export?format=${format}`),
      );
      expect((await asBen.get(`/v1/statements/${workspace.ben}/export?format=${format}`)).status).to.equal(200);
    }
  });
});
