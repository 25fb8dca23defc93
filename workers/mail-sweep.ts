import { sql } from 'kysely';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Outbox } from '#src/platform/mail/outbox.js';

const sweepsBetweenForgetting = 150;

/** Finds mails whose job was lost or whose time for another try has come, and forgets what signing in leaves behind. */
export class MailSweep {
  private sweeps = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async run(): Promise<void> {
    await this.outbox.wake(await this.outbox.due(200));
    if (this.sweeps % sweepsBetweenForgetting === 0)
      await this.unitOfWork.withoutTenant((trx) => sql`select forget_old_sign_ins()`.execute(trx));
    this.sweeps += 1;
  }
}
