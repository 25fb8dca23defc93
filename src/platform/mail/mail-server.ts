import { sql } from 'kysely';
import { type Config } from '../config.js';
import { type TransactionWithoutWorkspace, type UnitOfWork } from '../database/unit-of-work.js';
import { type Secrets } from '../secrets/secrets.js';
import { type MailSettings, mailPasswordEncryptionContext } from './mail-settings.js';
import { createMailTransport, type MailTransport, openMailServer } from './transport.js';

interface StoredServer {
  readonly settings: MailSettings;
  readonly password: Buffer | null;
}

/**
 * The mail server of the installation: that of the environment, otherwise the one that was set up in the app. A change
 * applies to the next mail of every process.
 */
export class MailServer {
  private opened: { readonly key: string; readonly transport: MailTransport | null } | null = null;

  constructor(
    private readonly config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>,
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
  ) {}

  /** Whether the environment names the server, so that it cannot be changed in the app. */
  get isOfEnvironment(): boolean {
    return this.config.SMTP_URL !== undefined;
  }

  async isSetUp(tx: Pick<TransactionWithoutWorkspace, 'db'>): Promise<boolean> {
    if (this.isOfEnvironment) return true;
    const { rows } = await sql<{ isSetUp: boolean }>`select is_mail_set_up() as "isSetUp"`.execute(tx.db);
    return rows[0]?.isSetUp === true;
  }

  /** Null without a mail server. The transport is shared: do not close it. */
  async transport(): Promise<MailTransport | null> {
    const stored = this.isOfEnvironment ? null : await this.unitOfWork.withoutWorkspace((tx) => findMailServer(tx));
    const key = stored === null ? '' : JSON.stringify([stored.settings, stored.password?.toString('base64')]);
    if (this.opened?.key === key) return this.opened.transport;
    this.close();
    const transport =
      stored === null ? await createMailTransport(this.config) : await openStoredServer(stored, this.secrets);
    this.opened = { key, transport };
    return transport;
  }

  close(): void {
    this.opened?.transport?.close();
    this.opened = null;
  }
}

/** The server that was set up in the app; null if there is none. */
export async function findMailServer(tx: Pick<TransactionWithoutWorkspace, 'db'>): Promise<StoredServer | null> {
  const { rows } = await sql<StoredServer>`select settings, password from mail_server()`.execute(tx.db);
  return rows[0] ?? null;
}

async function openStoredServer({ settings, password }: StoredServer, secrets: Secrets): Promise<MailTransport> {
  return openMailServer(settings, password === null ? null : secrets.open(mailPasswordEncryptionContext, password));
}
