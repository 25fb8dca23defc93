import { sql } from 'kysely';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Outbox } from '#src/platform/mail/outbox.js';

const sweepsPerDeletion = 150;

/** Wakes workers for mails whose job was lost or whose next attempt is due, and deletes expired sign-in data. */
export class MailSweep {
  private sweeps = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async run(): Promise<void> {
    await this.outbox.wake(await this.outbox.due(200));
    if (this.sweeps % sweepsPerDeletion === 0)
      await this.unitOfWork.withoutWorkspace((trx) => sql`select delete_old_sign_ins()`.execute(trx));
    this.sweeps += 1;
  }
}
