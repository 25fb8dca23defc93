import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { readCacheVersions, selectCacheVersion } from '../database/cache-versions.js';
import { type ReadReplica } from '../database/read-replica.js';
import { VersionedCache } from '../database/versioned-cache.js';
import { byteLength, jsonChunks } from '../long-response.js';
import { type AnyOperation, type Input } from '../operations/operation.js';
import { type OperationResult } from '../operations/operation-dispatcher.js';

/** Counts bytes of JSON: some tens of overviews of thousands of reps fit, or thousands of dashboards. */
const maxBytes = 64 * 1024 * 1024;

/** No day begins within a quarter of an hour in any time zone: all offsets from UTC are multiples of it. */
const quarterOfAnHour = 900_000;

export interface CachedResponse {
  readonly status: number;
  readonly json: readonly Buffer[];
}

/**
 * Caches responses for as long as their cache scope has the same version. Every request reads the current versions
 * before anything else, so no response is older than its request, neither in the process that made a change nor in
 * any other.
 */
export class ResponseCache {
  private readonly responses = new VersionedCache<readonly Buffer[]>(maxBytes);
  /** Responses in progress, by version and key: concurrent equal requests share one. */
  private readonly inFlight = new Map<string, Promise<CachedResponse>>();

  constructor(
    private readonly clock: Clock,
    /** Responses may be read from the replica, which may lag behind the versions that requests read. */
    private readonly replica?: ReadReplica,
  ) {}

  /** The response as JSON. It depends on nothing but the operation, its input, the caller, the day, and the data. */
  async respond(
    operation: AnyOperation,
    input: Input,
    caller: Caller,
    /** Cache versions of the whole workspace. */
    versions: string,
    execute: () => Promise<OperationResult>,
  ): Promise<CachedResponse> {
    const { workspaceId, accessLevel } = caller;
    const quarter = Math.floor(this.clock.now().getTime() / quarterOfAnHour);
    const key = JSON.stringify([
      workspaceId,
      operation.id,
      accessLevel,
      caller.repId,
      quarter,
      input.params,
      input.query,
    ]);
    const repId = operation.cacheScope?.(input, caller) ?? null;
    const version = selectCacheVersion(versions, repId);
    const cached = this.responses.get(version, key);
    if (cached !== null) return { status: operation.status ?? 200, json: cached };
    const flight = `${version} ${key}`;
    return getOrInsert(this.inFlight, flight, () =>
      this.executeAndStore(key, workspaceId, repId, version, execute).finally(() => this.inFlight.delete(flight)),
    );
  }

  private async executeAndStore(
    key: string,
    workspaceId: string,
    repId: string | null,
    version: string,
    execute: () => Promise<OperationResult>,
  ): Promise<CachedResponse> {
    const storedVersion = await this.readSourceVersion(workspaceId, repId, version);
    const { status, body, isReply } = await execute();
    const json = await jsonChunks(body);
    // A reply whose status the operation has chosen depends on more than the data, such as the progress of a job.
    if (storedVersion !== null && isReply !== true)
      this.responses.set(storedVersion, key, json, byteLength(json) + key.length + storedVersion.length);
    return { status, json };
  }

  /**
   * The version of the database that the response is read from; null while the replica is not usable and the primary
   * is read.
   */
  private async readSourceVersion(
    workspaceId: string,
    repId: string | null,
    requested: string,
  ): Promise<string | null> {
    if (this.replica === undefined) return requested;
    const replica = this.replica.usable();
    if (replica === null) return null;
    try {
      return selectCacheVersion(await readCacheVersions(replica, workspaceId), repId);
    } catch (error) {
      this.replica.failed(error);
      return null;
    }
  }
}
