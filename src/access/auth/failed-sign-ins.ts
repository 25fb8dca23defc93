import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type Log } from '../../platform/log.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type SignInMethod } from './sign-in.js';
import { emailHash } from './sign-in-code.js';

/** Failed attempts per address and day that are no longer typing errors. */
const alarmAt = 20;

/** Records failed sign-ins in the audit log of the person concerned, and counts them against the network address. */
export class FailedSignIns {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly limits: AttemptLimits,
    private readonly log: Log,
  ) {}

  /** Does the same work for unknown addresses. Throws if the caller's network address has failed too often. */
  async record(caller: Caller, method: SignInMethod | 'step_up', email: string): Promise<void> {
    const hash = emailHash(this.secrets, email);
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ failures: number }>`select record_failed_sign_in(${email}, ${hash}, ${method}) as failures`.execute(tx.db),
    );
    const failures = rows[0]?.failures ?? 0;
    const about = { requestId: caller.requestId, method, emailHash: hash.toString('hex').slice(0, 12), failures };
    if (failures % alarmAt === 0) this.log.warn(about, 'many failed sign-ins for one address today');
    else this.log.info(about, 'a sign-in failed');
    await this.limits.countFailure(caller.address ?? '');
  }
}
