import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ApiClient } from '#test/support/api-client.js';
import { commandOf } from '#test/support/command.js';
import { query } from '#test/support/ledger-checks.js';
import { runCommand } from '#test/support/run-command.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

/** A checkout of the release before, which is built. Without it the drill is skipped. */
const checkout = process.env['PREVIOUS_RELEASE'];
const writers = 4;
const between = 60;

describe('an upgrade while deals are written', () => {
  let service: ServiceProcesses;
  let apiKey: string;
  let workspaceId: string;

  before(async function () {
    if (checkout === undefined) return this.skip();
    const database = await createTestDatabase();
    service = await ServiceProcesses.start({ database, settings: { MIGRATE_AT_START: '0', DRAIN_MS: '500' } });
    await previous('migrate');
    ({ apiKey, workspaceId } = JSON.parse(await previous('workspace', 'create', 'Acme', '--json')));
  });
  after(() => service?.stop());

  async function previous(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...service.environment };
    const run = promisify(execFile)(process.execPath, [commandOf(checkout as string), ...args], { env, cwd: checkout });
    return (await run).stdout;
  }

  const startPrevious = (kind: 'api' | 'worker') => service.startProcess(kind, {}, { checkout: checkout as string });
  const startBoth = (start: (kind: 'api' | 'worker') => Promise<ServiceProcess>) =>
    Promise.all([start('api'), start('worker')] as const);
  const clientOf = ({ url }: ServiceProcess) => new ApiClient(url, apiKey);

  it('loses no acknowledged write, and the previous release runs on the newer schema', async () => {
    const [oldApi, oldWorker] = await startBoth(startPrevious);
    await saveSimpleTerms(clientOf(oldApi), ['ann']);
    let serving = oldApi;
    let stopping = false;
    const acknowledged: string[] = [];
    const failed: number[] = [];
    const write = async (writer: number) => {
      for (let n = 0; !stopping; n += 1) {
        const dealId = `D-${writer}-${n}`;
        const deal = { amount: 100, closeDate: '2026-02-03', ownerId: 'ann' };
        const { status } = await clientOf(serving).put(`/v1/deals/${dealId}`, deal);
        if (status === 201) acknowledged.push(dealId);
        else failed.push(status);
        await sleep(5);
      }
    };
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const more = async () => {
      const before = acknowledged.length;
      await until(async () => acknowledged.length >= before + between);
    };
    await more();
    const migrated = await runCommand(['migrate'], service.environment);
    expect(migrated.code, migrated.stderr).to.equal(0);
    await more();
    const [newApi, newWorker] = await startBoth((kind) => service.startProcess(kind));
    await more();
    serving = newApi;
    await Promise.all([oldApi, oldWorker].map((each) => each.end('SIGTERM')));
    await more();
    const [again] = await startBoth(startPrevious);
    serving = again;
    await Promise.all([newApi, newWorker].map((each) => each.end('SIGTERM')));
    await more();
    stopping = true;
    await writing;

    const rows = await query(service.database.ownerUrl, 'select deal_id from deals where workspace_id = $1', [
      workspaceId,
    ]);
    const stored = new Set(rows.map(({ deal_id: id }) => id));
    const lost = acknowledged.filter((id) => !stored.has(id));
    console.log(
      `        upgrade and rollback, lost: ${lost.length === 0 ? 'nothing' : lost.length} of ${acknowledged.length} acknowledged, ${failed.length} failed`,
    );
    expect(lost).to.deep.equal([]);
    expect(failed).to.deep.equal([]);
    await service.startProcess('worker');
    await service.waitForCalculations(workspaceId);
    await service.expectSoundLedger(workspaceId);
  });
});
