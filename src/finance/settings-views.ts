import { sql } from 'kysely';
import { type AccountingTerms } from '../access/workspaces/workspace-tables.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Account, type AccountRole } from './accounts.js';
import { type Entity } from './keep-books.js';

/** The entity of everyone who belongs to no other one. */
export const mainEntity = 'main';

/** An entity with the accounts of its books. */
export interface StoredEntity extends Entity {
  readonly name: string;
  readonly accounts: Readonly<Partial<Record<AccountRole, Account>>>;
}

function accountingOff(): Failure {
  return new Failure(
    'accounting_off',
    'Accounting is off in this workspace. An admin turns it on with PATCH /v1/workspaces {"accounting": {"enabled": true, "from": "2026-01"}}.',
  );
}

export async function findAccounting(tx: Transaction): Promise<AccountingTerms | null> {
  const { accounting } = await tx.db
    .selectFrom('workspaces')
    .select('accounting')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return accounting;
}

/** The terms of accounting. Throws while it is off. */
export async function requireAccounting(tx: Transaction): Promise<AccountingTerms> {
  const terms = await findAccounting(tx);
  if (terms === null) throw accountingOff();
  return terms;
}

/** By code, as they were at `asOf`. */
export async function listEntities(tx: Transaction): Promise<StoredEntity[]> {
  const { rows } = await sql<StoredEntity>`
    select distinct on (code) code, name, currency, framework, payroll_tax as "payrollTax", accounts
    from accounting_entities
    where workspace_id = ${tx.workspaceId}
      and (version = 1 or stored_at <= ${tx.until}::timestamptz)
    order by code, version desc`.execute(tx.db);
  return rows;
}

export async function findEntity(tx: Transaction, code: string): Promise<StoredEntity | null> {
  return (await listEntities(tx)).find((entity) => entity.code === code) ?? null;
}

/** Finds the entities of rows of a file. Rejects codes that are none. */
export async function loadEntitiesOfRows(tx: Transaction): Promise<(code: string) => StoredEntity> {
  const known = new Map((await listEntities(tx)).map((entity) => [entity.code, entity]));
  return (code) => {
    const found = known.get(code);
    if (found === undefined) throw new Failure('entity_not_found', `There is no entity ${code}.`);
    return found;
  };
}

export async function requireEntity(tx: Transaction, code: string): Promise<StoredEntity> {
  const found = await findEntity(tx, code);
  if (found === null) throw new Failure('entity_not_found', 'There is no entity with this code in this workspace.');
  return found;
}
