import { isIPv6 } from 'node:net';
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { type Database } from '../database/pool.js';

const mostRemembered = 10_000;

/** Limits on those who have no token, by their address; counted in the database, where every process sees it. */
export class AttemptLimits {
  /** Addresses that have failed too often, and until when: they cost no further statement. */
  private readonly refusedUntil = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly failuresPerMinute: number,
  ) {}

  /** Counts one more, and refuses it when it is one too many. */
  async count(what: string, address: string, most: number, windowSeconds: number): Promise<void> {
    const { attempts, secondsLeft } = await this.add(`${what} ${networkOf(address)}`, windowSeconds);
    if (attempts > most) throw tooMany(secondsLeft);
  }

  /** A wrong token or code. Only failures count, so that nobody is locked out by a neighbour at the same address. */
  async countFailure(address: string): Promise<void> {
    this.assertNotRefused(address);
    const network = networkOf(address);
    const { attempts, secondsLeft } = await this.add(`failure ${network}`, 60);
    if (attempts <= this.failuresPerMinute) return;
    if (this.refusedUntil.size >= mostRemembered) this.refusedUntil.clear();
    this.refusedUntil.set(network, Date.now() + secondsLeft * 1000);
    throw tooMany(secondsLeft);
  }

  assertNotRefused(address: string): void {
    const network = networkOf(address);
    const until = this.refusedUntil.get(network);
    if (until === undefined) return;
    const msLeft = until - Date.now();
    if (msLeft > 0) throw tooMany(Math.ceil(msLeft / 1000));
    this.refusedUntil.delete(network);
  }

  private async add(key: string, windowSeconds: number): Promise<{ attempts: number; secondsLeft: number }> {
    const { rows } = await sql<{ attempts: number; secondsLeft: number }>`
      select attempts, seconds_left as "secondsLeft" from count_attempt(${key}, ${windowSeconds})`.execute(
      this.database,
    );
    return rows[0] as { attempts: number; secondsLeft: number };
  }
}

function tooMany(secondsLeft: number): Failure {
  return new Failure('rate_limited', `Too many attempts. Try again in ${secondsLeft} seconds.`, {
    retryAfter: secondsLeft,
  });
}

/** One customer commonly has 2^64 addresses of IPv6: they count as one. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
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
