import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ApiClient } from '#test/support/api-client.js';
import { newWorkspace } from '#test/support/backends.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';

/** The data that the processes send, as text. Names are readable in protobuf. */
let received = '';
let collector: Server;
let database: TestDatabase;
const processes: ServiceProcess[] = [];

describe('traces', function () {
  this.timeout(60_000);

  before(async () => {
    collector = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      request.on('end', () => response.end());
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    database = await createTestDatabase({ migrate: migrateTestDatabase });
  });

  after(async () => {
    await Promise.all(processes.map((process) => process.end()));
    await new Promise((resolve) => collector.close(resolve));
    await database.drop();
  });

  it('of a request, its statements and its job arrive at the collector and contain no values', async () => {
    const environment = {
      ...database.environment,
      PORT: '0',
      LOG_LEVEL: 'warn',
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    };
    const preload = ['--import', './dist/src/app/otel.js'];
    processes.push(await ServiceProcess.start('api', environment, { isInstalled: true, nodeOptions: preload }));
    processes.push(await ServiceProcess.start('worker', environment, { isInstalled: true, nodeOptions: preload }));
    const { apiKey } = await newWorkspace(database.appUrl);
    const api = new ApiClient(processes[0]?.url ?? '', apiKey);
    const [repId] = await api.saveReps('canary-name');
    await api.expect(200, 'POST', '/v1/commissions/recalculate', { repId });
    for (const process of processes) expect(await process.end(), process.output).to.equal(0);
    expect(received).to.include('commissions');
    expect(received).to.include('/v1/commissions/recalculate');
    expect(received).to.include('job calculate.v1');
    expect(received).to.include('insert into calculation_requests');
    expect(received).to.not.include(apiKey);
    expect(received).to.not.include('canary-name');
  });
});
