import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Config } from '../../platform/config.js';
import { type Database, withDatabase } from '../../platform/database/pool.js';
import { mainShard } from '../../platform/database/shard-settings.js';
import {
  cancelMove,
  copyWorkspace,
  finishMove,
  hasWorkspace,
  type MovedRows,
  MoveRefused,
  rejectsWrites,
} from '../workspace-move.js';
import { settingsOfShard, shardNames } from './shard-config.js';
import { placeTtlMs } from './shards.js';

/** Connections of the owners of all databases, by name. */
export type ShardOwners = ReadonlyMap<string, Database>;

export async function withShardOwners<T>(config: Config, work: (owners: ShardOwners) => Promise<T>): Promise<T> {
  const owners = new Map<string, Database>();
  const open = ([name, ...others]: readonly string[]): Promise<T> => {
    if (name === undefined) return work(owners);
    const { DATABASE_OWNER_URL, DATABASE_URL } = settingsOfShard(config, name) as Config;
    const url = DATABASE_OWNER_URL ?? (DATABASE_URL as string);
    return withDatabase({ url, asOwner: true }, (owner) => {
      owners.set(name, owner);
      return open(others);
    });
  };
  if (config.DATABASE_SHARDS.length === 0) throw new MoveRefused('DATABASE_SHARDS names no other database');
  return open(shardNames(config));
}

/**
 * The move of a workspace to another database of the service. Its requests are directed there after every row was compared.
 * In between, for longer than a process may have its place in memory, the workspace is in neither: no process reads the
 * state of before while another one changes it. A move that was interrupted continues when it is run again.
 */
export class ShardMove {
  constructor(
    private readonly owners: ShardOwners,
    private readonly workspaceId: string,
    private readonly to: string,
  ) {
    if (!owners.has(to))
      throw new MoveRefused(`there is no database ${to}; there are ${[...owners.keys()].join(', ')}`);
  }

  async run(): Promise<MovedRows> {
    const { workspaceId, to } = this;
    const from = await this.origin();
    const isCopied = await hasWorkspace(this.owner(to), workspaceId);
    if (isCopied && !(await rejectsWrites(this.owner(from), workspaceId)))
      throw new MoveRefused(`the databases ${from} and ${to} both have the workspace`);
    await sql`
      insert into directory_workspaces (workspace, shard) values (${workspaceId}, ${from}) on conflict do nothing`.execute(
      this.owner(mainShard),
    );
    const rows = isCopied ? {} : await copyWorkspace({ from: this.owner(from), to: this.owner(to) }, workspaceId);
    await this.list(from, true);
    await sleep(2 * placeTtlMs);
    await this.list(to, false);
    return rows;
  }

  async finish(): Promise<MovedRows> {
    if ((await this.listed()) !== this.to)
      throw new MoveRefused(`the workspace is not used in the database ${this.to}`);
    return finishMove({ from: this.owner(await this.origin()), to: this.owner(this.to) }, this.workspaceId);
  }

  /** A copy that is complete is used when the move is run again; until then, nothing of it was used. */
  async cancel(): Promise<null> {
    await cancelMove({ from: this.owner(await this.origin()), to: this.owner(this.to) }, this.workspaceId);
    return null;
  }

  /** The database that the workspace leaves. */
  private async origin(): Promise<string> {
    const names: string[] = [];
    for (const [name, owner] of this.owners)
      if (name !== this.to && (await hasWorkspace(owner, this.workspaceId))) names.push(name);
    const [name, ...others] = names;
    if (others.length > 0) throw new MoveRefused(`several databases have the workspace: ${names.join(', ')}`);
    if (name !== undefined) return name;
    throw new MoveRefused(
      (await hasWorkspace(this.owner(this.to), this.workspaceId))
        ? `the workspace is only in the database ${this.to}`
        : `there is no workspace ${this.workspaceId}`,
    );
  }

  private owner(name: string): Database {
    return this.owners.get(name) as Database;
  }

  private async listed(): Promise<string | null> {
    const { rows } = await sql<{ shard: string }>`
      select shard from directory_workspaces where workspace = ${this.workspaceId} and not is_moving`.execute(
      this.owner(mainShard),
    );
    return rows[0]?.shard ?? null;
  }

  private async list(shard: string, isMoving: boolean): Promise<void> {
    await sql`
      update directory_workspaces set shard = ${shard}, is_moving = ${isMoving}
      where workspace = ${this.workspaceId}`.execute(this.owner(mainShard));
  }
}
