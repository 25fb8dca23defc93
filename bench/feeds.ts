import { type BenchService, startBenchService } from './bench-service.js';
import { growth, readValue, rowsWritten } from './effects.js';
import { alternating, type Contender, count, duration, ratio, type Table } from './measure.js';
import { calculateFirst } from './recalculation.js';
import { makeSalesYear } from './sales-year.js';
import { type Size } from './size.js';

const deals: Readonly<Record<Size, number>> = { quick: 1000, small: 5000, usual: 10_000, large: 20_000 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 5, usual: 9, large: 9 };

/** Tables like that of the events: one as it is, and one without the number of the transaction, its index and trigger. */
const tables = { without: 'events_without_feed', with: 'events_with_feed' } as const;

/** What writes of events cost more because events are read as a feed: in SQL alone, without the service. */
export async function* feeds(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService();
  const year = await makeSalesYear(service, deals[size], 1);
  await calculateFirst([year]);
  const events = await readValue<number>(service.owner, 'select count(*)::int as value from commission_events');
  await createTables(service);
  const columns = await readValue<string>(
    service.owner,
    `select string_agg(quote_ident(column_name), ', ') as value from information_schema.columns
      where table_schema = 'public' and table_name = 'commission_events' and column_name <> 'changed_in'`,
  );
  const rows: string[][] = [];
  for (const work of ['insert', 'update', 'delete'] as const) {
    const measured = await alternating(
      Object.values(tables).map((table) => contender(service, { table, columns, events }, work)),
      rounds[size],
    );
    const [plain = Number.NaN, fed = Number.NaN] = measured.map(({ median }) => median);
    rows.push([`${work} ${count(events)} events`, duration(plain), duration(fed), ratio(fed / plain)]);
  }
  yield {
    title: 'Writes of events in SQL, with and without the feed',
    columns: ['', 'without', 'with', 'ratio'],
    rows,
    notes: [
      'With the number of the transaction in each row, its index, and the triggers that keep both and what was deleted.',
    ],
  };
}

async function createTables({ owner }: BenchService): Promise<void> {
  for (const table of Object.values(tables))
    await owner.query(`create table ${table} (like commission_events including all) with (fillfactor = 50)`);
  await owner.query(`alter table ${tables.without} drop column changed_in`);
  await owner.query(`create trigger stamp_changed_row before update on ${tables.with}
    for each row when (new.changed_in = old.changed_in) execute function stamp_changed_row()`);
  await owner.query(`create trigger keep_removed_rows after delete on ${tables.with} referencing old table as old_rows
    for each statement execute function keep_removed_commission_events()`);
}

function contender(
  { owner }: BenchService,
  { table, columns, events }: { readonly table: string; readonly columns: string; readonly events: number },
  work: 'insert' | 'update' | 'delete',
): Contender {
  const stored = () => readValue<number>(owner, `select count(*)::int as value from ${table}`);
  const fill = `insert into ${table} (${columns}) select ${columns} from commission_events`;
  const statements = {
    insert: fill,
    update: `update ${table} set amount = amount + 1${table === tables.with ? ', changed_in = pg_current_xact_id()' : ''}`,
    delete: `delete from ${table}`,
  };
  return {
    name: table,
    effects:
      work === 'delete'
        ? [growth('stored events', stored, -events)]
        : [rowsWritten(owner, table, [], events), growth('stored events', stored, work === 'insert' ? events : 0)],
    prepare: async () => {
      await owner.query(`truncate ${table}`);
      await owner.query('delete from removed_rows');
      if (work !== 'insert') await owner.query(fill);
      await owner.query(`vacuum analyze ${table}`);
    },
    run: async () => void (await owner.query(statements[work])),
  };
}
