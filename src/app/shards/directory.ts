import { sql } from 'kysely';
import { type Database } from '../../platform/database/pool.js';

/** Where a workspace is: a fact that only a move changes. */
export interface Place {
  readonly shard: string;
  /** Between two databases: no process serves the workspace. */
  readonly isMoving: boolean;
}

export interface PlacedWorkspace extends Place {
  readonly workspaceId: string;
}

/** What names a workspace before it is known. Grants of agents have the kind of tokens. */
export type KeyKind = 'token' | 'email' | 'route';

/**
 * Which database has a workspace, and which keys name it, in the first database. What it lacks is found by asking every
 * database and is then noted, so a process that ends between a change and its note makes no workspace unreachable.
 */
export class Directory {
  constructor(private readonly database: Database) {}

  /** The workspaces of a key, the one that was noted first at the beginning. */
  async find(kind: KeyKind, hash: Buffer): Promise<readonly PlacedWorkspace[]> {
    const { rows } = await sql<PlacedWorkspace>`
      select workspace as "workspaceId", shard, is_moving as "isMoving" from directory_find(${kind}, ${hash})`.execute(
      this.database,
    );
    return rows;
  }

  async place(workspaceId: string): Promise<Place | null> {
    const { rows } = await sql<Place>`
      select shard, is_moving as "isMoving" from directory_place(${workspaceId})`.execute(this.database);
    return rows[0] ?? null;
  }

  /** A workspace that is listed elsewhere stays listed there. */
  async note(kind: KeyKind, hash: Buffer | null, workspaceId: string, shard: string): Promise<void> {
    await sql`select directory_note(${kind}, ${hash}, ${workspaceId}, ${shard})`.execute(this.database);
  }

  /** Makes these the keys of the workspace, unless it is listed in another database. */
  async replace(kind: KeyKind, workspaceId: string, shard: string, hashes: readonly Buffer[]): Promise<void> {
    await sql`select directory_replace(${kind}, ${workspaceId}, ${shard}, ${hashes}::bytea[])`.execute(this.database);
  }

  async deleteOld(): Promise<void> {
    await sql`select directory_delete_old()`.execute(this.database);
  }
}
