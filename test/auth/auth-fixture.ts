import { expect } from 'chai';
import { type QueryResultRow } from 'pg';
import { openMailBody } from '#src/platform/mail/outbox.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

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
    readonly service: Service,
    readonly anyone: ApiClient,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<AuthFixture> {
    const service = await Service.start({ settings: environment });
    return new AuthFixture(service, service.client(null));
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  /** Rows as the owner of the tables reads them. */
  sql<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return this.service.sql(text, ...values);
  }

  /** Deletes the attempt counters by address, as if an hour had passed. */
  async clearLimits(): Promise<void> {
    await this.sql('truncate attempt_counters');
  }

  async person(api: ApiClient, email: string, more: Record<string, unknown> = {}): Promise<Person> {
    const [repId] = await api.saveReps({ email, name: `Name of ${email}`, ...more });
    return { repId, email };
  }

  send(email: unknown, more: Record<string, unknown> = {}): Promise<ApiResponse> {
    return this.anyone.post('/auth/otp/send', { email, ...more });
  }

  verify(email: unknown, code: unknown, more: Record<string, unknown> = {}): Promise<ApiResponse> {
    return this.anyone.post('/auth/otp/verify', { email, code, ...more });
  }

  /** Stored mails for the address, oldest first, decrypted with the service's key. */
  async mailsTo(email: string): Promise<StoredMail[]> {
    const rows = await this.sql<{ mail_id: string; recipient: string; subject: string; body: Buffer }>(
      'select * from mail_outbox where recipient = $1 order by created_at',
      email,
    );
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

  async signIn(email: string): Promise<{ token: string; api: ApiClient; body: ApiResponse['body'] }> {
    const answer = await this.verify(email, await this.code(email));
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const token: string = answer.body.sessionToken;
    return { token, api: this.service.client(token), body: answer.body };
  }

  /** Moves the timestamps of codes into the past. */
  async ageCodes(interval: string): Promise<void> {
    const age = 'created_at = created_at - $1::interval, expires_at = expires_at - $1::interval';
    await this.sql(`update sign_in_codes set ${age}`, interval);
  }

  audit(workspaceId: string) {
    return this.sql(
      `select actor, trigger, outcome, rep_id from audit_runs
      where workspace_id = $1 and trigger in ('login', 'logout') order by started_at`,
      workspaceId,
    );
  }

  /** Every row of every table, as text. */
  async dump(): Promise<string> {
    const tables = await this.sql<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
      where schemaname in ('public', 'bullmq')`,
    );
    const parts: string[] = [];
    for (const { name } of tables)
      for (const { row } of await this.sql(`select t::text as row from ${name} t`)) parts.push(`${name}: ${row}`);
    return parts.join('\n');
  }
}

/** A code that is not this one. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
