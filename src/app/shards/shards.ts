import { LRUCache } from 'lru-cache';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { mapInParallel, withTimeout } from '../../kernel/waiting.js';
import { isUnavailable } from '../../platform/database/database-errors.js';
import { type Log } from '../../platform/log.js';
import { Directory, type Place, type PlacedWorkspace } from './directory.js';
import { type Key } from './key.js';
import { type Shard } from './shard.js';

/**
 * For how long a process uses what the directory said of a workspace. A move waits for twice as long with the workspace
 * in neither database.
 */
export const placeTtlMs = 1000;
const searchMs = timeLimit(1000);

/** Where the workspaces of a key are. */
export interface Located {
  readonly places: readonly PlacedWorkspace[];
  /** Whether every database that had to be searched has responded. */
  readonly isComplete: boolean;
}

interface KnownPlace extends Place {
  readonly until: number;
}

/** The databases of the process, and where each workspace is. */
export class Shards {
  private readonly directory: Directory;
  /** The workspace of a token never changes. */
  private readonly tokens = new LRUCache<string, string>({ max: 50_000 });
  private readonly known = new LRUCache<string, KnownPlace>({ max: 100_000 });

  constructor(
    /** The first one has the directory. */
    readonly all: readonly [Shard, ...Shard[]],
    private readonly log: Log,
  ) {
    this.directory = new Directory(all[0].service.database);
  }

  /** Serves what belongs to no workspace: the first database that responds. */
  front(): Shard {
    return this.all.find(({ isServing }) => isServing) ?? this.all[0];
  }

  /** The databases that respond. */
  serving(): readonly Shard[] {
    return this.all.filter(({ isServing }) => isServing);
  }

  named(name: string): Shard | null {
    return this.all.find((shard) => shard.name === name) ?? null;
  }

  /** The workspace of a token or grant. */
  async locateToken(key: Key): Promise<Located> {
    const id = key.hash.toString('base64');
    const workspaceId = this.tokens.get(id);
    if (workspaceId !== undefined) {
      const place = await this.place(workspaceId);
      if (place !== null) return { places: [{ ...place, workspaceId }], isComplete: true };
    }
    const located = await this.locate(key);
    const [found] = located.places;
    if (found !== undefined) this.tokens.set(id, found.workspaceId);
    return located;
  }

  /** What the directory lacks is searched in every database, and noted. */
  async locate(key: Key): Promise<Located> {
    const listed = await this.ask((directory) => directory.find(key.kind, key.hash));
    if (listed !== null && listed.length > 0) {
      for (const place of listed) this.cache(place);
      return { places: listed, isComplete: true };
    }
    return this.search(key);
  }

  /** The database of the workspace; null if no directory says so. */
  async place(workspaceId: string): Promise<Place | null> {
    const known = this.known.get(workspaceId);
    if (known !== undefined && known.until > performance.now()) return known;
    const place = await this.ask((directory) => directory.place(workspaceId));
    if (place === null) return known ?? null;
    this.cache({ ...place, workspaceId });
    return place;
  }

  private async search(key: Key): Promise<Located> {
    const results = await mapInParallel(this.all, (shard) => this.searchOne(key, shard));
    const owners = groupBy(
      this.all.flatMap(({ name }, index) =>
        (results[index] ?? []).map((workspaceId) => ({ workspaceId, shard: name })),
      ),
      ({ workspaceId }) => workspaceId,
    );
    const places: PlacedWorkspace[] = [];
    let isComplete = results.every((found) => found !== null);
    for (const [workspaceId, found] of owners) {
      const [{ shard }, ...others] = found as [(typeof found)[number]];
      const listed = await this.ask(async (directory) => {
        await directory.note(key.kind, key.hash, workspaceId, shard);
        return directory.place(workspaceId);
      });
      // During a move two databases have the workspace, and only the directory says which one serves it.
      if (listed === null && others.length > 0) isComplete = false;
      else places.push({ ...(listed ?? { shard, isMoving: false }), workspaceId });
    }
    for (const place of places) this.cache(place);
    return { places, isComplete };
  }

  private async searchOne(key: Key, { name, isServing, service }: Shard): Promise<readonly string[] | null> {
    if (!isServing) return null;
    return withTimeout(searchMs, key.search(service.database), () => null).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      this.log.warn({ err: error, database: name }, 'a database was not searched for a workspace');
      return null;
    });
  }

  /** The answer of the directory; null without one. */
  private async ask<T>(question: (directory: Directory) => Promise<T>): Promise<T | null> {
    if (!this.all[0].isServing) return null;
    return withTimeout(searchMs, question(this.directory), () => null).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      this.log.warn({ err: error }, 'the directory of the workspaces does not respond');
      return null;
    });
  }

  private cache({ workspaceId, shard, isMoving }: PlacedWorkspace): void {
    this.known.set(workspaceId, { shard, isMoving, until: performance.now() + placeTtlMs });
  }
}

/** For the callers whose database does not respond, and for those who may be among them. */
export function databaseUnavailable(): Failure {
  return new Failure('database_unavailable', 'The database cannot be reached. Try again shortly.');
}
