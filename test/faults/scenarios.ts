import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '#src/app/config.js';
import { type FailpointName } from '#src/platform/failpoint.js';
import { listRecentMails } from '#src/platform/mail/recent-mails.js';
import { openSecrets } from '#src/platform/secrets/master-key.js';
import { ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { FileServer } from '#test/support/file-server.js';
import { testMasterKey } from '#test/support/running-service.js';
import { type EpisodeCrm } from './harness/episode-crm.js';
import { type Delivery, type EpisodeWorld } from './harness/episode-world.js';
import { type Fleet } from './harness/fleet.js';
import { PayRun } from './harness/pay-run.js';
import { SeededRandom } from './harness/seeded-random.js';

const maxRetryMs = 60_000;

/** Runs the requests that reach a failpoint, and retries each until it has a final response. */
export class Scenario {
  private readonly random = SeededRandom.named(1, 'scenario');
  private readonly crm: EpisodeCrm;
  private deals = 0;
  private adjustments = 0;
  private payRun: PayRun | null = null;
  private files: FileServer | null = null;
  private scheduledImport = '';
  private readonly lines: string[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly world: EpisodeWorld,
  ) {
    if (world.crm === null) throw new Error('a scenario needs a CRM');
    this.crm = world.crm;
  }

  /** Alternates between the API processes, starting with the one whose failpoint is armed. */
  private async retryUntilAnswered(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    token: string | null = this.world.apiKey,
  ): Promise<ApiResponse> {
    const deadline = performance.now() + maxRetryMs;
    for (let tries = 0; performance.now() < deadline; tries += 1) {
      const { url } = this.fleet.apis[tries % this.fleet.apis.length] as { url: string };
      const answer = await new ApiClient(url, token).send(method, path, body, headers).catch(() => null);
      if (answer !== null && answer.status < 500 && answer.body.code !== 'calculation_pending') return answer;
      await sleep(50);
    }
    throw new Error(`${method} ${path}: no final response within ${maxRetryMs} ms`);
  }

  private nextDelivery(): Delivery {
    this.deals += 1;
    const delivery = {
      dealId: `deal-${this.deals}`,
      amount: 1000 + this.deals,
      closeDate: `2026-0${1 + (this.deals % 4)}-10`,
      ownerId: ['ann', 'bob', 'cid'][this.deals % 3] as string,
      sourceUpdatedAt: new Date(Date.UTC(2026, 4, 1, 0, 0, this.deals)).toISOString(),
    };
    this.world.deliveries.push(delivery);
    return delivery;
  }

  async putDeal(): Promise<string> {
    const { dealId, ...body } = this.sent(this.nextDelivery());
    await this.retryUntilAnswered('PUT', `/v1/deals/${dealId}`, body);
    return dealId;
  }

  /** A deal that the sweep of a worker finds. */
  async putDealWithoutWaking(): Promise<void> {
    for (const api of this.fleet.apis) api.arm('wake.beforeAdd@1=throw');
    await this.putDeal();
  }

  async importDeals(): Promise<void> {
    const deals = [this.nextDelivery(), this.nextDelivery()].map((delivery) => this.sent(delivery));
    await this.retryUntilAnswered('POST', '/v1/deals/import', { deals });
  }

  /** A scheduled import whose first dry run was confirmed. */
  async startScheduledImport(): Promise<void> {
    this.files = await FileServer.start();
    const { url } = this.files;
    this.files.content = this.csv(this.nextDelivery());
    const { body } = await this.retryUntilAnswered('POST', '/v1/scheduled-imports', {
      name: 'Deals',
      subject: 'deals',
      source: { kind: 'url', url },
      options: { idColumn: 'dealId' },
      schedule: { every: 'day', at: '00:00' },
    });
    this.scheduledImport = `/v1/scheduled-imports/${body.id}`;
    for (;;) {
      const listed = await this.retryUntilAnswered('GET', `${this.scheduledImport}/files`);
      const [file] = listed.body.files;
      if (file === undefined) await sleep(50);
      else
        return void (await this.retryUntilAnswered('POST', `${this.scheduledImport}/confirm`, { fileId: file.fileId }));
    }
  }

  /** A file with one more deal, which a worker imports now. */
  async importScheduled(): Promise<void> {
    if (this.files === null) throw new Error('there is no scheduled import');
    this.files.content = this.csv(this.nextDelivery());
    await this.retryUntilAnswered('POST', `${this.scheduledImport}/run`);
  }

  /** Earlier deals stay in the file: a file that no worker has read is replaced by the next one. */
  private csv(delivery: Delivery): string {
    const { dealId, amount, closeDate, ownerId, sourceUpdatedAt } = this.sent(delivery);
    this.lines.push([dealId, amount, closeDate, ownerId, sourceUpdatedAt].join(','));
    return ['dealId,amount,closeDate,ownerId,sourceUpdatedAt', ...this.lines, ''].join('\n');
  }

  async stop(): Promise<void> {
    await this.files?.stop();
  }

  private sent(delivery: Delivery): Delivery {
    return { ...delivery, ownerId: this.world.memberId(delivery.ownerId) };
  }

  /** Changes a deal in the CRM, and repeats the delivery until it is acknowledged. */
  async deliver(): Promise<void> {
    this.deals += 1;
    const day = `2026-0${1 + (this.deals % 4)}-11`;
    const opportunityId = this.crm.change(this.random, () => day);
    await this.retryUntilAnswered('POST', '/webhooks/crmc', { opportunityId }, {}, this.world.webhookSecret);
  }

  async sync(): Promise<void> {
    const { body } = await this.retryUntilAnswered('POST', '/v1/commissions/sync', { async: true });
    this.world.jobIds.push(body.jobId as string);
  }

  async exportTeam(): Promise<void> {
    const { period } = this.statement();
    const { body } = await this.retryUntilAnswered('GET', `/v1/statements/export.xlsx?period=${period}&async=true`);
    this.world.exportIds.push(body.jobId as string);
  }

  async preview(): Promise<void> {
    const path = `/v1/plans/${this.world.planIds.sales}/preview`;
    const { body } = await this.retryUntilAnswered('POST', path, { status: 'archived', period: '2026' });
    this.world.previewIds.push(body.jobId as string);
  }

  async deleteDeal(): Promise<void> {
    const dealId = await this.putDeal();
    await this.retryUntilAnswered('DELETE', `/v1/deals/${dealId}`);
    this.world.deletions.set(dealId, true);
  }

  async recalculate(): Promise<void> {
    // Recalculates a new deal, since a running job of the same scope would be joined.
    const dealId = await this.putDeal();
    const { body } = await this.retryUntilAnswered('POST', '/v1/commissions/recalculate', { dealId, async: true });
    this.world.jobIds.push(body.jobId as string);
  }

  /** A different period each time, so that it is not approved yet. */
  private statement(): { path: string; period: string } {
    this.deals += 1;
    const path = `/v1/statements/${this.world.repIds[['ann', 'bob', 'cid'][this.deals % 3] as string]}`;
    return { path, period: `2026-0${1 + (this.deals % 4)}` };
  }

  async generate(of = this.statement()): Promise<void> {
    await this.retryUntilAnswered('POST', `${of.path}/generate`, { period: of.period });
  }

  /** Approves and reopens a period, so that later scenarios find it open. */
  async approveAndUnlock(between: (of: { path: string; period: string }) => Promise<void> = async () => undefined) {
    const of = this.statement();
    await this.putDeal();
    await this.generate(of);
    await this.retryUntilAnswered('POST', `${of.path}/approve`, { period: of.period, status: 'approved' });
    await between(of);
    await this.retryUntilAnswered('POST', `${of.path}/approve`, { period: of.period, status: 'draft' });
  }

  /** Adds deals to the approved period, and trues it up. */
  trueUp(): Promise<void> {
    return this.approveAndUnlock(async ({ path, period }) => {
      for (let deal = 0; deal < 12; deal += 1) await this.putDeal();
      await this.retryUntilAnswered('POST', `${path}/true-up`, { period, force: true });
    });
  }

  async adjust(): Promise<void> {
    this.adjustments += 1;
    const reason = `reason ${this.adjustments}`;
    const { path, period } = this.statement();
    const key = { 'Idempotency-Key': `${this.world.workspaceId}/${reason}` };
    const { status, body } = await this.retryUntilAnswered(
      'POST',
      `${path}/adjust`,
      { amount: 7, period, reason },
      key,
    );
    // A duplicate-key error means that the adjustment is stored. While the key of a dead process is leased, the
    // outcome is unknown.
    const isDone = status < 300 || body.code === 'duplicate_idempotency_key';
    this.world.adjustments.set(reason, { min: isDone ? 1 : 0, max: 1 });
  }

  /** Pays the next month of a workspace with payouts. */
  async pay(): Promise<void> {
    const sender = (apiKey: string) => (method: string, path: string, body?: unknown) =>
      this.retryUntilAnswered(method, path, body, {}, apiKey);
    this.payRun ??= await PayRun.create(this.fleet, 'Payouts', sender);
    await this.payRun.payMonth();
  }

  /** What was paid stays as it was paid. */
  async assertPaidOnce(): Promise<void> {
    await this.payRun?.assertPaidOnce();
  }

  /** Cleared events are recalculated; adjustments are deleted. */
  async reset(): Promise<void> {
    await this.retryUntilAnswered('POST', '/v1/commissions/reset', { scope: 'events' });
    this.world.adjustments.clear();
    await this.retryUntilAnswered('POST', '/v1/commissions/recalculate', { async: true });
  }

  /** A code that was consumed by a failed sign-in is accepted at the next attempt. */
  async signIn(): Promise<void> {
    this.deals += 1;
    const { workspaceId } = this.world;
    const email = `${['ann', 'bob', 'cid'][this.deals % 3]}@example.com`;
    const { ownerUrl } = this.fleet.postgres;
    const secrets = openSecrets(readConfig({ MASTER_KEY: testMasterKey }));
    const mailed = async () => (await listRecentMails(ownerUrl, secrets, 1))[0];
    const before = (await mailed())?.createdAt;
    await this.retryUntilAnswered('POST', '/auth/otp/send', { email, workspaceId }, {}, null);
    let mail = await mailed();
    while (mail === undefined || mail.createdAt === before) {
      await sleep(20);
      mail = await mailed();
    }
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0];
    const { status } = await this.retryUntilAnswered(
      'POST',
      '/auth/otp/verify',
      { email, code, workspaceId },
      {},
      null,
    );
    if (status !== 200) throw new Error(`signing in with the mailed code returned status ${status}`);
  }
}

