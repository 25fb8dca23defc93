import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Notification, type Notifications } from './notifications.js';

interface RejectedRows {
  readonly rejected: number;
  readonly reasons: readonly { readonly row: number; readonly reason: string }[];
}

/** Mails to the admins about scheduled imports. */
export class ScheduledImportMails {
  constructor(private readonly notifications: Pick<Notifications, 'post'>) {}

  rowsRejected(tx: Transaction, importName: string, file: string, { rejected, reasons }: RejectedRows): Promise<void> {
    const rows = rejected === 1 ? '1 row' : `${rejected} rows`;
    return this.send(tx, `${rows} of ${file} were rejected`, [
      `The scheduled import “${importName}” read ${file}. The other rows were imported.`,
      ...reasons.slice(0, 10).map(({ row, reason }) => `Row ${row}: ${reason}`),
    ]);
  }

  fileFailed(tx: Transaction, importName: string, file: string, reason: string): Promise<void> {
    return this.send(tx, `${file} could not be imported`, [
      `The scheduled import “${importName}” could not read ${file}: ${reason}`,
    ]);
  }

  fileWaits(tx: Transaction, importName: string, file: string, reason: string): Promise<void> {
    return this.send(tx, `${file} waits for your confirmation`, [
      `The scheduled import “${importName}” has read ${file} and imports nothing before an admin has confirmed the result. ${reason}`,
    ]);
  }

  sourceFailed(tx: Transaction, importName: string, reason: string): Promise<void> {
    return this.send(tx, `The scheduled import “${importName}” does not work`, [
      reason,
      'It is tried again by its schedule. You get no further mail until it has worked again.',
    ]);
  }

  private send(tx: Transaction, subject: string, paragraphs: readonly string[]): Promise<void> {
    const notification: Notification = {
      kind: 'import_problem',
      to: 'admins',
      subject,
      paragraphs,
      path: '/imports/scheduled',
    };
    return this.notifications.post(tx, [notification]);
  }
}
