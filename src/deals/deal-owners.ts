import { sql } from 'kysely';
import { rowsFrom } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Projection } from './deal.js';

type OwnerValues = Pick<Projection, 'givenRepId' | 'ownerId' | 'ownerEmail'>;

/** Whose deals are, looked up many at once and remembered for the transaction: a file names the same few people. */
export class DealOwners {
  private readonly asked = new Set<string>();
  private readonly reps = new Set<string>();
  private readonly byMember = new Map<string, string>();
  private readonly byEmail = new Map<string, string>();

  constructor(
    private readonly trx: Work,
    private readonly workspaceId: string,
  ) {}

  /** Looks up everyone that the deals name and that has not been asked for yet. */
  async learn(deals: readonly { readonly projection: OwnerValues }[]): Promise<void> {
    const keys = new Set<string>();
    const ask = (key: string | null) => {
      if (key !== null && !this.asked.has(key)) keys.add(key);
    };
    for (const { projection } of deals) {
      ask(projection.givenRepId);
      ask(projection.ownerId);
      ask(projection.ownerEmail);
    }
    if (keys.size === 0) return;
    const { rows } = await sql<{ rep_id: string; crm_member_id: string | null; email: string | null }>`
      with keys as materialized (select key from ${rowsFrom([...keys], [['key', 'text', (key) => key]])})
      select rep_id, crm_member_id, email from reps
      where workspace_id = ${this.workspaceId} and (rep_id::text in (select key from keys)
        or crm_member_id in (select key from keys) or email in (select key from keys))
      union all
      select rep_id, crm_id, null from crm_members
      where workspace_id = ${this.workspaceId} and crm_id in (select key from keys)`.execute(this.trx);
    for (const key of keys) this.asked.add(key);
    for (const row of rows) {
      this.reps.add(row.rep_id);
      // A rep's own member id goes before what the CRMs say.
      if (row.crm_member_id !== null && (row.email !== null || !this.byMember.has(row.crm_member_id)))
        this.byMember.set(row.crm_member_id, row.rep_id);
      if (row.email !== null) this.byEmail.set(row.email, row.rep_id);
    }
  }

  /**
   * The given rep, else the CRM's member, else the one with the e-mail, else nobody yet; undefined for a rep that
   * was given and does not exist.
   */
  of({ givenRepId, ownerId, ownerEmail }: OwnerValues): string | null | undefined {
    if (givenRepId !== null) return this.reps.has(givenRepId) ? givenRepId : undefined;
    return this.byMember.get(ownerId ?? '') ?? this.byEmail.get(ownerEmail ?? '') ?? null;
  }
}
