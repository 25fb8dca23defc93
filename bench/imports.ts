import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startBenchService } from './bench-service.js';
import { rowsWritten } from './effects.js';
import { alternating, type Contender, count, duration, ratio, type Table } from './measure.js';
import { makeSalesYear, type SalesYear } from './sales-year.js';
import { type Size } from './size.js';
import { expectRowsOfYear } from './year-effects.js';

const sizes: Readonly<Record<Size, number>> = { quick: 2000, small: 10_000, usual: 100_000, large: 100_000 };

/** An import of a file of deals through the API against COPY of the same file into one table with its key. */
export async function* imports(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService({ worker: false });
  const file = path.join(tmpdir(), `commissions-bench-${process.pid}.csv`);
  const superuser = new pg.Client({ connectionString: service.superuserUrl });
  try {
    const year = await makeSalesYear(service, size === 'quick' ? 1000 : 10_000);
    await superuser.connect();
    const measured = await alternating(
      await copyAndImport(year, superuser, file, sizes[size]),
      size === 'quick' ? 1 : 5,
    );
    const floor = measured[0]?.median ?? Number.NaN;
    yield {
      title: `Import of a CSV file of ${count(sizes[size])} new deals`,
      columns: ['', 'median', 'against COPY'],
      rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / floor)]),
      notes: ['The import finds the owner of every deal, writes it, and requests the calculation of every rep.'],
    };
  } finally {
    await superuser.end();
    await rm(file, { force: true });
  }
}

async function copyAndImport(
  year: SalesYear,
  superuser: pg.Client,
  file: string,
  rows: number,
): Promise<readonly Contender[]> {
  const { repIds, workspace } = year;
  await superuser.query('drop table if exists copied');
  await superuser.query(
    'create table copied (id text primary key, amount numeric, stage text, close_date date, name text, segment text, owner_id text)',
  );
  let csv = '';
  let run = 0;
  return [
    {
      name: 'COPY into one table',
      effects: [rowsWritten(superuser, 'copied', [], rows)],
      prepare: async () => {
        csv = buildCsv(repIds, run++, rows);
        await superuser.query('truncate copied');
        await writeFile(file, csv, { mode: 0o644 });
      },
      run: async () => {
        await superuser.query(`copy copied from '${file}' with (format csv, header)`);
      },
    },
    {
      name: 'import, until the response',
      effects: [expectRowsOfYear(year, 'deals', rows), expectRowsOfYear(year, 'calculation_requests', repIds.length)],
      run: async () => {
        const { accepted } = await workspace.call<{ accepted: number }>('POST', '/v1/deals/import', csv);
        if (accepted !== rows) throw new Error(`the import accepted ${accepted} of ${rows} rows`);
      },
    },
  ];
}

function buildCsv(repIds: readonly string[], run: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const day = new Date(Date.UTC(2026, 0, 1 + ((index * 31) % 365))).toISOString().slice(0, 10);
    return `R${run}-${index},${500 + (index % 7000)}.${10 + (index % 90)},Won,${day},Deal ${index},smb,member-${index % repIds.length}`;
  });
  return ['id,amount,stage,close_date,name,segment,owner_id', ...lines].join('\n');
}
