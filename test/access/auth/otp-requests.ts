import { expect } from 'chai';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { type Service } from '#test/support/service.js';

export interface Person {
  readonly repId: string;
  readonly email: string;
}

/** Requests of sign-in codes, which are read from the stored mails. */
export class OtpRequests {
  constructor(private readonly service: Service) {}

  send(email: unknown, fields: Record<string, unknown> = {}): Promise<ApiResponse> {
    return this.service.client(null).post('/auth/otp/send', { email, ...fields });
  }

  verify(email: unknown, code: unknown, fields: Record<string, unknown> = {}): Promise<ApiResponse> {
    return this.service.client(null).post('/auth/otp/verify', { email, code, ...fields });
  }

  /** Requests a code and returns it. */
  async code(email: string, fields: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.send(email, fields);
    expect(status, JSON.stringify(body)).to.equal(200);
    return this.service.lastCode(email);
  }

  async signIn(email: string): Promise<{ token: string; api: ApiClient; body: ApiResponse['body'] }> {
    const { status, body } = await this.verify(email, await this.code(email));
    expect(status, JSON.stringify(body)).to.equal(200);
    const token: string = body.sessionToken;
    return { token, api: this.service.client(token), body };
  }

  /** Deletes the attempt counters by address, as if an hour had passed. */
  async clearLimits(): Promise<void> {
    await this.service.sql('truncate attempt_counters');
  }

  /** Moves the timestamps of codes into the past. */
  async ageCodes(interval: string): Promise<void> {
    const age = 'created_at = created_at - $1::interval, expires_at = expires_at - $1::interval';
    await this.service.sql(`update sign_in_codes set ${age}`, interval);
  }
}

export async function addPerson(api: ApiClient, email: string, fields: Record<string, unknown> = {}): Promise<Person> {
  const [repId] = await api.saveReps({ email, name: `Name of ${email}`, ...fields });
  return { repId, email };
}

/** A code that is not this one. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** The audit runs of sign-ins and sign-outs. */
export function signInRuns(service: Service, workspaceId: string) {
  return service.sql(
    `select actor, trigger, outcome, rep_id from audit_runs
    where workspace_id = $1 and trigger in ('login', 'logout') order by started_at`,
    workspaceId,
  );
}

/** Every row of every table, as text. */
export async function dump(service: Service): Promise<string> {
  const tables = await service.sql<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname in ('public', 'bullmq')`,
  );
  const parts: string[] = [];
  for (const { name } of tables)
    for (const { row } of await service.sql(`select t::text as row from ${name} t`)) parts.push(`${name}: ${row}`);
  return parts.join('\n');
}
