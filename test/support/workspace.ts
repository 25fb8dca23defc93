import type pg from 'pg';
import { type ApiClient } from './api-client.js';
import { type RunningService } from './running-service.js';

/** A workspace of a running service, used over HTTP. */
export class Workspace {
  constructor(
    readonly service: RunningService,
    readonly workspaceId: string,
    readonly apiKey: string,
    /** A client with the key of the workspace, which has the requests that set up people, plans and quotas. */
    readonly api: ApiClient,
  ) {}

  /** A client with a session of the rep, as after a sign-in, with the rep's role. */
  as(repId: string): Promise<ApiClient> {
    return this.service.as(this.workspaceId, repId);
  }

  /** Resolves when no calculation is pending. */
  calculated(): Promise<void> {
    return this.service.waitForCalculations(this.workspaceId);
  }

  /** Resolves when no calculation and no check of an approved period is pending. */
  checked(): Promise<void> {
    return this.service.waitForChecks(this.workspaceId);
  }

  /** Resolves when the feeds list every change of the workspace. */
  inFeeds(): Promise<void> {
    return this.service.waitForFeeds(this.workspaceId);
  }

  expectSoundLedger(): Promise<void> {
    return this.service.expectSoundLedger(this.workspaceId);
  }

  /** Rows as the owner of the tables reads them; `$1` is the workspace. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql<Row extends pg.QueryResultRow = any>(text: string, ...values: unknown[]): Promise<Row[]> {
    return this.service.sql(text, this.workspaceId, ...values);
  }
}
