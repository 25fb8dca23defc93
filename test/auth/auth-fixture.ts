import { expect } from 'chai';
import { sql } from 'kysely';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { openMailBody } from '#src/platform/mail/outbox.js';
import { type Answer, type ApiClient, startTestService, type TestService } from '#test/support/test-service.js';

export interface Person {
  readonly repId: string;
  readonly email: string;
}

export interface StoredMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The service over HTTP with a workspace, its people, and direct database access as the owner of the tables. */
export class AuthFixture {
  private constructor(
    readonly service: TestService,
    readonly owner: Database,
    readonly anyone: ApiClient,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<AuthFixture> {
    const service = await startTestService(environment);
    const owner = createDatabase({ url: service.database.ownerUrl, size: 2, onError: () => {}, asOwner: true });
    return new AuthFixture(service, owner, service.client(null));
  }

  async stop(): Promise<void> {
    await this.owner.destroy();
    await this.service.stop();
  }

  /** Deletes the attempt counters by address, as if an hour had passed. */
  async clearLimits(): Promise<void> {
    await sql`truncate attempt_counters`.execute(this.owner);
  }

  async person(api: ApiClient, email: string, more: Record<string, unknown> = {}): Promise<Person> {
    const [repId] = await api.saveReps({ email, name: `Name of ${email}`, ...more });
    return { repId, email };
  }

  send(email: unknown, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.anyone.post('/auth/otp/send', { email, ...more });
  }

  verify(email: unknown, code: unknown, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.anyone.post('/auth/otp/verify', { email, code, ...more });
  }

  /** Stored mails for the address, oldest first, decrypted with the service's key. */
  async mailsTo(email: string): Promise<StoredMail[]> {
    const { rows } = await sql<{ mail_id: string; recipient: string; subject: string; body: Buffer }>`
      select * from mail_outbox where recipient = ${email} order by created_at`.execute(this.owner);
    const { secrets } = this.service.running.service;
    return rows.map((row) => ({
      to: row.recipient,
      subject: row.subject,
      ...openMailBody(secrets, row.mail_id, row.body),
    }));
  }

  async lastCode(email: string): Promise<string> {
    const mail = (await this.mailsTo(email)).at(-1);
    const code = /^[0-9]{6}$/m.exec(mail?.text ?? '')?.[0];
    if (code === undefined) throw new Error(`no code was sent to ${email}`);
    return code;
  }

  /** Requests a code and returns it. */
  async code(email: string, more: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.send(email, more);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return this.lastCode(email);
  }

  async signIn(email: string): Promise<{ token: string; api: ApiClient; body: Answer['body'] }> {
    const answer = await this.verify(email, await this.code(email));
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const token: string = answer.body.sessionToken;
    return { token, api: this.service.client(token), body: answer.body };
  }

  /** Moves the timestamps of codes into the past. */
  async ageCodes(interval: string): Promise<void> {
    await sql`update sign_in_codes set created_at = created_at - ${interval}::interval,
      expires_at = expires_at - ${interval}::interval`.execute(this.owner);
  }

  async audit(
    workspaceId: string,
  ): Promise<{ actor: string; trigger: string; outcome: string; rep_id: string | null }[]> {
    const { rows } = await sql<{ actor: string; trigger: string; outcome: string; rep_id: string | null }>`
      select actor, trigger, outcome, rep_id from audit_runs
      where workspace_id = ${workspaceId} and trigger in ('login', 'logout') order by started_at`.execute(this.owner);
    return rows;
  }

  /** Every row of every table, as text. */
  async dump(): Promise<string> {
    const { rows: tables } = await sql<{ schema: string; name: string }>`
      select schemaname as schema, tablename as name from pg_tables where schemaname in ('public', 'bullmq')`.execute(
      this.owner,
    );
    const parts: string[] = [];
    for (const { schema, name } of tables) {
      const { rows } = await sql<{
        row: string;
      }>`select t::text as row from ${sql.table(`${schema}.${name}`)} t`.execute(this.owner);
      parts.push(...rows.map(({ row }) => `${name}: ${row}`));
    }
    return parts.join('\n');
  }
}

/** A code that is not this one. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
