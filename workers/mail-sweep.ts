import { sql } from 'kysely';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Log } from '#src/platform/log.js';
import { type Outbox } from '#src/platform/mail/outbox.js';

const sweepEveryMs = 2000;
const sweepsBetweenForgetting = 150;

/** Finds mails whose job was lost or whose time for another try has come, and forgets what signing in leaves behind. */
export class MailSweep {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private sweeps = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly log: Log,
  ) {}

  start(): void {
    this.running = this.sweep();
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.sweep());
    }, sweepEveryMs);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.running;
  }

  private async sweep(): Promise<void> {
    try {
      await this.outbox.wake(await this.outbox.due(200));
      if (this.sweeps % sweepsBetweenForgetting === 0)
        await this.unitOfWork.withoutTenant((trx) => sql`select forget_old_sign_ins()`.execute(trx));
      this.sweeps += 1;
    } catch (error) {
      this.log.warn({ err: error }, 'the mail sweep could not finish; the next one will');
    }
  }
}
