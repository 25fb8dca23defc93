import { sql } from 'kysely';
import { z } from 'zod';
import { Failure } from '../kernel/failure.js';
import { isUuid } from '../kernel/ids.js';
import { readActorNames } from '../people/reps/actor-names.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** What each operation imports, by its id. */
export const kinds = {
  importDeals: 'deals',
  importReps: 'people',
  importOpeningLots: 'opening_lots',
  importRepEntities: 'rep_entities',
  importQuotas: 'quotas',
  importAssignments: 'assignments',
  importAbsences: 'absences',
  importContracts: 'contracts',
  importDealCredits: 'credits',
  importDealLines: 'lines',
  importDraws: 'draws',
  importEstimates: 'estimates',
  importFxRates: 'fx_rates',
  importHolidays: 'holidays',
  importInvoices: 'invoices',
  importRateTableRows: 'rate_table_rows',
  importRefunds: 'refunds',
  importWriteOffs: 'write_offs',
} as const;
export type ImportKind = (typeof kinds)[keyof typeof kinds];
const importKinds = Object.values(kinds) as [(typeof kinds)['importDeals'], ...ImportKind[]];

export const importRecord = z
  .object({
    importId: z.string().describe('Id of the import (UUID), which is the id of its entry in the audit log'),
    kind: z.enum(importKinds).describe('What was imported'),
    at: z.string().describe('When it was imported, instant in ISO 8601'),
    actor: z.string().describe('Who imported it'),
    actorName: z.string().nullable().describe('Name of the person, or that it was a key; null if unknown'),
    fileName: z.string().nullable().describe('Name of the file as the request stated it; null if it did not'),
    counts: z
      .record(z.string(), z.int())
      .nullable()
      .describe(
        'Number of deals, people or rows of the file that were created, changed, unchanged and rejected; null if the import is older than its count',
      ),
    totals: z
      .array(
        z
          .object({
            currency: z.string().describe('ISO 4217 code'),
            amount: z.number().describe('Sum of the amounts in this currency'),
          })
          .describe('The control total of one currency'),
      )
      .nullable()
      .describe('Control totals of the file; null for imports of other things than deals'),
    rows: z
      .int()
      .describe(
        'Number of deals, people or rows of the file that were created or changed; without counts, of stored rows',
      ),
    takenBackAt: z.string().nullable().describe('When it was taken back, instant in ISO 8601; null for never'),
  })
  .describe('One import of a file');
export type ImportRecord = z.input<typeof importRecord>;

interface Row {
  readonly importId: string;
  readonly at: Date;
  readonly operation: keyof typeof kinds;
  readonly actor: string;
  readonly fileName: string | null;
  readonly counts: Record<string, number> | null;
  readonly totals: { readonly currency: string; readonly amount: string }[] | null;
  readonly changes: number;
  readonly takenBackAt: Date | null;
}

/** The condition of the index on entries of imports. */
const isImport = sql`e.content like '%"operation":"import%'`;

/** The imports, newest first, also those whose entries are not sealed yet. */
export async function listImportsOfWorkspace(
  tx: Transaction,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ imports: ImportRecord[]; count: number }> {
  const { rows: counted } = await sql<{ count: number }>`
    select count(*)::int as count from audit_entries e
    where e.workspace_id = ${tx.workspaceId} and ${isImport}`.execute(tx.db);
  const imports = await readImports(
    tx,
    sql`${isImport} order by e.at desc, e.entry_id limit ${limit} offset ${offset}`,
  );
  return { imports, count: counted[0]?.count ?? 0 };
}

export async function findImport(tx: Transaction, importId: string): Promise<ImportRecord> {
  const [found] = isUuid(importId) ? await readImports(tx, sql`${isImport} and e.entry_id = ${importId}`) : [];
  if (found === undefined) throw new Failure('import_not_found', 'There is no such import in this workspace.');
  return found;
}

/** The entries that take back the import `e`. */
const takeBacks = sql`audit_entries b
  where b.workspace_id = e.workspace_id and b.content like '%"operation":"takeBackImport"%'
    and b.content::jsonb -> 'params' ->> 'importId' = e.entry_id::text`;

/** Whether one of the imports of the file by the actor was taken back. */
export async function hasTakenBack(tx: Transaction, actor: string, fileName: string): Promise<boolean> {
  const { rows } = await sql`
    select from audit_entries e
    where e.workspace_id = ${tx.workspaceId} and ${isImport} and e.content::jsonb ->> 'actor' = ${actor}
      and e.content::jsonb -> 'query' ->> 'fileName' = ${fileName}
      and exists (select from ${takeBacks})
    limit 1`.execute(tx.db);
  return rows.length > 0;
}

async function readImports(tx: Transaction, where: ReturnType<typeof sql>): Promise<ImportRecord[]> {
  const { rows } = await sql<Row>`
    select e.entry_id as "importId", e.at, c.content ->> 'operation' as operation, c.content ->> 'actor' as actor,
      c.content -> 'query' ->> 'fileName' as "fileName", c.content -> 'counts' as counts, c.content -> 'totals' as totals,
      jsonb_array_length(c.content -> 'changes') + (c.content ->> 'moreChanges')::int as changes,
      (select max(b.at) from ${takeBacks}) as "takenBackAt"
    from (select * from audit_entries e where e.workspace_id = ${tx.workspaceId} and ${where}) e
    cross join lateral (select e.content::jsonb as content offset 0) c
    order by e.at desc, e.entry_id`.execute(tx.db);
  const names = await readActorNames(
    tx,
    rows.map(({ actor }) => actor),
  );
  return rows.map(({ at, operation, counts, totals, changes, takenBackAt, ...row }) => ({
    ...row,
    kind: kinds[operation],
    at: at.toISOString(),
    actorName: names.get(row.actor) ?? null,
    counts,
    totals: totals?.map(({ currency, amount }) => ({ currency, amount: Number(amount) })) ?? null,
    rows: counts === null ? changes : (counts['created'] ?? 0) + (counts['changed'] ?? 0),
    takenBackAt: takenBackAt?.toISOString() ?? null,
  }));
}
