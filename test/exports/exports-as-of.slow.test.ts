import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { download, readRows, readWorkbook, unzipped } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { exportJobs } from './finished-export.js';
import { squeezed } from './same-figures.js';

const sheets = ['Summary', 'Line items', 'Adjustments'];

describe('PDF files, workbooks and archives as of an earlier instant', () => {
  const service = Service.duringSuite();
  before(async function () {
    await requireBrowser(this);
  });

  /** The text of a PDF without the instants at which it was printed and whose state it shows. */
  function textOf(pdf: Buffer): string {
    const text = squeezed(pdfText(pdf, '-raw') ?? '');
    const instant = String.raw`\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?: UTC)?`;
    return squeezed(text.replace(new RegExp(`(?:Printed|, as of|As of|Generated) ${instant}`, 'g'), ''));
  }

  async function sheetTexts(bytes: Buffer): Promise<unknown> {
    const workbook = await readWorkbook(bytes);
    const valuesOf = (name: string) =>
      readRows(workbook.getWorksheet(name)).map((row) => Object.values(row).map(({ text }) => text));
    return sheets.map(valuesOf);
  }

  const fileOf = async ({ api }: WorkedExample, path: string, period: string, asOf: string | null) =>
    (await download(api, `${path}period=${period}${asOf === null ? '' : `&asOf=${asOf}`}`)).bytes;
  const statementText = async (workspace: WorkedExample, period: string, asOf: string | null = null) =>
    textOf(await fileOf(workspace, `/v1/statements/${workspace.ben}/export?format=pdf&`, period, asOf));

  /** What every file of the period shows. */
  async function contents(
    workspace: WorkedExample,
    period: string,
    asOf: string | null = null,
  ): Promise<Record<string, unknown>> {
    const { ben } = workspace;
    const file = (path: string) => fileOf(workspace, path, period, asOf);
    const archive = unzipped(await file('/v1/statements/export.zip?'));
    return {
      'statement as PDF': await statementText(workspace, period, asOf),
      'statement as workbook': await sheetTexts(await file(`/v1/statements/${ben}/export?format=xlsx&`)),
      'team as PDF': textOf(await file('/v1/statements/export.pdf?')),
      'team as workbook': await sheetTexts(await file('/v1/statements/export.xlsx?')),
      archive: [...archive].map(([name, pdf]) => [name, textOf(pdf)]),
    };
  }

  it('equal what they were at that instant, with and without a statement', async () => {
    const workspace = await WorkedExample.create(service);
    const { api, ben, workspaceId } = workspace;
    const comment = (body: string) =>
      api.expect(201, 'POST', `/v1/statements/${ben}/comments`, { period: '2026-01', body });
    await workspace.generateAndApprove('2026-01');
    await comment('Paid on the fifth');
    await workspace.deal('D9', 700, '2026-02-09');
    await service.waitForCalculations(workspaceId);
    const [january, february] = [await contents(workspace, '2026-01'), await statementText(workspace, '2026-02')];
    await sleep(5);
    const instant = new Date().toISOString();
    await sleep(5);
    await workspace.unlock('2026-01');
    await workspace.deal('D1', 1, '2026-01-15');
    await api.delete('/v1/deals/D9');
    await service.waitForCalculations(workspaceId);
    await workspace.generate('2026-01');
    await comment('Corrected');
    expect(await contents(workspace, '2026-01', instant)).to.deep.equal(january);
    expect(await statementText(workspace, '2026-02', instant)).to.equal(february);
    expect(await statementText(workspace, '2026-01')).not.to.equal(january['statement as PDF']);
    expect(await statementText(workspace, '2026-02'))
      .to.include('Reversed on')
      .and.not.to.equal(february);
  });

  it('state the instant in the file and in the job, and are made once for each instant', async () => {
    const { api, ben } = await WorkedExample.create(service);
    const path = `/v1/statements/${ben}/export?format=xlsx&period=2026-01`;
    const instants = [new Date(Date.now() - 5).toISOString(), '2026-01-31T23:00:00+02:00'];
    const jobs = await Promise.all(
      instants.map((asOf) => api.expect(202, 'GET', `${path}&async=true&asOf=${encodeURIComponent(asOf)}`)),
    );
    expect(jobs.map(({ asOf }) => asOf)).to.deep.equal([instants[0], '2026-01-31T21:00:00.000Z']);
    expect(new Set(jobs.map(({ jobId }) => jobId)).size).to.equal(2);
    const { jobs: listed } = await api.expect(200, 'GET', exportJobs);
    expect(listed.map(({ asOf }: { asOf: string }) => asOf)).to.have.members(jobs.map(({ asOf }) => asOf));
    const { bytes } = await download(api, `${path}&asOf=${instants[0]}`);
    const about = readRows((await readWorkbook(bytes)).getWorksheet('About'));
    const stated = about.find((row) => row['What']?.value === 'As of (UTC)')?.['Value']?.value;
    expect((stated as Date).toISOString().slice(0, 16)).to.equal((instants[0] as string).slice(0, 16));
    await expectError('400 VALIDATION_FAILED', api.get(`${path}&asOf=2126-01-01T00:00:00Z`));
  });
});
