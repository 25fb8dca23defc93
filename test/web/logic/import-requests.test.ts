import { expect } from 'chai';
import { type SendOptions } from '#web/features/imports/kind.js';
import { importKinds } from '#web/features/imports/kinds.js';

interface Sent {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly type: string | null;
  readonly body: unknown;
}

describe('the request of an import', () => {
  const original = globalThis.fetch;
  let sent: Sent[];

  function respond(body: object): void {
    sent = [];
    globalThis.fetch = async (input, init) => {
      const { pathname, searchParams } = new URL(String(input), 'https://commissions.test');
      const type = new Headers(init?.headers).get('content-type');
      sent.push({ path: pathname, query: Object.fromEntries(searchParams), type, body: init?.body });
      return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
  }

  after(() => {
    globalThis.fetch = original;
  });

  const dry: SendOptions = { dryRun: true, fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' };
  const real: SendOptions = { dryRun: false, fileName: 'a.csv', dateFormat: 'ISO', numberFormat: null };
  const rows = { unchanged: 1, rejected: 0, results: [{ row: 1, outcome: 'created' }] };
  const deals = {
    ...{ accepted: 3, created: 2, changed: 1, unchanged: 4, stale: 0, rejected: [], jobId: 'J1' },
    warnings: [{ column: 'Region' }],
    totals: [],
    rowsWithoutCloseDate: 1,
  };

  for (const [kind, path, dryQuery, realQuery] of [
    [
      'people',
      '/v1/reps/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'assignments',
      '/v1/assignments/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'absences',
      '/v1/absences/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'invoices',
      '/v1/invoices/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'refunds',
      '/v1/refunds/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'lines',
      '/v1/deals/lines/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'companies',
      '/v1/accounting/rep-entities/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'openingLots',
      '/v1/accounting/lots/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'estimates',
      '/v1/accounting/estimates/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'writeOffs',
      '/v1/accounting/write-offs/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'contracts',
      '/v1/accounting/contracts/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'draws',
      '/v1/draws/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'quotas',
      '/v1/quotas/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO' },
    ],
    [
      'deals',
      '/v1/deals/import',
      { dryRun: 'true', fileName: 'a.csv', dateFormat: 'DMY', numberFormat: 'eu', idColumn: 'deal_id' },
      { dryRun: 'false', fileName: 'a.csv', dateFormat: 'ISO', idColumn: 'deal_id' },
    ],
  ] as const)
    it(`of ${kind} has both formats that the person chose, and writes only if it is no dry run`, async () => {
      respond(kind === 'deals' ? deals : { ...rows, columns: [] });
      await importKinds[kind].send('a\n1\n', dry);
      await importKinds[kind].send('a\n1\n', real);
      expect(sent).to.deep.equal([
        { path, query: dryQuery, type: 'text/csv', body: 'a\n1\n' },
        { path, query: realQuery, type: 'text/csv', body: 'a\n1\n' },
      ]);
    });

  it('of deals returns the counts of all rows, and what is stored without a use', async () => {
    respond(deals);
    const outcome = await importKinds.deals.send('', dry);
    expect(outcome.counts).to.deep.equal([
      ['New', 2],
      ['Changed', 1],
      ['Unchanged', 4],
      ['Rejected', 0],
    ]);
    expect(outcome.accepted).to.equal(3);
    expect(outcome.costly).to.deep.equal(['1\u00a0row without a close date. They pay no commission.']);
    expect(outcome.warnings).to.deep.equal(['Region is stored as a field that no plan uses yet.']);
    expect(outcome.jobId).to.equal('J1');
    respond({ ...deals, totalRows: [4], warnings: [{ code: 'ambiguous_column', column: 'Marge' }] });
    expect((await importKinds.deals.send('', { ...dry, textColumns: ['PLZ', 'Art'] })).warnings).to.deep.equal([
      'Row 4 has the sum of the rows above: a total is no deal. Remove it from the file.',
      'Marge has numbers that can be read in two ways, so they stay texts. Choose how numbers are written.',
    ]);
    expect(sent[0]?.query).to.include({ textColumns: 'PLZ,Art' });
    const example = { text: '2026-03-01T00:00:00Z', day: '2026-02-28' };
    const warnings = ['midnight_utc', 'short_ids'].map((code) => ({ code, column: 'Closed' }));
    respond({
      ...deals,
      warnings,
      columns: [{ column: 'Closed', field: 'close_date', kind: 'date', values: 2, example }],
    });
    expect((await importKinds.deals.send('', dry)).warnings).to.deep.equal([
      'Closed has times at midnight UTC, which is still the day before here: 2026-03-01T00:00:00Z counts as 28 Feb 2026. If they are days, export them without a time.',
      'Closed has the short IDs of Salesforce reports. The same records with long IDs, from a connection or another file, would be other deals. Connect Salesforce first, or export the long IDs.',
    ]);
    respond({ ...deals, stale: 5, rejected: [{ row: 9, reason: 'x' }] });
    expect((await importKinds.deals.send('', dry)).counts.slice(3)).to.deep.equal([
      ['Older than stored', 5],
      ['Rejected', 1],
    ]);
  });

  it('of deals and of absences asks for the effect on commission by itself, as a dry run', async () => {
    respond({ ...deals, effect: { lines: 2 } });
    expect(await importKinds.deals.effect?.('', dry)).to.deep.equal({ lines: 2 });
    expect(sent[0]?.query).to.deep.include({ dryRun: 'true', effect: 'true' });
    respond(deals);
    expect(await importKinds.deals.effect?.('', dry)).to.equal(null);
    respond({ ...rows, effect: { lines: 1 } });
    expect(await importKinds.absences.effect?.('', real)).to.deep.equal({ lines: 1 });
    expect(sent.at(-1)?.query).to.deep.include({ dryRun: 'true', effect: 'true' });
    for (const kind of ['people', 'quotas', 'assignments'] as const)
      expect(importKinds[kind].effect).to.equal(undefined);
  });
});
