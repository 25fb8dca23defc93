import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '#src/platform/config.js';
import { type FailpointName } from '#src/platform/failpoint.js';
import { recentMails } from '#src/platform/mail/recent-mails.js';
import { masterKey } from '#src/platform/secrets/master-key.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { type Answer, ApiClient } from '../support/test-service.js';
import { type EpisodeCrm } from './harness/episode-crm.js';
import { type Delivery, type EpisodeWorld } from './harness/episode-world.js';
import { type Fleet, masterKeyOfTests } from './harness/fleet.js';
import { SeededRandom } from './harness/seeded-random.js';

const longestInsistenceMs = 60_000;

/** Does what leads past a failpoint, and asks again until it is answered. */
export class Scenario {
  private readonly random = SeededRandom.named(1, 'scenario');
  private readonly crm: EpisodeCrm;
  private deals = 0;
  private adjustments = 0;

  constructor(
    private readonly fleet: Fleet,
    private readonly world: EpisodeWorld,
  ) {
    if (world.crm === null) throw new Error('a scenario needs a CRM');
    this.crm = world.crm;
  }

  /** One API process after the other, the first one first: it is the one that was made to fail. */
  private async insist(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    token: string | null = this.world.apiKey,
  ): Promise<Answer> {
    const deadline = performance.now() + longestInsistenceMs;
    for (let tries = 0; performance.now() < deadline; tries += 1) {
      const { url } = this.fleet.apis[tries % this.fleet.apis.length] as { url: string };
      const answer = await new ApiClient(url, token).send(method, path, body, headers).catch(() => null);
      if (answer !== null && answer.status < 500 && answer.body.code !== 'calculation_pending') return answer;
      await sleep(50);
    }
    throw new Error(`${method} ${path} was not answered`);
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
    await this.insist('PUT', `/v1/deals/${dealId}`, body);
    return dealId;
  }

  async importDeals(): Promise<void> {
    const deals = [this.nextDelivery(), this.nextDelivery()].map((delivery) => this.sent(delivery));
    await this.insist('POST', '/v1/deals/import', { deals });
  }

  private sent(delivery: Delivery): Delivery {
    return { ...delivery, ownerId: this.world.memberId(delivery.ownerId) };
  }

  /** Something happens in the CRM, and it delivers until it is told that this was heard. */
  async deliver(): Promise<void> {
    this.deals += 1;
    const day = `2026-0${1 + (this.deals % 4)}-11`;
    const opportunityId = this.crm.change(this.random, () => day);
    await this.insist('POST', '/webhooks/crmc', { opportunityId }, {}, this.world.webhookSecret);
  }

  async sync(): Promise<void> {
    const { body } = await this.insist('POST', '/v1/commissions/sync', { async: true });
    this.world.jobIds.push(body.jobId as string);
  }

  async exportTeam(): Promise<void> {
    const { period } = this.statement();
    const { body } = await this.insist('GET', `/v1/statements/export.xlsx?period=${period}&async=true`);
    this.world.exportIds.push(body.jobId as string);
  }

  async deleteDeal(): Promise<void> {
    const dealId = await this.putDeal();
    await this.insist('DELETE', `/v1/deals/${dealId}`);
    this.world.deletions.set(dealId, true);
  }

  async recalculate(): Promise<void> {
    // Of a deal of its own, since a job of the same scope that still runs would be joined.
    const dealId = await this.putDeal();
    const { body } = await this.insist('POST', '/v1/commissions/recalculate', { dealId, async: true });
    this.world.jobIds.push(body.jobId as string);
  }

  /** Another period each time, so that none is approved already. */
  private statement(): { path: string; period: string } {
    this.deals += 1;
    const path = `/v1/statements/${this.world.repIds[['ann', 'bob', 'cid'][this.deals % 3] as string]}`;
    return { path, period: `2026-0${1 + (this.deals % 4)}` };
  }

  async generate(of = this.statement()): Promise<void> {
    await this.insist('POST', `${of.path}/generate`, { period: of.period });
  }

  /** Approved and opened again, so that later scenarios find every period open. */
  async approveAndUnlock(between: (of: { path: string; period: string }) => Promise<void> = async () => undefined) {
    const of = this.statement();
    await this.putDeal();
    await this.generate(of);
    await this.insist('POST', `${of.path}/approve`, { period: of.period, status: 'approved' });
    await between(of);
    await this.insist('POST', `${of.path}/approve`, { period: of.period, status: 'draft' });
  }

  /** Something has come for the approved period: the difference is paid. */
  trueUp(): Promise<void> {
    return this.approveAndUnlock(async ({ path, period }) => {
      for (let deal = 0; deal < 12; deal += 1) await this.putDeal();
      await this.insist('POST', `${path}/true-up`, { period, force: true });
    });
  }

