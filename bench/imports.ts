import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startBenchService } from './bench-service.js';
import { alternating, duration, ratio, type Table } from './measure.js';
import { makeSalesYear } from './sales-year.js';

const rows = 100_000;

/** An import of a file of deals through the API against COPY of the same file into one table with its key. */
export async function imports(): Promise<Table[]> {
  await using service = await startBenchService({ worker: false });
  const file = path.join(tmpdir(), `commissions-bench-${process.pid}.csv`);
  const superuser = new pg.Client({ connectionString: service.superuserUrl });
  try {
    const { repIds, workspace } = await makeSalesYear(service, 10_000);
    await superuser.connect();
    await superuser.query(
      'create table copied (id text primary key, amount numeric, stage text, close_date date, name text, segment text, owner_id text)',
    );
    let csv = '';
    let run = 0;
    const measured = await alternating(
      [
        {
          name: 'COPY into one table',
          prepare: async () => {
            csv = csvOf(repIds, run++);
            await superuser.query('truncate copied');
            await writeFile(file, csv, { mode: 0o644 });
          },
          run: async () => {
            await superuser.query(`copy copied from '${file}' with (format csv, header)`);
          },
        },
        {
          name: 'import, until the response',
          run: async () => {
            const answer = await workspace.call<{ accepted: number }>('POST', '/v1/deals/import', csv);
            if (answer.accepted !== rows)
              throw new Error(`the import returned ${JSON.stringify(answer).slice(0, 300)}`);
          },
        },
      ],
      5,
    );
    const floor = measured[0]?.median ?? Number.NaN;
    return [
      {
        title: 'Import of a CSV file of 100,000 new deals',
        columns: ['', 'median', 'against COPY'],
        rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / floor)]),
        notes: [
          'The import finds the owner of every deal, writes it and its snapshot, and requests the calculation of every rep.',
        ],
      },
    ];
  } finally {
    await superuser.end();
    await rm(file, { force: true });
  }
}

function csvOf(repIds: readonly string[], run: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const day = new Date(Date.UTC(2026, 0, 1 + ((index * 31) % 365))).toISOString().slice(0, 10);
    return `R${run}-${index},${500 + (index % 7000)}.${10 + (index % 90)},Won,${day},Deal ${index},smb,member-${index % repIds.length}`;
  });
  return ['id,amount,stage,close_date,name,segment,owner_id', ...lines].join('\n');
}
