import { expect } from 'chai';
import { FakeBilling } from '#fakes/fake-billing.js';
import { openSource } from '#src/scheduled-imports/sources/open-source.js';
import { PayWorkspace } from '#test/pay/payables/pay-service.js';
import { expectError } from '#test/support/errors.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const address = { kind: 'stripe', dealKey: 'deal_id', days: 1000 } as const;

describe('invoices of the billing provider', () => {
  let billing: FakeBilling;

  beforeEach(async () => {
    billing = await FakeBilling.start();
  });
  afterEach(() => billing.stop());

  const open = (terms: { timeZone?: string; dealField?: string; apiKey?: string } = {}) =>
    openSource(
      address,
      { apiKey: terms.apiKey ?? billing.apiKey },
      {
        allowLoopback: true,
        timeoutMs: 60_000,
        stripeBase: billing.url,
        timeZone: terms.timeZone ?? 'UTC',
        dealField: terms.dealField,
      },
    );

  async function readAll(terms: Parameters<typeof open>[0] = {}): Promise<Record<string, string[]>> {
    const source = await open(terms);
    const files: Record<string, string[]> = {};
    for (const file of await source.list())
      files[file.name] = (await source.read(file, 1024 * 1024)).toString().trim().split('\n').slice(1);
    return files;
  }

  describe('as files', () => {
    it('are one row for each payment, by month, with the tax, and without drafts, credits and unnamed invoices', async () => {
      const metadata = { deal_id: 'D' };
      const paid = billing.sendInvoice({
        total: 71_400_00,
        net: 60_000_00,
        status: 'paid',
        created: '2026-01-31T12:00:00Z',
        metadata,
        payments: [
          { amount: 42_840_00, at: '2026-03-05T12:00:00Z' },
          { amount: 28_560_00, at: '2026-05-02T12:00:00Z' },
        ],
      });
      const open1 = billing.sendInvoice({ total: 1050, created: '2026-02-01T12:00:00Z', metadata });
      billing.sendInvoice({ total: 5000, status: 'draft', created: '2026-02-02T12:00:00Z', metadata });
      billing.sendInvoice({ total: -5000, created: '2026-02-03T12:00:00Z', metadata });
      billing.sendInvoice({ total: 5000, created: '2026-02-04T12:00:00Z' });
      const lost = billing.sendInvoice({
        total: 7000,
        status: 'uncollectible',
        created: '2026-02-05T12:00:00Z',
        metadata,
      });
      expect(await readAll()).to.deep.equal({
        'invoices-2026-01.csv': [
          `D,${paid},60000,71400,USD,2026-01-31,open,inpay_${paid}_0,42840,2026-03-05`,
          `D,${paid},60000,71400,USD,2026-01-31,open,inpay_${paid}_1,28560,2026-05-02`,
        ],
        'invoices-2026-02.csv': [
          `D,${open1},10.5,,USD,2026-02-01,open,,,`,
          `D,${lost},70,,USD,2026-02-05,written_off,,,`,
        ],
      });
    });

    it('have the days of the time zone, and amounts in the unit of the currency', async () => {
      const metadata = { deal_id: 'D' };
      const late = { created: '2026-02-01T03:00:00Z', metadata };
      const yen = billing.sendInvoice({ ...late, total: 5000, currency: 'jpy' });
      const krona = billing.sendInvoice({ ...late, total: 500_000, currency: 'isk' });
      const dinar = billing.sendInvoice({ ...late, total: 1500, currency: 'kwd' });
      const { 'invoices-2026-01.csv': rows } = await readAll({ timeZone: 'America/New_York' });
      expect(rows).to.have.members([
        `D,${yen},5000,,JPY,2026-01-31,open,,,`,
        `D,${krona},5000,,ISK,2026-01-31,open,,,`,
        `D,${dinar},1.5,,KWD,2026-01-31,open,,,`,
      ]);
    });

    it('take back what a customer disputes, unless the dispute is won, and count what was paid elsewhere', async () => {
      const id = billing.sendInvoice({
        total: 1000_00,
        status: 'paid',
        created: '2026-01-10T12:00:00Z',
        metadata: { deal_id: 'D' },
        payments: [
          { amount: 300_00, at: '2026-01-11T12:00:00Z' },
          { amount: 200_00, at: '2026-01-12T12:00:00Z' },
        ],
        outside: { amount: 500_00, at: '2026-01-20T12:00:00Z' },
      });
      billing.dispute(id, 0, 300_00, '2026-02-10T12:00:00Z', 'lost');
      billing.dispute(id, 1, 200_00, '2026-02-11T12:00:00Z', 'won');
      const { 'invoices-2026-01.csv': rows = [] } = await readAll();
      expect(rows.map((row) => row.split(',').slice(-2).join(' '))).to.deep.equal([
        '300 2026-01-11',
        '200 2026-01-12',
        '500 2026-01-20',
        '-300 2026-02-10',
      ]);
    });

    it('include every page of invoices and of payments', async () => {
      const metadata = { deal_id: 'D' };
      for (let day = 1; day <= 28; day++)
        for (let hour = 10; hour < 14; hour++)
          billing.sendInvoice({
            total: 100,
            created: `2026-02-${String(day).padStart(2, '0')}T${hour}:00:00Z`,
            metadata,
          });
      const parts = Array.from({ length: 23 }, (_, index) => ({
        amount: 100,
        at: `2026-03-0${(index % 9) + 1}T12:00:00Z`,
      }));
      billing.sendInvoice({ total: 2300, created: '2026-03-01T12:00:00Z', metadata, payments: parts });
      const { 'invoices-2026-02.csv': february, 'invoices-2026-03.csv': march } = await readAll();
      expect([february?.length, march?.length]).to.deep.equal([112, 23]);
    });

    it('cannot be read with a key that the provider rejects', async () => {
      const source = await open({ apiKey: 'sk_test_other' });
      const failure = await source.list().catch((error: Error) => error);
      expect(failure)
        .to.be.instanceOf(Error)
        .with.property('message')
        .that.matches(/responded with 401/);
      expect((failure as Error).message).not.to.include('sk_test');
    });
  });

  describe('in a workspace', () => {
    let service: Service;
    let pay: PayWorkspace;
    let smtp: FakeSmtp;

    beforeEach(async () => {
      smtp = await FakeSmtp.start();
      const mails = { SMTP_URL: smtp.url, MAIL_FROM: 'pay@acme.test' };
      service = await Service.start({ settings: { BILLING_API_BASE: billing.url, ...mails } });
      pay = await PayWorkspace.create(service);
      await pay.deal('D', 60_000, '2026-01-15', { fields: { stripe_invoice: 'in_named' } });
    });
    afterEach(async () => {
      await service.stop();
      await smtp.stop();
    });

    const create = (more: object = {}) =>
      pay.api.expect(201, 'POST', '/v1/scheduled-imports', {
        name: 'Stripe',
        subject: 'invoices',
        source: address,
        credentials: { apiKey: billing.apiKey },
        schedule: { every: 'hour', at: '06:30' },
        ...more,
      });
    const idle = (id: string) =>
      until(
        async () => {
          const { scheduledImports } = await pay.api.expect(200, 'GET', '/v1/scheduled-imports');
          const found = scheduledImports.find((listed: { id: string }) => listed.id === id);
          return found.isRunning ? undefined : found;
        },
        { what: 'an idle import' },
      );
    const runTo = async (id: string) => {
      await pay.api.expect(202, 'POST', `/v1/scheduled-imports/${id}/run`);
      return idle(id);
    };

    const confirm = async (id: string) => {
      const { waitingFileId: fileId } = await idle(id);
      await pay.api.expect(202, 'POST', `/v1/scheduled-imports/${id}/confirm`, { fileId });
      await idle(id);
    };
    const readFile = async (id: string) =>
      (await pay.api.expect(200, 'GET', `/v1/scheduled-imports/${id}/files`)).files[0];
    const countImports = async () => (await pay.api.expect(200, 'GET', '/v1/imports')).count;
    const paid = (amount: number) => ({
      total: amount,
      created: '2026-01-31T12:00:00Z',
      payments: [{ amount, at: '2026-02-15T12:00:00Z' }],
    });

    it('pay once the deal that their metadata name is there, and what is still rejected is reported once', async () => {
      await pay.api.saveReps({ name: 'Root', email: 'root@acme.test', role: 'admin' });
      const reported = async () => {
        const rows = await service.sql<{ subject: string }>(
          `select subject from mail_outbox where workspace_id = $1 and subject like '%rejected'`,
          pay.workspaceId,
        );
        return rows.length;
      };
      for (const [id, dealId] of Object.entries({ in_late: 'L', in_missing: 'M' }))
        billing.sendInvoice({ ...paid(10_000_00), metadata: { deal_id: dealId } }, id);
      const { id } = await create();
      await confirm(id);
      const rejected = await readFile(id);
      expect(rejected.result).to.deep.include({ accepted: 0, rejected: 2 });
      const before = await countImports();
      await runTo(id);
      expect(await readFile(id)).to.deep.equal(rejected);
      await pay.deal('L', 10_000, '2026-01-15');
      await runTo(id);
      expect(await pay.payable('2026-02')).to.equal(800);
      const accepted = await readFile(id);
      expect(accepted.result).to.deep.include({ accepted: 1, rejected: 1 });
      expect([await countImports(), await reported()]).to.deep.equal([before + 1, 1]);
      await pay.api.expect(200, 'POST', `/v1/imports/${accepted.importId}/take-back`, {});
      await runTo(id);
      expect(await pay.payable('2026-02')).to.equal(0);
    });

    it('pay once a deal names them', async () => {
      billing.sendInvoice(paid(10_000_00), 'in_late');
      const { id } = await create({ options: { dealField: 'stripe_invoice' } });
      await confirm(id);
      expect((await readFile(id)).result).to.deep.include({ accepted: 0, unchanged: 1, rejected: 0 });
      await pay.deal('L', 10_000, '2026-01-15', { fields: { stripe_invoice: 'in_late' } });
      await runTo(id);
      expect(await pay.payable('2026-02')).to.equal(800);
      const imported = await readFile(id);
      const before = await countImports();
      await runTo(id);
      expect([await readFile(id), await countImports()]).to.deep.equal([imported, before]);
    });

    it('pay no more once an earlier import of their file was taken back', async () => {
      billing.sendInvoice(paid(10_000_00), 'in_first');
      billing.sendInvoice(paid(20_000_00), 'in_late');
      const first = { fields: { stripe_invoice: 'in_first' } };
      await pay.deal('F', 10_000, '2026-01-15', first);
      const { id } = await create({ options: { dealField: 'stripe_invoice' } });
      await confirm(id);
      const { importId } = await readFile(id);
      await pay.deal('L', 20_000, '2026-01-15', { fields: { stripe_invoice: 'in_late' } });
      await runTo(id);
      expect(await pay.payable('2026-02')).to.equal(2400);
      await pay.api.expect(200, 'POST', `/v1/imports/${importId}/take-back`, {});
      await runTo(id);
      expect(await pay.payable('2026-02')).to.equal(1600);
    });

    it('pay as the customer pays, from the first confirmed file to a dispute', async () => {
      const invoice = {
        total: 60_000_00,
        created: '2026-01-31T12:00:00Z',
        metadata: { deal_id: 'D' },
        payments: [{ amount: 20_000_00, at: '2026-02-15T12:00:00Z' }],
      };
      const invoiceId = billing.sendInvoice(invoice);
      const { id } = await create();
      await idle(id);
      expect(await pay.payable('2026-02')).to.equal(0);
      await confirm(id);
      expect(await pay.payable('2026-02')).to.equal(1600);
      const rest = { amount: 40_000_00, at: '2026-04-03T12:00:00Z' };
      billing.sendInvoice({ ...invoice, status: 'paid', payments: [...invoice.payments, rest] }, invoiceId);
      await runTo(id);
      expect([await pay.payable('2026-02'), await pay.payable('2026-04')]).to.deep.equal([1600, 3200]);
      billing.dispute(invoiceId, 0, 20_000_00, '2026-03-10T12:00:00Z');
      const { error } = await runTo(id);
      expect(error).to.equal(null);
      expect(await pay.lines('2026-03')).to.deep.equal({ D: -1600 });
      const { files } = await pay.api.expect(200, 'GET', `/v1/scheduled-imports/${id}/files`);
      expect(files.map(({ result }: { result: { rejected: number } }) => result.rejected)).to.deep.equal([0, 0, 0]);
    });

    it('belong to the deal that names them, and change nothing where none does', async () => {
      billing.sendInvoice(paid(30_000_00), 'in_named');
      billing.sendInvoice(paid(5000_00), 'in_other');
      const { id } = await create({ options: { dealField: 'stripe_invoice' } });
      await confirm(id);
      const { files } = await pay.api.expect(200, 'GET', `/v1/scheduled-imports/${id}/files`);
      expect(files[0].result).to.deep.include({ accepted: 1, unchanged: 1, rejected: 0 });
      expect(await pay.payable('2026-02')).to.equal(2400);
      await pay.deal('E', 100, '2026-01-15', { fields: { stripe_invoice: ['in_named', 'in_else'] } });
      billing.sendInvoice(paid(40_000_00), 'in_named');
      await runTo(id);
      const later = await pay.api.expect(200, 'GET', `/v1/scheduled-imports/${id}/files`);
      expect(later.files[0].result.reasons[0].reason).to.match(/several deals have the invoice in_named/);
    });

    it('are no source of deals, need a key, and can be tested', async () => {
      const wrong = { name: 'x', source: address, schedule: { every: 'day', at: '06:30' } };
      const request = (body: object) => pay.api.post('/v1/scheduled-imports', { ...wrong, ...body });
      await expectError(
        '400 VALIDATION_FAILED',
        request({ subject: 'deals', credentials: { apiKey: 'k' } }),
        'subject',
      );
      await expectError('400 VALIDATION_FAILED', request({ subject: 'invoices' }), 'credentials');
      billing.sendInvoice({ total: 100, created: '2026-01-31T12:00:00Z', metadata: { deal_id: 'D' } });
      const { id } = await create();
      const { files } = await pay.api.expect(200, 'POST', `/v1/scheduled-imports/${id}/test`);
      expect(files[0].name).to.equal('invoices-2026-01.csv');
      const { id: other } = await create({ credentials: { apiKey: 'sk_test_other' } });
      await expectError('502 source_unreachable', pay.api.post(`/v1/scheduled-imports/${other}/test`, {}));
    });
  });
});
