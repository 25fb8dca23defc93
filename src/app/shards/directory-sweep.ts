import { sql } from 'kysely';
import { groupBy } from '../../kernel/group-by.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { Directory } from './directory.js';
import { emailKey, routeHash } from './key.js';
import { type Shard } from './shard.js';

interface Listed {
  readonly workspace: string;
  /** Null in a workspace without changes. */
  readonly version: string | null;
}

const runsBetweenRepetitions = 300;

/**
 * Brings the directory up to date with the addresses of people and the CRM accounts of one database. Each of them may
 * belong to several workspaces, and the directory must have all. Tokens are not listed: the directory stores one when it
 * is first used. Every ten minutes, and at the start of a process, everything is stored again, since the directory may
 * have been restored from a backup.
 */
export class DirectorySweep {
  private readonly directory: Directory;
  private readonly versions = new Map<string, string | null>();
  private readonly routes = new Map<string, string>();
  private runs = 0;

  constructor(
    private readonly shard: Pick<Shard, 'name' | 'service'>,
    main: Shard,
  ) {
    this.directory = new Directory(main.service.database);
  }

  async run(stopping: AbortSignal): Promise<void> {
    if (this.runs % runsBetweenRepetitions === 0) for (const known of [this.versions, this.routes]) known.clear();
    this.runs += 1;
    await this.noteRoutes(stopping);
    await this.noteAddresses(stopping);
  }

  private async noteAddresses(stopping: AbortSignal): Promise<void> {
    const { service, name } = this.shard;
    const { rows } = await sql<Listed>`select workspace, version from listed_workspaces()`.execute(service.database);
    for (const { workspace, version } of rows) {
      if (stopping.aborted) return;
      if (this.versions.has(workspace) && this.versions.get(workspace) === version) continue;
      const people = await service.unitOfWork.read({ workspaceId: workspace }, (tx) =>
        tx.db
          .selectFrom('reps')
          .select('email')
          .where('workspace_id', '=', workspace)
          .where('active', '=', true)
          .execute(),
      );
      const hashes = people.map(({ email }) => emailKey(service.parts.resolve(Secrets), email).hash);
      await this.directory.replace('email', workspace, name, hashes);
      this.versions.set(workspace, version);
    }
  }

  private async noteRoutes(stopping: AbortSignal): Promise<void> {
    const { rows } = await sql<{ workspace: string; source: string; route: string }>`
      select workspace, source, route from listed_routes()`.execute(this.shard.service.database);
    const present = groupBy(rows, ({ workspace }) => workspace);
    for (const workspace of new Set([...present.keys(), ...this.routes.keys()])) {
      if (stopping.aborted) return;
      const hashes = (present.get(workspace) ?? []).map(({ source, route }) => routeHash(source, route));
      const state = hashes
        .map((hash) => hash.toString('base64'))
        .sort()
        .join();
      if (this.routes.get(workspace) === state) continue;
      await this.directory.replace('route', workspace, this.shard.name, hashes);
      this.routes.set(workspace, state);
    }
  }
}
