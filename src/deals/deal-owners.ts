import { type RawBuilder, sql } from 'kysely';
import { comparableText } from '../kernel/comparable-text.js';
import { unnestRows } from '../platform/database/columns.js';
import { comparableSql } from '../platform/database/comparable-sql.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Projection } from './deal.js';

type OwnerValues = Pick<Projection, 'givenRepId' | 'ownerId' | 'ownerEmail'>;

interface OwnerRow {
  readonly rep_id: string;
  readonly crm_member_id: string | null;
  readonly email: string | null;
  readonly owner_key: string | null;
}

interface OwnerLookup {
  readonly query: RawBuilder<OwnerRow>;
  readonly add: (rows: readonly OwnerRow[]) => void;
}

/**
 * Finds the owners of deals. Lookups are batched and cached for the transaction, because a file names the same few
 * people. Member ids and addresses are compared as they look, ignoring case, in either owner value.
 */
export class DealOwners {
  private readonly loadedKeys = new Set<string>();
  private readonly reps = new Set<string>();
  private readonly byMember = new Map<string, string>();
  /** By comparable text; null if ids of several reps have the same. */
  private readonly byMemberKey = new Map<string, string | null>();
  private readonly byEmail = new Map<string, string>();
  /** What an admin said about owners that are neither a member id nor an address of a rep. */
  private readonly byMatch = new Map<string, string>();

  constructor(private readonly tx: Transaction) {}

  /** Looks up the owners that the deals name and that are not cached. */
  async preload(deals: readonly { readonly projection: OwnerValues }[]): Promise<void> {
    const lookup = this.lookup(deals);
    if (lookup !== null) lookup.add((await lookup.query.execute(this.tx.db)).rows);
  }

  /** {@link preload} for a caller who executes the query and adds its rows; null if there is nothing to look up. */
  lookup(deals: readonly { readonly projection: OwnerValues }[]): OwnerLookup | null {
    const keys = new Set<string>();
    const add = (value: string | null) => {
      const key = value === null ? null : comparableText(value);
      if (key !== null && !this.loadedKeys.has(key)) keys.add(key);
    };
    for (const { projection } of deals) {
      add(projection.givenRepId);
      add(projection.ownerId);
      add(projection.ownerEmail);
    }
    if (keys.size === 0) return null;
    const query = sql<OwnerRow>`
      with keys as materialized (select key from ${unnestRows([...keys], [['key', 'text', (key) => key]])})
      select rep_id, crm_member_id, email, null as owner_key from reps
      where workspace_id = ${this.tx.workspaceId} and (rep_id::text in (select key from keys)
        or ${comparableSql(sql`crm_member_id`)} in (select key from keys) or email in (select key from keys))
      union all
      select rep_id, crm_id, null, null from crm_members
      where workspace_id = ${this.tx.workspaceId} and ${comparableSql(sql`crm_id`)} in (select key from keys)
      union all
      select rep_id, null, null, owner_key from owner_matches
      where workspace_id = ${this.tx.workspaceId} and ${comparableSql(sql`owner_key`)} in (select key from keys)`;
    return { query, add: (rows) => this.addRows(keys, rows) };
  }

  private addRows(keys: ReadonlySet<string>, rows: readonly OwnerRow[]): void {
    for (const key of keys) this.loadedKeys.add(key);
    for (const row of rows) {
      this.reps.add(row.rep_id);
      if (row.owner_key !== null) this.byMatch.set(comparableText(row.owner_key), row.rep_id);
      if (row.crm_member_id !== null) this.addMember(row.crm_member_id, row.rep_id, row.email !== null);
      if (row.email !== null) this.byEmail.set(row.email, row.rep_id);
    }
  }

  /** A member id stored on a rep takes precedence over the ids from CRMs. */
  private addMember(memberId: string, repId: string, isOwn: boolean): void {
    if (isOwn || !this.byMember.has(memberId)) this.byMember.set(memberId, repId);
    const key = comparableText(memberId);
    const other = this.byMemberKey.get(key);
    this.byMemberKey.set(key, other === undefined || other === repId ? repId : null);
  }

  /**
   * The rep named by repId, otherwise the CRM's member, otherwise the rep with the e-mail address, otherwise the rep
   * whom an admin matched with the owner, otherwise null; undefined if repId is unknown.
   */
  resolve({ givenRepId, ownerId, ownerEmail }: OwnerValues): string | null | undefined {
    if (givenRepId !== null) return this.reps.has(givenRepId) ? givenRepId : undefined;
    const values = [ownerId, ownerEmail].filter((value) => value !== null);
    for (const find of [this.member, this.memberKey, this.byAddress, this.match])
      for (const value of values) {
        const repId = find(value);
        if (repId !== null) return repId;
      }
    return null;
  }

  private readonly member = (value: string) => this.byMember.get(value) ?? null;
  private readonly memberKey = (value: string) => this.byMemberKey.get(comparableText(value)) ?? null;
  private readonly match = (value: string) => this.byMatch.get(comparableText(value)) ?? null;
  private readonly byAddress = (value: string) => this.byEmail.get(comparableText(value)) ?? null;
}