  async adjust(): Promise<void> {
    this.adjustments += 1;
    const reason = `reason ${this.adjustments}`;
    const { path, period } = this.statement();
    const key = { 'Idempotency-Key': `${this.world.workspaceId}/${reason}` };
    const { status, body } = await this.insist('POST', `${path}/adjust`, { amount: 7, period, reason }, key);
    // Told that the answer was lost, a person looks, and finds it done. While the key of a dead process is held, no more
    // than that can be known.
    const isDone = status < 300 || body.code === 'duplicate_idempotency_key';
    this.world.adjustments.set(reason, { least: isDone ? 1 : 0, most: 1 });
  }

  /** What is cleared is calculated again, but for what people had put beside it. */
  async reset(): Promise<void> {
    await this.insist('POST', '/v1/commissions/reset', { scope: 'events' });
    this.world.adjustments.clear();
    await this.insist('POST', '/v1/commissions/recalculate', { async: true });
  }

  /** A code that was taken in a sign-in that did not come about signs in at the next try. */
  async signIn(): Promise<void> {
    this.deals += 1;
    const { workspaceId } = this.world;
    const email = `${['ann', 'bob', 'cid'][this.deals % 3]}@example.com`;
    const { ownerUrl } = this.fleet.postgres;
    const secrets = new Secrets(masterKey(readConfig({ MASTER_KEY: masterKeyOfTests })));
    const mailed = async () => (await recentMails(ownerUrl, secrets, 1))[0];
    const before = (await mailed())?.createdAt;
    await this.insist('POST', '/auth/otp/send', { email, workspaceId }, {}, null);
    let mail = await mailed();
    while (mail === undefined || mail.createdAt === before) {
      await sleep(20);
      mail = await mailed();
    }
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0];
    const { status } = await this.insist('POST', '/auth/otp/verify', { email, code, workspaceId }, {}, null);
    if (status !== 200) throw new Error(`the code that was mailed signed in with ${status}`);
  }
}

interface Path {
  readonly of: 'apis' | 'workers';
  readonly walk: (scenario: Scenario) => Promise<unknown>;
  /** What must fail first for the place to be reached. */
  readonly first?: string;
}

const putDeal: Path = { of: 'apis', walk: (scenario) => scenario.putDeal() };
const workers: Path = { ...putDeal, of: 'workers' };
const recalculate: Path = { of: 'apis', walk: (scenario) => scenario.recalculate() };
const approve: Path = { of: 'apis', walk: (scenario) => scenario.approveAndUnlock() };
const generate: Path = { of: 'apis', walk: (scenario) => scenario.generate() };
const adjust: Path = { of: 'apis', walk: (scenario) => scenario.adjust() };
const news: Path = { of: 'workers', walk: (scenario) => scenario.deliver() };
const pull: Path = { of: 'workers', walk: (scenario) => scenario.sync() };
const document: Path = { of: 'workers', walk: (scenario) => scenario.exportTeam() };
const deleteDeal: Path = { of: 'apis', walk: (scenario) => scenario.deleteDeal() };

/** What leads past each failpoint; migrations have tests of their own. */
export const paths: Readonly<Record<Exclude<FailpointName, `migrate.${string}`>, Path>> = {
  'record.afterLock': putDeal,
  'record.midWrite': putDeal,
  'put.afterRecord': putDeal,
  'put.afterRequests': putDeal,
  'import.afterBatch': { of: 'apis', walk: (scenario) => scenario.importDeals() },
  'change.beforeCommit': putDeal,
  'change.afterCommit': putDeal,
  'change.beforeAnswer': putDeal,
  'wake.beforeAdd': putDeal,
  'wake.afterAdd': putDeal,
  'inbox.beforeInsert': { ...news, of: 'apis' },
  'inbox.afterInsert': { ...news, of: 'apis' },
  'lease.beforeTake': news,
  'lease.afterTake': news,
  'news.afterPick': news,
  'news.afterFetch': news,
  'news.afterRecord': news,
  'news.afterSettle': news,
  'pull.afterFetch': pull,
  'pull.afterRecord': pull,
  'pull.afterStep': pull,
  'pull.beforeFinish': pull,
  'document.afterTake': document,
  'document.afterPart': document,
  'document.afterMake': document,
  'document.beforeCommit': document,
  'sweep.afterPick': { of: 'workers', walk: async () => undefined },
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
  'adjust.afterInsert': adjust,
  'delete.afterEarners': deleteDeal,
  'delete.afterBury': deleteDeal,
  'delete.afterCommit': deleteDeal,
  'clear.afterDelete': { of: 'apis', walk: (scenario) => scenario.reset() },
  'answer.beforeKeep': adjust,
  'otp.afterConsume': { of: 'apis', walk: (scenario) => scenario.signIn() },
};