interface Path {
  readonly of: 'apis' | 'workers';
  readonly walk: (scenario: Scenario) => Promise<unknown>;
  /** The fault that must occur first for the failpoint to be reached. */
  readonly first?: string;
}

const putDeal: Path = { of: 'apis', walk: (scenario) => scenario.putDeal() };
const workers: Path = { ...putDeal, of: 'workers' };
const recalculate: Path = { of: 'apis', walk: (scenario) => scenario.recalculate() };
const approve: Path = { of: 'apis', walk: (scenario) => scenario.approveAndUnlock() };
const generate: Path = { of: 'apis', walk: (scenario) => scenario.generate() };
const adjust: Path = { of: 'apis', walk: (scenario) => scenario.adjust() };
const message: Path = { of: 'workers', walk: (scenario) => scenario.deliver() };
const sync: Path = { of: 'workers', walk: (scenario) => scenario.sync() };
const document: Path = { of: 'workers', walk: (scenario) => scenario.exportTeam() };
const pay: Path = { of: 'apis', walk: (scenario) => scenario.pay() };
const scheduledImport: Path = { of: 'workers', walk: (scenario) => scenario.importScheduled() };
const deleteDeal: Path = { of: 'apis', walk: (scenario) => scenario.deleteDeal() };

/** How each failpoint is reached. Migrations have separate tests. */
export const paths: Readonly<Record<Exclude<FailpointName, `migrate.${string}`>, Path>> = {
  'record.afterLock': putDeal,
  'record.midWrite': putDeal,
  'put.afterRecord': putDeal,
  'put.afterRequests': putDeal,
  'import.afterBatch': { of: 'apis', walk: (scenario) => scenario.importDeals() },
  'change.beforeCommit': putDeal,
  'change.afterCommit': putDeal,
  'change.beforeResponse': putDeal,
  'wake.beforeAdd': putDeal,
  'wake.afterAdd': putDeal,
  'inbox.beforeInsert': { ...message, of: 'apis' },
  'inbox.afterInsert': { ...message, of: 'apis' },
  'lease.beforeTake': message,
  'lease.afterTake': message,
  'inbox.afterPick': message,
  'inbox.afterFetch': message,
  'inbox.afterRecord': message,
  'inbox.afterMark': message,
  'sync.afterFetch': sync,
  'sync.afterRecord': sync,
  'sync.afterStep': sync,
  'sync.beforeFinish': sync,
  'delivery.afterSend': workers,
  'writeBack.afterSend': message,
  'scheduledImport.afterDownload': scheduledImport,
  'scheduledImport.beforeCommit': scheduledImport,
  'scheduledImport.afterImport': scheduledImport,
  'preview.afterCalculate': { of: 'workers', walk: (scenario) => scenario.preview() },
  'export.afterTake': document,
  'export.afterPart': document,
  'export.afterMake': document,
  'export.beforeCommit': document,
  'sweep.afterPick': { of: 'workers', walk: (scenario) => scenario.putDealWithoutWaking() },
  'lane.afterRequests': workers,
  'lane.afterRead': workers,
  'lane.midWrite': workers,
  'lane.afterOthers': workers,
  'lane.beforeCommit': workers,
  'lane.afterCommit': workers,
  'lane.afterFailure': { ...workers, first: 'lane.afterRead@1=throw' },
  'job.afterRow': recalculate,
  'job.afterRequests': recalculate,
  'job.beforeDone': workers,
  'approve.afterDrain': approve,
  'approve.afterLock': approve,
  'approve.afterCheck': approve,
  'approve.beforeCommit': approve,
  'unlock.afterReopen': approve,
  'unlock.afterTrueUps': approve,
  'generate.afterHead': generate,
  'generate.afterVersion': generate,
  'trueup.afterInsert': { of: 'apis', walk: (scenario) => scenario.trueUp() },
  'check.afterRead': { of: 'workers', walk: (scenario) => scenario.trueUp() },
  'adjust.afterInsert': adjust,
  'delete.afterEarners': deleteDeal,
  'delete.afterSoftDelete': deleteDeal,
  'clear.afterDelete': { of: 'apis', walk: (scenario) => scenario.reset() },
  'invoice.afterReplace': pay,
  'hold.afterInsert': pay,
  'payout.afterInsert': pay,
  'payout.afterDecide': pay,
  'payout.afterEvents': pay,
  'payout.beforeCommit': pay,
  'response.beforeStore': adjust,
  'otp.afterConsume': { of: 'apis', walk: (scenario) => scenario.signIn() },
};
