import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ServiceProcesses } from '#test/support/service-processes.js';

/** The data that the processes send, as text. Names are readable in protobuf. */
let received = '';
let collector: Server;
let service: ServiceProcesses;

describe('traces', () => {
  before(async () => {
    collector = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      request.on('end', () => response.end());
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    service = await ServiceProcesses.start({
      processes: ['api', 'worker'],
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
      processOptions: { isInstalled: true, nodeOptions: ['--import', './dist/src/app/otel.js'] },
    });
  });

  after(async () => {
    await service?.stop();
    await new Promise((resolve) => collector.close(resolve));
  });

  it('of a request, its statements and its job arrive at the collector and contain no values', async () => {
    const { api, apiKey } = await service.workspace();
    const [repId] = await api.saveReps('canary-name');
    await api.expect(200, 'POST', '/v1/commissions/recalculate', { repId });
    for (const process of service.processes) expect(await process.end(), process.output).to.equal(0);
    expect(received).to.include('commissions');
    expect(received).to.include('/v1/commissions/recalculate');
    expect(received).to.include('job calculate.v1');
    expect(received).to.include('insert into calculation_requests');
    expect(received).to.not.include(apiKey);
    expect(received).to.not.include('canary-name');
  });
});
