import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { cacheVersionOf, readCacheVersions } from '../database/cache-versions.js';
import { type Database } from '../database/pool.js';
import { VersionedCache } from '../database/versioned-cache.js';
import { type AnyOperation, type Input } from '../operation.js';

/** In bytes of JSON: some tens of overviews of thousands of reps, or thousands of dashboards. */
const mostRemembered = 64 * 1024 * 1024;

/** No day begins in between, whatever the time zone: their distances from UTC are whole quarters of an hour. */
const quarterOfAnHour = 900_000;

/**
 * Answers that are given again for as long as what they rest on has the same revision. That is asked for with every
 * request, before anything is read, so that no answer is older than its request: neither in the process that made a
 * change nor in any other.
 */
export class ResponseCache {
  private readonly answers = new VersionedCache<Buffer>(mostRemembered);
  /** Those under way, by revision and key: who asks for the same meanwhile waits for it. */
  private readonly beingMade = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly clock: Clock,
    /** Answers may be read from it, and it may not have heard yet of the revisions that requests are told. */
    private readonly replica?: Database,
  ) {}

  /** The answer as JSON. It depends on nothing but the operation, its input, who asks, the day, and the data. */
  async respond(
    operation: AnyOperation,
    input: Input,
    caller: Caller,
    /** Of all parts of the workspace. */
    revisions: string,
    make: () => Promise<unknown>,
  ): Promise<Buffer> {
    const { workspaceId, accessLevel: standing } = caller;
    const quarter = Math.floor(this.clock.now().getTime() / quarterOfAnHour);
    const key = JSON.stringify([workspaceId, operation.id, standing, caller.repId, quarter, input.params, input.query]);
    const repId = operation.cacheScope?.(input, caller) ?? null;
    const revision = cacheVersionOf(revisions, repId);
    const known = this.answers.get(revision, key);
    if (known !== null) return known;
    const making = `${revision} ${key}`;
    return getOrInsert(this.beingMade, making, () =>
      this.make(key, workspaceId, repId, revision, make).finally(() => this.beingMade.delete(making)),
    );
  }

  private async make(
    key: string,
    workspaceId: string,
    repId: string | null,
    revision: string,
    make: () => Promise<unknown>,
  ): Promise<Buffer> {
    const readUnder = await this.revisionRead(workspaceId, repId, revision);
    const json = Buffer.from(JSON.stringify(await make()));
    if (readUnder !== null) this.answers.set(readUnder, key, json, json.length + key.length + readUnder.length);
    return json;
  }

  /** Of what the answer is read from; null while a replica is away, and it is read from the primary. */
  private async revisionRead(workspaceId: string, repId: string | null, told: string): Promise<string | null> {
    if (this.replica === undefined) return told;
    try {
      return cacheVersionOf(await readCacheVersions(this.replica, workspaceId), repId);
    } catch {
      return null;
    }
  }
}
