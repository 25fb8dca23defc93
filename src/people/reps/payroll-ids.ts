import { sql } from 'kysely';
import { type Caller, maySee, peopleBehind } from '../../kernel/caller.js';
import { Failure, type Issue } from '../../kernel/failure.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type StoredRep } from './rep-store.js';

/** The stored and the new state of a person; `known` is undefined for a new one. */
export interface PayrollIdChange {
  readonly known: Pick<StoredRep, 'payrollId'> | undefined;
  readonly next: Pick<StoredRep, 'repId' | 'name' | 'payrollId'>;
}

/** No person decides where their own pay goes. */
export class OwnPayrollId extends Failure {
  constructor(
    /** The place of the person in the request. */
    readonly index: number,
  ) {
    super(
      'forbidden',
      'You cannot change your own payroll id, also not with a key that you created or by approving the request of an agent. Another admin must do it.',
    );
  }
}

/** Rejects changes by which a person behind the request would get another payroll id. */
export function assertNotOwnPayrollId(caller: Caller, changes: readonly PayrollIdChange[]): void {
  const people = peopleBehind(caller);
  const own = changes.findIndex((change) => isChange(change) && people.includes(change.next.repId));
  if (own >= 0) throw new OwnPayrollId(own);
}

function isChange({ known, next }: PayrollIdChange): boolean {
  return next.payrollId !== (known?.payrollId ?? null);
}

interface Holder {
  readonly id: string;
  /** What distinguishes ids; different spellings have the same key. */
  readonly key: string;
  /** Who has the id now; null for no one. */
  readonly repId: string | null;
  readonly name: string | null;
}

/**
 * Issues for changes to the id of another person, as of the end of the request, so that people may swap their ids. The
 * holder is named to a caller who may see them. The caller of this function holds the lock of `lockPeople`.
 */
export async function takenPayrollIds(
  tx: Transaction,
  caller: Caller,
  changes: readonly PayrollIdChange[],
  toPath: (index: number) => string,
): Promise<Issue[]> {
  const requested = changes.flatMap(({ next }) => next.payrollId ?? []);
  if (!changes.some((change) => isChange(change) && change.next.payrollId !== null)) return [];
  const { rows } = await sql<Holder>`
    select g.id, payroll_key(g.id) as key, r.rep_id as "repId", r.name
    from (select distinct unnest(${requested}::text[]) as id) g
    left join reps r on r.workspace_id = ${tx.workspaceId} and r.payroll_key = payroll_key(g.id)`.execute(tx.db);
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  const findKey = ({ next }: PayrollIdChange) => keys.get(next.payrollId ?? '') ?? null;
  const changing = new Set(changes.filter(isChange).map(({ next }) => next.repId));
  const holders = new Map(
    rows.flatMap(({ key, repId, name }) =>
      repId === null || changing.has(repId) ? [] : [[key, { repId, name: name ?? '' }] as const],
    ),
  );
  return changes.flatMap((change, index): Issue[] => {
    const key = findKey(change);
    if (key === null || !isChange(change)) return [];
    const { repId, name } = change.next;
    const holder = getOrInsert(holders, key, () => ({ repId, name }));
    if (holder.repId === repId) return [];
    return [
      { path: toPath(index), message: `belongs to ${maySee(caller, holder.repId) ? holder.name : 'another person'}` },
    ];
  });
}
