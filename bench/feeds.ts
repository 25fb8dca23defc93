import { type BenchService, startBenchService } from './bench-service.js';
import { growth, readValue } from './effects.js';
import { alternating, type Contender, count, duration, ratio, type Table } from './measure.js';
import { calculateFirst } from './recalculation.js';
import { makeSalesYear } from './sales-year.js';
import { type Size } from './size.js';

const deals: Readonly<Record<Size, number>> = { quick: 1000, small: 5000, usual: 10_000, large: 20_000 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 5, usual: 9, large: 9 };

/** Copies of a table, one of which has what the feed needs. */
interface Pair {
  readonly original: 'commission_event_history' | 'commission_events';
  readonly columns: string;
}

const copies = { without: 'copy_without_feed', with: 'copy_with_feed' } as const;

/** What writes of events cost more because events are read as a feed: in SQL alone, without the service. */
export async function* feeds(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService();
  const year = await makeSalesYear(service, deals[size], 1);
  await calculateFirst([year]);
  const events = await readValue<number>(service.owner, 'select count(*)::int as value from commission_events');
  const rows: string[][] = [];
  for (const [work, original] of [
    ['insert', 'commission_event_history'],
    ['delete', 'commission_events'],
  ] as const) {
    const pair = await createPair(service, original);
    const measured = await alternating(
      Object.values(copies).map((table) => contender(service, pair, table, events, work)),
      rounds[size],
    );
    const [plain = Number.NaN, fed = Number.NaN] = measured.map(({ median }) => median);
    const what = work === 'insert' ? 'revisions of events' : 'events';
    rows.push([`${work} ${count(events)} ${what}`, duration(plain), duration(fed), ratio(fed / plain)]);
  }
  yield {
    title: 'Writes of events in SQL, with and without the feed',
    columns: ['', 'without', 'with', 'ratio'],
    rows,
    notes: [
      'With the number of the transaction in each revision and its index, and the trigger that keeps what was deleted.',
    ],
  };
}

async function createPair({ owner }: BenchService, original: Pair['original']): Promise<Pair> {
  for (const table of Object.values(copies)) {
    await owner.query(`drop table if exists ${table}`);
    await owner.query(`create table ${table} (like ${original} including all)`);
  }
  if (original === 'commission_event_history')
    await owner.query(`alter table ${copies.without} drop column changed_in`);
  else
    await owner.query(`create trigger keep_removed_rows after delete on ${copies.with} referencing old table as old_rows
      for each statement execute function keep_removed_commission_events()`);
  const columns = await readValue<string>(
    owner,
    `select string_agg(quote_ident(column_name), ', ') as value from information_schema.columns
      where table_schema = 'public' and table_name = $1 and column_name <> 'changed_in'`,
    [original],
  );
  return { original, columns };
}

function contender(
  { owner }: BenchService,
  { original, columns }: Pair,
  table: string,
  events: number,
  work: 'insert' | 'delete',
): Contender {
  const stored = () => readValue<number>(owner, `select count(*)::int as value from ${table}`);
  const statements = {
    insert: `insert into ${table} (${columns}) select ${columns} from ${original}`,
    delete: `delete from ${table}`,
  };
  return {
    name: table,
    effects: [growth('stored rows', stored, work === 'insert' ? events : -events)],
    prepare: async () => {
      await owner.query(`truncate ${table}`);
      await owner.query('delete from removed_rows');
      if (work === 'delete') await owner.query(statements.insert);
      await owner.query(`vacuum analyze ${table}`);
    },
    run: async () => void (await owner.query(statements[work])),
  };
}
