import { isIPv6 } from 'node:net';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../kernel/failure.js';
import { type Database } from '../database/pool.js';

const maxAddresses = 10_000;

/** Failed sign-ins, wrong tokens, or deliveries without a valid signature. Each kind is counted separately. */
type FailureKind = 'sign_in' | 'token' | 'delivery';

/** Deliveries of all workspaces come from the few addresses of a CRM, also those of deleted connections. */
const shares: Readonly<Record<FailureKind, number>> = { sign_in: 1, token: 1, delivery: 10 };

/** Limits unauthenticated attempts by network address. The database counts them, for all processes together. */
export class AttemptLimits {
  /** The end of the block of each blocked network, so that its further attempts cost no statement. */
  private readonly blockedUntil = new LRUCache<string, number>({ max: maxAddresses });

  constructor(
    private readonly database: Database,
    private readonly failuresPerMinute: number,
  ) {}

  /** Counts an attempt, and rejects it if it exceeds the limit of its window. */
  async count(what: string, address: string, limit: number, windowSeconds: number): Promise<void> {
    const { attempts, secondsLeft } = await this.add(`${what} ${toNetwork(address)}`, windowSeconds);
    if (attempts > limit) throw tooManyAttempts(secondsLeft);
  }

  /** Counts a wrong code or token. Successful attempts do not count: many users may share one address. */
  async countFailure(address: string, kind: FailureKind = 'sign_in'): Promise<void> {
    this.assertNotBlocked(address, kind);
    const key = `${kind} ${toNetwork(address)}`;
    const { attempts, secondsLeft } = await this.add(key, 60);
    if (attempts <= this.failuresPerMinute * shares[kind]) return;
    this.blockedUntil.set(key, Date.now() + secondsLeft * 1000);
    throw tooManyAttempts(secondsLeft);
  }

  assertNotBlocked(address: string, kind: FailureKind = 'sign_in'): void {
    const key = `${kind} ${toNetwork(address)}`;
    const until = this.blockedUntil.get(key);
    if (until === undefined) return;
    const msLeft = until - Date.now();
    if (msLeft > 0) throw tooManyAttempts(Math.ceil(msLeft / 1000));
    this.blockedUntil.delete(key);
  }

  private async add(key: string, windowSeconds: number): Promise<{ attempts: number; secondsLeft: number }> {
    const { rows } = await sql<{ attempts: number; secondsLeft: number }>`
      select attempts, seconds_left as "secondsLeft"
      from count_attempt(${key}, ${windowSeconds})`.execute(this.database);
    return rows[0] as { attempts: number; secondsLeft: number };
  }
}

export function tooManyAttempts(secondsLeft: number): Failure {
  return new Failure('rate_limited', `Too many attempts. Try again in ${secondsLeft} seconds.`, {
    retryAfter: secondsLeft,
  });
}

/** The IPv4 address, or the IPv6 /64 network: one customer commonly has a whole /64. */
export function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const end = tail === '' ? [] : tail.split(':');
    while (groups.length + end.length < 8) groups.push('0');
    groups.push(...end);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
