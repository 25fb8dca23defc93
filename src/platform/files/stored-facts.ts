import { type RawBuilder, sql } from 'kysely';
import { chunk } from '../../kernel/chunk.js';
import { type Cell } from '../database/binary-array.js';
import { anyOf, unnestRows } from '../database/columns.js';
import { latestRows } from '../database/latest-rows.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type AffectedDays, type FactChange, type Facts, type FactWriter, factOf, pick } from './facts.js';

type NameOf<Fact> = keyof Fact & string;

/** The name and the type of a column. */
type Column = readonly [name: string, type: 'text' | 'uuid' | 'date'];

/** Facts in a table that has a row for each change: the key, the terms as JSON in `content`, and when it was stored. */
interface StoredFacts<Fact extends object> {
  readonly table: string;
  /** Columns that have one value for all facts of the kind. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly key: Readonly<Partial<Record<NameOf<Fact>, Column>>>;
  readonly terms: readonly NameOf<Fact>[];
  /** Rejects changes that are not possible as things are. */
  assertStorable?(tx: Transaction, changes: readonly FactChange<Fact>[], by: FactWriter): Promise<void>;
  /** Absent for facts that decide no commission. */
  affected?(tx: Transaction, changes: readonly FactChange<Fact>[]): Promise<readonly AffectedDays[]>;
}

/** Values of some of the fields: a fact is selected if it has one of them in each. */
type Selection<Fact> = Readonly<Partial<Record<NameOf<Fact>, readonly string[]>>>;

interface StoredFact {
  readonly updatedAt: string;
}

/** A kind of facts with the reads and the writes of its table. */
interface FactsOfTable<Fact extends object> extends Facts<Fact> {
  /** The selected facts by key; in a transaction with `asOf`, as they were then. */
  list(tx: Transaction, selection: Selection<Fact>): Promise<(Fact & StoredFact)[]>;
}

const rowsPerStatement = 10_000;

/** Declares a kind of facts that needs no store of its own. */
export function storedFacts<Fact extends object>(declared: StoredFacts<Fact>): FactsOfTable<Fact> {
  const { table, terms, fixed = {}, assertStorable, affected } = declared;
  const columns = Object.entries<Column>(declared.key as Readonly<Record<string, Column>>) as [NameOf<Fact>, Column][];
  const [identifying] = columns[0] as (typeof columns)[number];
  const keyNames = columns.map(([, [name]]) => name);

  async function list(tx: Transaction, selection: Selection<Fact>): Promise<(Fact & StoredFact)[]> {
    const ofKey = columns.flatMap(([field, [name, type]]) => {
      const values = selection[field];
      return values === undefined ? [] : sql`${sql.ref(name)} = ${anyOf(type, values)}`;
    });
    const ofTerms = Object.entries<readonly string[] | undefined>(selection).flatMap(([field, values = []]) =>
      field in declared.key ? [] : sql`content ->> ${sql.lit(field)} = ${anyOf('text', values)}`,
    );
    const ofKind = Object.entries(fixed).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
    const isOfTerms = sql.join([sql`workspace_id = ${tx.workspaceId}`, ...ofKind, ...ofTerms], sql` and `);
    // Only keys that have had the terms are read, so that an index on them limits what is sorted.
    const candidates = sql`(${names(keyNames)}) in (select ${names(keyNames)} from ${sql.table(table)} where ${isOfTerms})`;
    const conditions = [...ofKind, ...ofKey, ...(ofTerms.length === 0 ? [] : [candidates])];
    const keys = columns.map(([field, [name]]) => sql`${sql.ref(name)} as ${sql.ref(field)}`);
    const { rows } = await sql<{ content: object; changedAt: Date }>`
      select ${sql.join(keys)}, content, changed_at as "changedAt"
      from ${latestRows(tx, table, keyNames, conditions)}
      where ${sql.join([sql`content is not null`, ...ofTerms], sql` and `)}
      order by ${names(keyNames)}`.execute(tx.db);
    return rows.map(({ content, changedAt, ...key }) => ({
      ...(key as Fact),
      ...content,
      updatedAt: changedAt.toISOString(),
    }));
  }

  async function append(tx: Transaction, changes: readonly FactChange<Fact>[]): Promise<void> {
    const toContent = ({ after }: FactChange<Fact>) => (after === null ? null : JSON.stringify(pick(after, terms)));
    const stated = names([...Object.keys(fixed), ...keyNames, 'content']);
    for (const part of chunk(changes, rowsPerStatement))
      await sql`
        insert into ${sql.table(table)} (workspace_id, ${stated}) select ${tx.workspaceId}::uuid, ${stated}
        from ${unnestRows(part, [
          ...Object.entries(fixed).map(([name, value]) => [name, 'text', () => value] as const),
          ...columns.map(
            ([field, [name, type]]) =>
              [name, type, (change: FactChange<Fact>) => factOf(change)[field] as Cell] as const,
          ),
          ['content', 'jsonb', toContent],
        ])}`.execute(tx.db);
  }

  return {
    key: columns.map(([field]) => field),
    terms,
    list,
    load: (tx, facts) =>
      list(tx, { [identifying]: [...new Set(facts.map((fact) => fact[identifying]))] } as unknown as Selection<Fact>),
    async store(tx, changes, by) {
      await assertStorable?.(tx, changes, by);
      await append(tx, changes);
      return (await affected?.(tx, changes)) ?? [];
    },
  };
}

function names(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(name)));
}
