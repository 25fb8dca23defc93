import { expect } from 'chai';
import { download, unzipped } from '#test/support/downloads.js';
import { requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { finishedExport } from './finished-export.js';
import { expectSameFigures, squeezed } from './same-figures.js';

describe('a large export', () => {
  const service = Service.duringSuite();
  before(async function () {
    await requireBrowser(this);
  });

  it('of a statement contains five thousand lines with the same figures in every format', async function () {
    const workspace = await WorkedExample.create(service, { deals: false, currency: 'EUR' });
    const deals = Array.from({ length: 5000 }, (_, index) => ({
      dealId: `B-${index}`,
      amount: 100 + (index % 977) + 0.37,
      closeDate: `2026-0${1 + (index % 3)}-${String(1 + (index % 28)).padStart(2, '0')}`,
      ownerId: 'ben',
    }));
    await workspace.api.expect(200, 'POST', '/v1/deals/import', { deals });
    await workspace.calculated();
    await workspace.generate('2026-Q1');
    const { text, pdfSize } = await expectSameFigures(workspace, '2026-Q1');
    expect(pdfSize / deals.length, 'bytes a line').to.be.below(700);
    if (text === null) return this.skip();
    const pages = text.split('\f').filter((page) => page.trim() !== '');
    expect(pages.length).to.be.greaterThan(100);
    for (const page of pages) {
      expect(page).to.match(/Page \d+ of \d+/);
      if (/\bB-\d+/.test(page)) expect(squeezed(page)).to.contain('Deal Closed Tier Base Rate EUR');
    }
  });

  it('returns a job with its progress at once for an archive of more than fifty statements', async () => {
    const own = await WorkedExample.create(service, { benName: '../../etc/passwd' });
    const reps = Array.from({ length: 54 }, (_, index) => ({
      email: `r${index}@acme.test`,
      name: `名前 ${index % 7}`,
    }));
    const repIds = await own.api.saveReps(...reps);
    await own.api.assign(repIds, own.planId);
    await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01' });
    const requested = await own.api.get('/v1/statements/export.zip?period=2026-01');
    expect([requested.status, requested.body.progress.total]).to.deep.equal([202, 56]);
    const job = await finishedExport(own.api, requested.body.jobId);
    expect(job.progress).to.deep.equal({ done: 56, total: 56 });
    const { bytes, headers } = await download(own.api, job.file.path);
    expect(headers.get('x-row-count')).to.equal('56');
    expect(headers.get('x-net-total')).to.equal('4800.00');
    const files = unzipped(bytes);
    expect(files.size).to.equal(56);
    for (const [name, content] of files) {
      expect(name).to.match(/^statement-2026-01-[A-Za-z0-9-]+\.pdf$/);
      expect(content.subarray(0, 5).toString()).to.equal('%PDF-');
    }
    expect([...files.keys()].filter((name) => name.includes('etc-passwd'))).to.have.length(1);
  });
});
