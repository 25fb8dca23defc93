import { sendCode } from '../../access/auth/commands/send-code.js';
import { verifyCode } from '../../access/auth/commands/verify-code.js';
import { type Caller } from '../../kernel/caller.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type AnyOperation, type Destination, type RawBody } from '../../platform/operations/operation.js';
import {
  type CallRouting,
  type OperationResult,
  type RawInput,
} from '../../platform/operations/operation-dispatcher.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { hashToken } from '../../platform/secrets/token.js';
import { type PlacedWorkspace } from './directory.js';
import { emailKey, routeKey, tokenKey } from './key.js';
import { type Shard } from './shard.js';
import { databaseUnavailable, type Located, type Shards } from './shards.js';

/**
 * Runs the calls that name no token in the databases that they concern: sign-ins by e-mail address, deliveries by account.
 * Others run in the database that received them.
 */
export class ShardCallRouting implements CallRouting {
  constructor(
    private readonly own: Shard,
    private readonly shards: Shards,
  ) {}

  async run(
    operation: AnyOperation,
    raw: RawInput,
    caller: Caller,
    here: () => Promise<OperationResult>,
  ): Promise<OperationResult> {
    if (operation.raw !== undefined) return this.deliver(operation, raw, caller, here);
    const result = await (isSignIn(operation) ? this.signIn(operation, raw, caller, here) : here());
    if (operation.secret === true) await this.noteTokens(result.body);
    return result;
  }

  /** A code is in one database, also if the address is in several: in that of the workspace that was noted first. */
  private async signIn(
    operation: AnyOperation,
    raw: RawInput,
    caller: Caller,
    here: () => Promise<OperationResult>,
  ): Promise<OperationResult> {
    const email = (raw.body as { readonly email?: unknown } | null | undefined)?.email;
    if (typeof email !== 'string') return here();
    const key = emailKey(this.own.service.parts.resolve(Secrets), email.trim().toLowerCase());
    const [shard] = this.serving(await this.shards.locate(key));
    if (shard === undefined || shard === this.own) return here();
    return shard.service.dispatcher.runHere(operation, raw, caller);
  }

  /** The sender repeats a delivery that one of its databases could not take; what the others took is then ignored. */
  private async deliver(
    operation: AnyOperation,
    raw: RawInput,
    caller: Caller,
    here: () => Promise<OperationResult>,
  ): Promise<OperationResult> {
    const found = await mapInParallel(destinationsOf(operation, raw.body as RawBody), (to) => this.locate(to));
    const shards = [...new Set(found.flatMap((located) => this.serving(located)))];
    const results = await mapInParallel(shards, (shard) =>
      outcomeOf(shard === this.own ? here() : shard.service.dispatcher.runHere(operation, raw, caller)),
    );
    const [first, ...others] = results;
    if (first === undefined) return here();
    return others.reduce((sum, result) => merge(sum, valueIn(result)), valueIn(first));
  }

  private async locate(destination: Destination): Promise<Located> {
    if ('route' in destination) return this.shards.locate(routeKey(destination));
    const place = await this.shards.place(destination.workspaceId);
    return { places: place === null ? [] : [{ ...place, workspaceId: destination.workspaceId }], isComplete: true };
  }

  /**
   * The databases of the workspaces. Throws where one that does not respond has them or may have them: an answer that
   * nothing was found would not be true.
   */
  private serving({ places, isComplete }: Located): readonly Shard[] {
    const shards = places.map((place) => this.servingOne(place)).filter((shard) => shard !== null);
    if (shards.length === 0 && (places.length > 0 || !isComplete)) throw databaseUnavailable();
    return [...new Set(shards)];
  }

  private servingOne({ shard: name, isMoving }: PlacedWorkspace): Shard | null {
    const shard = this.shards.named(name);
    return shard?.isServing === true && !isMoving ? shard : null;
  }

  /** A token is noted before its owner gets it, so its first use asks no other database. A note that fails is made then. */
  private async noteTokens(body: unknown): Promise<void> {
    await mapInParallel(tokensIn(body), (hash) => this.shards.locateToken(tokenKey(hash))).catch(() => undefined);
  }
}

function isSignIn({ id }: AnyOperation): boolean {
  return id === sendCode.id || id === verifyCode.id;
}

/** A body that cannot be read is rejected by the operation, in any database. */
function destinationsOf({ raw }: AnyOperation, body: RawBody): readonly Destination[] {
  try {
    return raw.destinations(body);
  } catch {
    return [];
  }
}

async function outcomeOf<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

function valueIn(result: PromiseSettledResult<OperationResult>): OperationResult {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Each database ignores the events of the others. */
function merge(first: OperationResult, second: OperationResult): OperationResult {
  const [one, other] = [first.body, second.body] as { accepted: number; ignored: number }[];
  if (one === undefined || other === undefined) return first;
  const accepted = one.accepted + other.accepted;
  return { ...first, body: { ...other, ...one, accepted, ignored: one.accepted + one.ignored - accepted } };
}

function tokensIn(body: unknown): Buffer[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.values(body).flatMap((value) => {
    const hash = typeof value === 'string' ? hashToken(value) : null;
    return hash === null ? [] : [hash];
  });
}
