import { Failure } from '../../kernel/failure.js';
import { type AttemptLimits } from '../../platform/limits/attempt-limits.js';

/** Limits deliveries without a valid signature by network address: checking each one costs a query. */
export class UnverifiedDeliveries {
  constructor(private readonly limits: AttemptLimits) {}

  /** Runs the check of a signature. Counts the delivery against its address if the check rejects it. */
  async limit<Result>(address: string | undefined, verify: () => Promise<Result>): Promise<Result> {
    const from = address ?? '';
    this.limits.assertNotBlocked(from, 'delivery');
    try {
      return await verify();
    } catch (error) {
      if (error instanceof Failure) await this.limits.countFailure(from, 'delivery');
      throw error;
    }
  }
}
